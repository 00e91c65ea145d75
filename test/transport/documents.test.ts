import { expect, it } from "vitest";
import { createOperations } from "../../src/operations.ts";
import { ANY_EXCHANGES, DOCUMENT_FILES, servedDocuments } from "../../src/transport/documents.ts";
import { madeDocuments } from "../../src/transport/openapi.ts";

const documentsOf = (ids: readonly string[]) => madeDocuments(createOperations(ids), "1.2.3");

it.each([[["mexc", "gateio", "bitget", "kraken"]], [["kraken", "mexc"]], [["gateio"]]])(
  "documents built before the exchanges are known equal those for %j",
  async (ids) => {
    const before = documentsOf(ANY_EXCHANGES);
    const texts = new Map<string, string>([
      [DOCUMENT_FILES.openApi, await before.openApi()],
      [DOCUMENT_FILES.tools, JSON.stringify(await before.tools())],
    ]);
    const files = { fetch: async (url: string) => new Response(texts.get(new URL(url).pathname)) };
    const served = servedDocuments(files, ids);
    const made = documentsOf(ids);
    expect(JSON.parse(await served.openApi())).toEqual(JSON.parse(await made.openApi()));
    expect((await served.openApi()) === (await made.openApi())).toBe(true);
    expect(JSON.stringify(await served.tools()) === JSON.stringify(await made.tools())).toBe(true);
  },
);
