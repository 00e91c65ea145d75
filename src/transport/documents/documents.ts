import type { Tool } from "@modelcontextprotocol/sdk/types.js";

/** Documents that describe the API to programs. */
export interface Documents {
  /** Returns the OpenAPI document as JSON text. */
  openApi(): Promise<string>;
  /** Returns each operation that is a tool, in order. */
  tools(): Promise<readonly Tool[]>;
}
