import { labelsOf, statusOf } from "../kernel/errors.ts";
import { lazy } from "../kernel/lazy.ts";
import { aliasOf, type Operation, type Route, routeOf } from "../operation.ts";
import { formatsOf } from "./csv.ts";
import type { Documents } from "./documents.ts";
import { describedEvents } from "./events.ts";
import { isTool, toolOf } from "./mcp/tools.ts";
import { type Schema, schemaOf } from "./openapi-schema.ts";

/** Creates documents from the operations on first use. */
export function madeDocuments(operations: readonly Operation[], version: string): Documents {
  const text = lazy(() => JSON.stringify(openApi(operations, version)));
  return {
    openApi: async () => text(),
    tools: async () => operations.filter(isTool).map(toolOf),
  };
}

const ERROR = {
  type: "object",
  required: ["error", "message", "requestId"],
  properties: {
    error: { type: "string", description: "Error label" },
    message: { type: "string", description: "One sentence for a person" },
    requestId: { type: "string", description: "Request id, as in the server's log" },
    code: { type: "string", description: "Stable code: funds_missing (500) or strategy_failed (422)" },
    issues: {
      type: "array",
      description: "All problems of an invalid input",
      items: {
        type: "object",
        properties: {
          path: { type: "string", description: "The field" },
          message: { type: "string", description: "Requirement" },
        },
      },
    },
  },
} as const;

/** Groups of operations in the document, by the beginning of their paths. */
const TAGS: readonly (readonly [prefix: RegExp, tag: string, description: string])[] = [
  [/^\/(ticker|orderbook|trades|ohlcv|exchanges)/, "Market", "Public data of the configured exchanges"],
  [/^\/(price|dex)/, "Prices", "Prices of a pair on several exchanges and on Cardano"],
  [/^\/(balance|orders)/, "Account", "Balances and manual orders"],
  [/^\/(backtest|strategy\/grid\/suggest)/, "Backtest", "Tests on historical prices"],
  [/^\/(strategies|definitions)/, "Strategies", "Read and change any strategy: grids, quotes and your own"],
  [/^\/(strategy|internal)/, "Grids", "Start, monitor, change and stop grids"],
  [/^\/(kill|limits)/, "Safety", "Kill switch, panic and limits"],
  [/^\/(report|liquidity|agreements)/, "Reports", "P&L by strategy and period"],
  [/^\/channels/, "Channels", "Alert channels"],
  [/^\/(tokens|keys|plans|audit)/, "Access", "Access and audit"],
];

const tagOf = ({ tag }: Operation, path: string): string =>
  tag?.name ?? TAGS.find(([prefix]) => prefix.test(path))?.[1] ?? "Other";

const tagsOf = (operations: readonly Operation[]) => {
  const own = new Map(operations.flatMap(({ tag }) => (tag ? [[tag.name, tag.description] as const] : [])));
  return [...TAGS.map(([, name, description]) => [name, description] as const), ...own].map(
    ([name, description]) => ({ name, description }),
  );
};

/** Returns the schema name: `list_orders` returns a `ListOrdersAnswer`. */
const answerName = ({ name }: Operation): string =>
  `${name.replace(/(?:^|_)(\w)/g, (_all, letter: string) => letter.toUpperCase())}Answer`;

/** Returns the OpenAPI 3.1 document of the operations; schemas are zod's JSON Schema. */
export function openApi(served: readonly Operation[], version: string) {
  const operations = [...served, describedEvents()];
  const paths: Record<string, Record<string, unknown>> = {};
  const answers = operations.map((operation) => [
    answerName(operation),
    schemaOf(operation.output, "output", operation.name),
  ]);
  for (const operation of operations) {
    const { name, http } = operation;
    addPath(paths, routeOf(operation), operationObject(operation, name, routeOf(operation).path));
    const alias = aliasOf(operation);
    if (!alias || http.alias?.startsWith("/")) continue;
    const id = `${alias.method.toLowerCase()}${alias.path.replaceAll("/", "_")}`;
    addPath(paths, alias, operationObject(operation, id, alias.path));
  }
  return {
    openapi: "3.1.0",
    info: {
      title: "edgemaker",
      version,
      description: "Run grid and market-making strategies on crypto exchanges.",
    },
    servers: [{ url: "./api/v1" }],
    tags: tagsOf(operations),
    paths,
    components: {
      schemas: { Error: ERROR, ...Object.fromEntries(answers) },
      securitySchemes: { token: { type: "http", scheme: "bearer" } },
    },
  };
}

