import { render } from "preact";
import { ask } from "./answers";
import { App } from "./app";
import { algorithms } from "./planner";
import { startFromLink } from "./start";
import "./theme";

// The page takes files and keys from its first effects on.
const standing = ask();
const page = document.getElementById("page");
if (page) render(<App />, page);
standing();
void startFromLink();

// Once the page stands, the planner is fetched, so that a file dropped on it is planned at once.
addEventListener("load", () => setTimeout(() => void algorithms().catch(() => {}), 300));

if (import.meta.env.PROD && "serviceWorker" in navigator && location.protocol.startsWith("http")) {
  // After the first view, so that it takes no bandwidth from it. Without it the page works, though not offline.
  addEventListener(
    "load",
    () => void navigator.serviceWorker.register("./service_worker.js").catch(() => {}),
  );
}
