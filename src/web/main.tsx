import "./style.css";
import { render } from "hono/jsx/dom";
import { App } from "./app.tsx";

const root = document.getElementById("root");
if (root) render(<App />, root);

// Only over TLS or from this machine; without it, the page is the same, but shows nothing when the server is gone.
void navigator.serviceWorker?.register("static/page/page-worker.js", { scope: "./" }).catch(() => {});
