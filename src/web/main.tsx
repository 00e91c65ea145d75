import "./style.css";
import { render } from "hono/jsx/dom";
import { App } from "./app.tsx";

const root = document.getElementById("root");
if (root) render(<App />, root);
