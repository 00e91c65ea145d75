import type { Tool } from "@modelcontextprotocol/sdk/types.js";
import type { PageFiles } from "./page.ts";

/** Placeholders for exchanges in documents that are built before the configured exchanges are known. */
export const ANY_EXCHANGES: readonly string[] = ["<one exchange>", "<another exchange>"];

/** Paths of documents among the platform's files. */
export const DOCUMENT_FILES = {
  openApi: "/static/documents/openapi.json",
  tools: "/static/documents/tools.json",
} as const;

/** Files that a platform serves itself, by address; on Workers a binding. */
export interface PlatformFiles {
  fetch(url: string): Promise<Response>;
}

/** Returns the names of the page's files from the build. */
export async function servedPageFiles(files: PlatformFiles | undefined): Promise<PageFiles> {
  const response = await files?.fetch("https://assets.local/static/page/files.json");
  if (!response?.ok) throw new Error("the platform has no file /static/page/files.json");
  return response.json();
}

/** Separators between exchanges: in sentences, in comma-separated values, and in JSON lists. */
const SEPARATORS = [", ", ",", '","'];

/** Returns documents from the build; `ids` are the configured exchanges. Fails if the platform lacks the file. */
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

/** Documents that describe the API to programs. */
export interface Documents {
  /** Returns the OpenAPI document as JSON text. */
  openApi(): Promise<string>;
  /** Returns each operation that is a tool, in order. */
  tools(): Promise<readonly Tool[]>;
}
