import type { CommandDef } from "citty";
import { describe, expect, it } from "vitest";
import { rootCommand } from "../../cli/commands/root.ts";
import type { Args } from "../../cli/terminal/arguments.ts";
import { argName } from "../../cli/terminal/fields.ts";
import { KINDS } from "../../src/kinds.ts";
import { startables } from "../../src/lifecycle/operations/start.ts";
import { aliasOf, type CommandSurface, routeOf } from "../../src/operation.ts";
import { createOperations } from "../../src/operations.ts";
import { toolOf } from "../../src/transport/mcp/tools.ts";
import { openApi } from "../../src/transport/openapi.ts";
import { testApp } from "../support/app.ts";
import { appClient } from "../support/mcp.ts";
import { commandsOf } from "../support/pages.ts";
import { EXCHANGES } from "../support/sandbox.ts";

const operations = createOperations(EXCHANGES);
const names = operations.map(({ name }) => name);

/** Operations that a surface leaves out, and why. */
const NO_TOOL = {
  start_grid: "start_strategy",
  get_grid_status: "get_strategy, list_strategies",
  list_grids: "list_strategies",
  tick: "for schedulers",
  set_kill_switch: "a person's, whatever a model wants",
  get_limits: "tells whose tokens are held to what",
  set_limits: "a person's, whatever a model wants",
  list_tokens: "tells who may do what",
  create_token: "a person's, whatever a model wants",
  revoke_token: "a person's, whatever a model wants",
  list_keys: "tells which accounts are open",
  test_keys: "a person's, whatever a model wants",
  put_keys: "a person's, whatever a model wants",
  list_channels: "tells who is told",
  add_channel: "a person's, whatever a model wants",
  send_to_channel: "a person's, whatever a model wants",
  remove_channel: "a person's, whatever a model wants",
  list_plans: "decides on what agents want",
  decide_plan: "decides on what agents want",
  get_audit_events: "tells who has done what",
  verify_audit: "tells who has done what",
};
const NO_COMMAND = {
  start_grid: "edgemaker start grid",
  preview_strategy: "edgemaker preview grid, and one for each form",
  start_strategy: "edgemaker start grid, and one for each form",
  preview_edit: "edgemaker edit",
  list_keys: "edgemaker exchange list",
  test_keys: "edgemaker exchange test",
  put_keys: "edgemaker exchange add",
  add_channel: "edgemaker notify add",
  get_audit_events: "edgemaker audit export",
  verify_audit: "edgemaker audit verify",
};

/** Commands that are no operation: they run, keep or set up this program itself. */
const ONLY_COMMANDS = [
  "audit checkpoint",
  "audit export",
  "audit verify",
  "backtest centered",
  "backtest quote",
  "candles download",
  "candles import",
  "candles list",
  "candles show",
  "clone",
  "completion bash",
  "completion fish",
  "completion zsh",
  "cost",
  "db backup",
  "db migrate",
  "db prune",
  "db restore",
  "db restored",
  "demo",
  "deploy",
  "docs",
  "doctor",
  "exchange add",
  "exchange import",
  "exchange list",
  "exchange remove",
  "exchange rotate",
  "exchange test",
  "mcp",
  "mcp install",
  "notify add",
  "page",
  "preview centered",
  "preview clone",
  "preview grid",
  "preview quote",
  "proof key",
  "proof publish",
  "proof verify",
  "replay",
  "sandbox deposit",
  "sandbox fault",
  "sandbox reset",
  "sandbox shock",
  "serve",
  "setup",
  "start centered",
  "start grid",
  "start quote",
  "status-page build",
  "strategy check",
  "strategy new",
  "trade",
  "verify",
];

it("each command reads its positional arguments itself", () => {
  const required = commandsOf(rootCommand(EXCHANGES)).flatMap(([path, { args }]) =>
    Object.entries((args ?? {}) as Args)
      .filter(([, one]) => one.type === "positional" && one.required)
      .map(([name]) => `${path}: ${name}`),
  );
  expect(required).toEqual([]);
});

/** Routes that are no operation: a stream, and who is signed in. */
const ROUTES_ALONE = [
  "GET /api/v1/events",
  "GET /api/v1/session",
  "POST /api/v1/session",
  "POST /api/v1/session/code",
];

