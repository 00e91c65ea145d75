import type { Tool } from "@modelcontextprotocol/sdk/types.js";
import type { Documents } from "./documents.ts";

/** In documents that are made before it is known which exchanges are configured, they stand where those will. */
export const ANY_EXCHANGES: readonly string[] = ["<one exchange>", "<another exchange>"];

/** Where the platform has them, among the files that it serves. */
export const DOCUMENT_FILES = {
  openApi: "/static/documents/openapi.json",
  tools: "/static/documents/tools.json",
} as const;

/** The files that a platform serves itself, by their address: on Workers a binding. */
export interface PlatformFiles {
  fetch(url: string): Promise<Response>;
}

/** What stands between two exchanges: in sentences, in values with commas, and in lists of JSON. */
const SEPARATORS = [", ", ",", '","'];

/** Made when the program was built; `ids` are the configured exchanges. Fails where the platform has no such file. */
export function servedDocuments(files: PlatformFiles | undefined, ids: readonly string[]): Documents {
  const read = async (path: string) => {
    const response = await files?.fetch(`https://assets.local${path}`);
    if (!response?.ok) throw new Error(`the platform has no file ${path}: wrangler.toml binds ASSETS`);
    return SEPARATORS.reduce(
      (text, mark) => text.replaceAll(ANY_EXCHANGES.join(mark), ids.join(mark)),
      await response.text(),
    );
  };
  return {
    openApi: () => read(DOCUMENT_FILES.openApi),
    tools: async () => JSON.parse(await read(DOCUMENT_FILES.tools)) as readonly Tool[],
  };
}
