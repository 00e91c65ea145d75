import { resolve } from "node:path";
import { createOperations } from "../../src/operations.ts";
import type { StrategyDefinitions } from "../../src/ports/definition.ts";
import { madeDocuments } from "../../src/transport/documents/made.ts";
import { ANY_EXCHANGES, DOCUMENT_FILES } from "../../src/transport/documents/served.ts";
import { strategyFiles } from "./strategies/bundle.ts";
import { loadStrategies } from "./strategies/load.ts";

/** Returns the documents that Cloudflare serves for the Worker, by file name. */
export async function workerDocuments(
  definitions: StrategyDefinitions = [],
): Promise<Readonly<Record<string, string>>> {
  const { openApi, tools } = madeDocuments(createOperations(ANY_EXCHANGES, definitions), "edge");
  return { [DOCUMENT_FILES.openApi]: await openApi(), [DOCUMENT_FILES.tools]: JSON.stringify(await tools()) };
}

/** Returns a folder's strategies, and a module that imports them. Throws an Error with file and line where one is wrong. */
export function workerStrategies(folder: string) {
  const { definitions, failures } = loadStrategies(folder);
  if (failures.length > 0) throw new Error(failures.map(({ message }) => message).join("\n"));
  const files = strategyFiles(folder);
  const imports = files.map((file, i) => `import strategy${i} from ${JSON.stringify(resolve(file))};\n`);
  const list = files.map((_, i) => `strategy${i}`).join(", ");
  return { definitions, source: `${imports.join("")}export const definitions = [${list}];\n` };
}
