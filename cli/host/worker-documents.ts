import { Script } from "node:vm";
import { SCRIPT_SCOPE } from "../../src/declared/script.ts";
import { createOperations } from "../../src/operations.ts";
import type { StrategyDefinitions } from "../../src/ports/definition.ts";
import { madeDocuments } from "../../src/transport/documents/made.ts";
import { ANY_EXCHANGES, DOCUMENT_FILES } from "../../src/transport/documents/served.ts";
import { bundleStrategy, strategyFiles } from "./strategies/bundle.ts";
import { limitLoops } from "./strategies/limit-loops.ts";
import { functionLine, loadStrategies } from "./strategies/load.ts";

/** Returns the documents that Cloudflare serves for the Worker, by file name. */
export async function workerDocuments(
  definitions: StrategyDefinitions = [],
): Promise<Readonly<Record<string, string>>> {
  const { openApi, tools } = madeDocuments(createOperations(ANY_EXCHANGES, definitions), "edge");
  return { [DOCUMENT_FILES.openApi]: await openApi(), [DOCUMENT_FILES.tools]: JSON.stringify(await tools()) };
}

/** Returns a folder's strategies, and a module with them as scripts. Throws an Error with file and line where one is wrong. */
export function workerStrategies(folder: string) {
  const { definitions, failures } = loadStrategies(folder);
  if (failures.length > 0) throw new Error(failures.map(({ message }) => message).join("\n"));
  const scripts = strategyFiles(folder).map(scriptText);
  return { definitions, source: `export const scripts = [${scripts.join(",\n")}];\n` };
}

/** Returns a file as a function; it is checked here, because the platform would show a mistake only when it runs. */
function scriptText(file: string): string {
  const bundle = bundleStrategy(file);
  const run = `function (${SCRIPT_SCOPE.join(", ")}) {\n${limitLoops(bundle.code, "__step")}\n}`;
  const source = functionLine(bundle);
  new Script(`(${run})`, { filename: bundle.file });
  return `{ source: ${JSON.stringify(source)}, run: ${run} }`;
}
