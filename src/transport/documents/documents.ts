import type { Tool } from "@modelcontextprotocol/sdk/types.js";

/** What tells a program what it may ask. */
export interface Documents {
  /** The OpenAPI document, as JSON text. */
  openApi(): Promise<string>;
  /** Each operation that is a tool, in their order. */
  tools(): Promise<readonly Tool[]>;
}
