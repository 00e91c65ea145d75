import { createOperations } from "../../src/operations.ts";
import { madeDocuments } from "../../src/transport/documents/made.ts";
import { ANY_EXCHANGES, DOCUMENT_FILES } from "../../src/transport/documents/served.ts";

/** Returns the documents that Cloudflare serves for the Worker, by file name. */
export async function workerDocuments(): Promise<Readonly<Record<string, string>>> {
  const { openApi, tools } = madeDocuments(createOperations(ANY_EXCHANGES), "edge");
  return { [DOCUMENT_FILES.openApi]: await openApi(), [DOCUMENT_FILES.tools]: JSON.stringify(await tools()) };
}
