// Runs sequences in a thread of its own.
import { parentPort } from "node:worker_threads";
import { exposureProperty, type PropertyOptions } from "./property.ts";

parentPort?.on("message", async (options: PropertyOptions) =>
  parentPort?.postMessage(await exposureProperty(options)),
);