const addPath = (paths: Record<string, object>, { method, path }: Route, described: object): void => {
  const key = path.replace(/:(\w+)/g, "{$1}");
  paths[key] = { ...paths[key], [method.toLowerCase()]: described };
};

function operationObject(operation: Operation, id: string, path: string) {
  const { name, summary, http } = operation;
  const schema = schemaOf(operation.input, "input", name);
  const inPath = new Set([...path.matchAll(/:(\w+)/g)].map(([, field]) => field));
  const parameters = Object.entries(schema.properties ?? {})
    .filter(([field]) => inPath.has(field) || http.from === "query")
    .map(([field, form]) => ({
      name: field,
      in: inPath.has(field) ? "path" : "query",
      required: inPath.has(field) || (schema.required ?? []).includes(field),
      ...(form.description === undefined ? {} : { description: form.description }),
      schema: form,
      ...exampled(exampleOf(operation, field)),
    }));
  return {
    operationId: id,
    summary,
    tags: [tagOf(operation, path)],
    ...securityOf(operation),
    parameters: [...parameters, ...formatParameter(operation), ...headers(operation)],
    ...(http.from === "body" ? { requestBody: requestBody(operation, schema, inPath) } : {}),
    responses: {
      200: {
        description: "Success",
        content: {
          "application/json": { schema: { $ref: `#/components/schemas/${answerName(operation)}` } },
          ...(operation.csv ? { "text/csv": { schema: { type: "string" } } } : {}),
          ...(operation.html ? { "text/html": { schema: { type: "string" } } } : {}),
          ...(isEvents(operation) ? { "text/event-stream": { schema: { type: "string" } } } : {}),
        },
      },
      ...refusals(operation),
    },
  };
}

const exampled = (example: unknown) => (example === undefined ? {} : { example });

/** Returns the body's schema without the path's fields. */
function requestBody(operation: Operation, schema: Schema, inPath: ReadonlySet<string | undefined>) {
  const fields = Object.entries(schema.properties ?? {}).filter(([field]) => !inPath.has(field));
  const required = (schema.required ?? []).filter((field) => !inPath.has(field));
  const { required: _all, ...rest } = schema;
  const inBody = {
    ...rest,
    properties: Object.fromEntries(fields),
    ...(required.length > 0 ? { required } : {}),
  };
  const example = exampleBody(operation, { inBody: fields.map(([field]) => field), required });
  return { required: required.length > 0, content: { "application/json": { schema: inBody, example } } };
}

/** Returns each possible error status with its labels. */
function refusals({ access, knowsCaller, effect, failure, refusal, http, lane }: Operation) {
  const isWrite = !http.route.startsWith("GET ");
  const isGuarded = access === "token" || knowsCaller === true;
  const statuses = [
    400,
    ...(isGuarded ? [401, 403] : []),
    404,
    ...(isWrite ? [409, 413, 415] : []),
    429,
    ...(lane === "urgent" ? [503] : []),
  ];
  const results = [
    ...statuses.map((status) => [status, labelsOf(status)] as const),
    ...(refusal ? [[statusOf(failure, refusal), [failure]] as const] : []),
  ];
  const ours = new Set([failure, ...(effect === "read" ? [] : ["Order unknown"]), "Internal error"]);
  return Object.fromEntries(
    [...results, [500, [...ours]] as const].map(([status, labels]) => [
      status,
      {
        description: `One of: ${labels.join(", ")}`,
        ...(status === 429 ? { headers: { "Retry-After": RETRY_AFTER } } : {}),
        content: { "application/json": { schema: { $ref: "#/components/schemas/Error" } } },
      },
    ]),
  );
}

const RETRY_AFTER = { description: "Seconds to wait", schema: { type: "integer" } };

function formatParameter(operation: Operation) {
  const formats = formatsOf(operation);
  if (formats.length === 1) return [];
  const page = operation.html ? "; html for a page" : "";
  return [
    {
      name: "format",
      in: "query",
      required: false,
      description: `csv for a table, as Accept: text/csv${page}`,
      schema: { type: "string", enum: formats, default: "json" },
    },
  ];
}

