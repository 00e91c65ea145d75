// The official schemas of files for agents, and a check against them. Read on 2026-11-30.
import { readFileSync } from "node:fs";
import { AjvJsonSchemaValidator } from "@modelcontextprotocol/sdk/validation/ajv";

const SCHEMAS = {
  // npm package @anthropic-ai/mcpb 2.1.2, schemas/mcpb-manifest-latest.schema.json
  bundle: "mcpb-manifest-0.3",
  // https://static.modelcontextprotocol.io/schemas/2025-12-11/server.schema.json, the newest one,
  // here without descriptions and examples
  registry: "server-2025-12-11",
};

/**
 * Returns what a schema finds wrong in a document; undefined if it is valid.
 * @param {"bundle" | "registry"} name
 * @param {unknown} document
 * @returns {string | undefined}
 */
export function faultOf(name, document) {
  const file = new URL(`${SCHEMAS[name]}.schema.json`, import.meta.url);
  const check = new AjvJsonSchemaValidator().getValidator(JSON.parse(readFileSync(file, "utf8")));
  return check(document).errorMessage;
}
