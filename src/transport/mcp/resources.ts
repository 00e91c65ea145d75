import type { Server } from "@modelcontextprotocol/sdk/server/index.js";
import {
  ErrorCode,
  ListResourcesRequestSchema,
  ListResourceTemplatesRequestSchema,
  McpError,
  ReadResourceRequestSchema,
} from "@modelcontextprotocol/sdk/types.js";
import { plainTexts } from "../../kernel/plain-text.ts";
import type { Operation } from "../../operation.ts";
import { run } from "../run.ts";
import { GUIDE } from "./guide.ts";
import type { McpOptions } from "./options.ts";

interface Resource {
  readonly uri: string;
  readonly name: string;
  readonly description: string;
  /** The operation that returns it; its fields are in the URI. */
  readonly operation: string;
}

export const RESOURCES: readonly Resource[] = [
  {
    uri: "edgemaker://exchanges",
    name: "exchanges",
    description: "List the configured exchanges",
    operation: "list_exchanges",
  },
  {
    uri: "edgemaker://strategies",
    name: "strategies",
    description: "All grids with their orders and P&L",
    operation: "get_grid_status",
  },
  {
    uri: "edgemaker://strategies/{id}",
    name: "strategy",
    description: "One grid",
    operation: "get_grid_status",
  },
  {
    uri: "edgemaker://strategies/{id}/events",
    name: "strategy-events",
    description: "Events of one grid",
    operation: "get_grid_events",
  },
];

const GUIDE_OF = {
  uri: "edgemaker://guide/grid",
  name: "grid-guide",
  description: "How grids work, and how to choose one",
  mimeType: "text/markdown",
};

/** Adds operations' responses and the guide as resources. */
export function addResources(server: Server, options: McpOptions): void {
  const known = RESOURCES.filter(({ operation }) => operationOf(operation, options));
  const described = known.map(({ operation: _operation, ...resource }) => ({
    ...resource,
    mimeType: "application/json",
  }));
  const isTemplate = ({ uri }: { uri: string }) => uri.includes("{");
  server.setRequestHandler(ListResourcesRequestSchema, () => ({
    resources: [...described.filter((one) => !isTemplate(one)), GUIDE_OF],
  }));
  server.setRequestHandler(ListResourceTemplatesRequestSchema, () => ({
    resourceTemplates: described
      .filter(isTemplate)
      .map(({ uri: uriTemplate, ...rest }) => ({ uriTemplate, ...rest })),
  }));
  server.setRequestHandler(ReadResourceRequestSchema, async ({ params: { uri } }) => {
    if (uri === GUIDE_OF.uri) return { contents: [{ uri, mimeType: GUIDE_OF.mimeType, text: GUIDE }] };
    for (const resource of known) {
      const fields = matched(resource.uri, uri);
      const operation = operationOf(resource.operation, options);
      if (fields && operation)
        return {
          contents: [
            { uri, mimeType: "application/json", text: await readResource(operation, fields, options) },
          ],
        };
    }
    throw new McpError(
      ErrorCode.InvalidParams,
      "unknown resource; call resources/list for the list of resources",
    );
  });
}

const operationOf = (name: string, { operations }: McpOptions): Operation | undefined =>
  operations.find((operation) => operation.name === name);

/** Returns the fields of an address that matches a template; undefined if it does not match. */
function matched(template: string, uri: string): Record<string, string> | undefined {
  const form = new RegExp(`^${template.replace(/\{(\w+)\}/g, "(?<$1>[\\w.:-]{1,80})")}$`);
  const found = form.exec(uri);
  return found ? { ...found.groups } : undefined;
}

async function readResource(
  operation: Operation,
  fields: object,
  { deps, caller }: McpOptions,
): Promise<string> {
  const parsed = operation.input.strict().safeParse(fields);
  if (!parsed.success) throw new McpError(ErrorCode.InvalidParams, "this is not a resource URI");
  const call = { actor: caller.actor, isAgent: true, requestId: deps.local.randomText(12) };
  const { status, body } = await run(operation, deps, parsed.data, call);
  if (status !== 200) throw new McpError(ErrorCode.InvalidParams, JSON.stringify(plainTexts(body)));
  return JSON.stringify(plainTexts(body));
}