/** Whether commands are made only of its words. */
const isGroup = ({ path, words = {} }: CommandSurface): boolean =>
  Object.keys(words).some((word) => word.startsWith(`${path} `));

describe("the operations of each surface match:", () => {
  it("the routes of the app", async () => {
    const { app } = await testApp();
    const served = app.routes
      .filter(({ path, method }) => path.startsWith("/api/v1/") && method !== "ALL")
      .map(({ method, path }) => `${method} ${path}`);
    const expected = operations.flatMap((operation) => {
      const alias = aliasOf(operation);
      return [routeOf(operation), ...(alias ? [alias] : [])].map(
        ({ method, path }) => `${method} /api/v1${path}`,
      );
    });
    expect([...new Set(served)].sort()).toEqual([...expected, ...ROUTES_ALONE].sort());
  });

  it("OpenAPI", () => {
    const { paths } = openApi(operations, "0") as {
      paths: Record<string, Record<string, { operationId: string }>>;
    };
    const described = Object.values(paths).flatMap((path) =>
      Object.values(path).map(({ operationId }) => operationId),
    );
    expect(described.sort()).toEqual([...names, "get_events", "delete_strategy_grid"].sort());
  });

  it("the tools of an agent that may trade", async () => {
    const app = await testApp({ mcp: { trading: true, confirm: "plan" } });
    const { tools } = await (await appClient(app, "admin")).listTools();
    const left = names.filter((name) => !tools.some((tool) => tool.name === name));
    expect(left).toEqual(Object.keys(NO_TOOL));
    expect(tools.map(({ name }) => name)).toEqual(names.filter((name) => !Object.hasOwn(NO_TOOL, name)));
  });

  it("the commands, and which operations have none", () => {
    const leaves = commandsOf(rootCommand(EXCHANGES)).filter(([, { run }]) => run);
    const expected = operations.flatMap(({ cli }) =>
      cli ? [...Object.keys(cli.words ?? {}), ...(isGroup(cli) ? [] : [cli.path])] : [],
    );
    const sameAs = ({ meta }: CommandDef) => (meta as { sameAs?: string } | undefined)?.sameAs;
    const paths = leaves.filter(([, one]) => sameAs(one) === undefined).map(([path]) => path);
    const others = leaves.filter(([, one]) => sameAs(one) !== undefined).map(([path]) => path);
    const verbs = operations.flatMap(({ cli }) => cli?.verb ?? []);
    const groups = KINDS.map(({ group }) => group);
    const synonyms = groups.flatMap((group) => verbs.map((verb) => `${group} ${verb}`));
    const forms = startables(KINDS).flatMap((one) => one.forms);
    const starts = forms.flatMap(({ synonym }) =>
      ["preview", "start"].flatMap((verb) => synonym?.(verb) ?? []),
    );
    const backtests = ["backtest grid", "grid backtest", "quote backtest"];
    const edits = groups.map((group) => `${group} edit`);
    const verbsOfKinds = synonyms.filter((path) => !expected.includes(path));
    expect(others.sort()).toEqual([...verbsOfKinds, ...starts, ...backtests, ...edits].sort());
    expect(paths.filter((path) => !expected.includes(path)).sort()).toEqual(ONLY_COMMANDS);
    expect(expected.filter((path) => !paths.includes(path))).toEqual([]);
    expect(operations.filter(({ cli }) => !cli).map(({ name }) => name)).toEqual(Object.keys(NO_COMMAND));
  });

  it("the fields: each is a flag, a parameter and a property", () => {
    const leaves = new Map(commandsOf(rootCommand(EXCHANGES)));
    for (const operation of operations) {
      const fields = Object.keys(operation.input.shape);
      expect(
        Object.keys(toolOf(operation).inputSchema.properties ?? {}).filter((name) => name !== "planId"),
      ).toEqual(fields);
      if (!operation.cli || isGroup(operation.cli)) continue;
      const flags = Object.keys(leaves.get(operation.cli.path)?.args ?? {});
      // Its commands name the definition or a stored strategy, and have a flag for each field of the config.
      const named = ["definition", "config", ...(operation.name === "backtest" ? ["strategy"] : [])];
      for (const field of fields.filter((one) => !named.includes(one)))
        expect(flags, operation.name).toContain(argName(operation, field));
    }
  });
});
