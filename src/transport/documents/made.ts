import { lazy } from "../../kernel/lazy.ts";
import type { Operation } from "../../operation.ts";
import { isTool, toolOf } from "../mcp/tools.ts";
import { openApi } from "../openapi.ts";
import type { Documents } from "./documents.ts";

/** Creates documents from the operations on first use. */
export function madeDocuments(operations: readonly Operation[], version: string): Documents {
  const text = lazy(() => JSON.stringify(openApi(operations, version)));
  return {
    openApi: async () => text(),
    tools: async () => operations.filter(isTool).map(toolOf),
  };
}
