import { render } from "preact";
import { App } from "./app";
import "./theme";

const page = document.getElementById("page");
if (page) render(<App />, page);