function securityOf({ access, effect, knowsCaller }: Operation) {
  if (access === "token") return { security: [{ token: [] }], "x-scope": effect };
  return { security: knowsCaller ? [{}, { token: [] }] : [] };
}

const header = (name: string, description: string) => ({
  name,
  in: "header",
  required: false,
  description,
  schema: { type: "string" },
});

const isEvents = (operation: Operation): boolean => operation === describedEvents();

const headers = (operation: Operation) => [
  ...(isEvents(operation)
    ? [header("Last-Event-ID", "Continues a stream after this id, as `after` does")]
    : []),
  ...operationHeaders(operation),
];

const operationHeaders = ({ http }: Operation) => [
  ...(http.idempotent
    ? [
        header(
          "Idempotency-Key",
          "A repeated request with the same key and body acts only once, and gets the same response for a day",
        ),
      ]
    : []),
  ...(http.keys
    ? ["X-Exchange-Key", "X-Exchange-Secret", "X-Exchange-Passphrase"].map((name) =>
        header(name, "Replaces the server's keys for this request"),
      )
    : []),
];

/** Examples of each operation's request. */
const BY_FIELD: Readonly<Record<string, unknown>> = {
  exchange: "kraken",
  symbol: "BTC/USDT",
  id: "grid-kraken-BTC-USDT-1767225600000",
  channel: "ops",
  agreement: "snek",
  markets: "kraken:BTC/USDT spread=1 depth=500, mexc:BTC/USDT depth=300",
  side: "buy",
  type: "limit",
  amount: 0.001,
  price: 50_000,
  timeframe: "1h",
  lowerPrice: 57_000,
  upperPrice: 63_000,
  gridLevels: 10,
  orderSize: 50,
  budget: 500,
  on: true,
  kind: "webhook",
  url: "https://hooks.example/edgemaker",
  from: "2026-01-01",
  to: "2026-01-31",
};

const START_EXAMPLE = {
  definition: "quote",
  config: { spreadPercent: 2, depth: 500, levels: 3 },
  baseBudget: 0.01,
  quoteBudget: 1000,
};

/** Example values for fields with another meaning, and optional fields that make an example realistic. */
const BY_OPERATION: Readonly<Record<string, Readonly<Record<string, unknown>>>> = {
  create_order: { price: 50_000 },
  get_order: { exchange: "bitget", id: "1000000007" },
  cancel_order: { exchange: "bitget", id: "1000000007" },
  start_grid: { useOwnBase: true },
  backtest: {
    exchange: "kraken",
    symbol: "BTC/USDT",
    config: { lowerPrice: 57_000, upperPrice: 63_000, gridLevels: 10, orderSize: 50 },
  },
  preview_strategy: START_EXAMPLE,
  start_strategy: START_EXAMPLE,
  stop_strategy: { id: "quote-kraken-BTC-USDT-1767225600000" },
  edit_strategy: { config: { upperPrice: 64_000 }, name: undefined },
  preview_edit: { config: { upperPrice: 64_000 } },
  get_dex_price: { symbol: "SNEK" },
  get_dex_pools: { symbol: "SNEK" },
  set_limits: { openOrders: 100 },
  create_token: { name: "dashboard", scope: "read" },
  revoke_token: { id: "tok_4f0c9a2b1d" },
  decide_plan: { id: "plan_4f0c", decision: "approve" },
  put_keys: { key: "exchange-api-key", secret: "exchange-secret" },
  create_agreement: { total: "uptime=95", until: "2026-12-31" },
  edit_agreement: { until: "2027-06-30" },
  // A report is of an agreement, or of a market.
  get_liquidity_report: { agreement: undefined },
  add_channel: { url: "https://hooks.example/edgemaker" },
  send_to_channel: { send: "test" },
};

/** Returns a field's example; undefined if it is better omitted. */
const exampleOf = ({ name }: Operation, field: string): unknown =>
  ({ ...BY_FIELD, ...BY_OPERATION[name] })[field];

/** Returns a body with the required fields and useful optional ones. */
function exampleBody(
  operation: Operation,
  { inBody, required }: { readonly inBody: readonly string[]; readonly required: readonly string[] },
): Record<string, unknown> {
  const more = Object.keys(BY_OPERATION[operation.name] ?? {});
  const shown = inBody.filter((field) => required.includes(field) || more.includes(field));
  return Object.fromEntries(shown.map((field) => [field, exampleOf(operation, field)]));
}
