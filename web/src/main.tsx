import { render } from "preact";
import { App } from "./app";
import { startFromLink } from "./start";
import "./theme";

const page = document.getElementById("page");
if (page) render(<App />, page);
void startFromLink();
