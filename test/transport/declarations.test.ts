import { describe, expect, it } from "vitest";
import { isLabel } from "../../src/kernel/errors.ts";
import type { Operation } from "../../src/operation.ts";
import { createOperations } from "../../src/operations.ts";
import { EXCHANGES } from "../support/sandbox.ts";

const operations = createOperations(EXCHANGES);

const CHANNELS = ["list_channels", "send_to_channel", "remove_channel"];
const REPORTS = ["get_report", "get_liquidity_report"];
const HISTORY = ["orders", "fills", "events"].map((what) => `get_strategy_${what}`);

describe("the operations that", () => {
  it.each<[string, (one: Operation) => unknown, readonly string[]]>([
    [
      "trade or change an agreement",
      ({ effect }) => effect === "trade",
      [
        "create_order",
        "cancel_order",
        "cancel_all_orders",
        "start_grid",
        "start_strategy",
        "stop_strategy",
        "pause_strategy",
        "resume_strategy",
        "edit_strategy",
        "create_agreement",
        "edit_agreement",
      ],
    ],
    [
      "require no token",
      ({ access }) => access === "public",
      [
        "get_ticker",
        "get_orderbook",
        "get_trades",
        "get_ohlcv",
        "list_exchanges",
        "get_dex_price",
        "get_dex_pools",
        "list_dex_tokens",
        "compare_prices",
      ],
    ],
    [
      "calculate for a long time",
      ({ lane }) => lane === "heavy",
      ["backtest", "suggest_grid", "get_report", "get_quality", "get_liquidity_report"],
    ],
    [
      "accept an Idempotency-Key",
      ({ http }) => http.idempotent,
      ["create_order", "start_grid", "start_strategy", "create_agreement"],
    ],
    [
      "accept exchange keys",
      ({ http }) => http.keys,
      ["get_balance", "list_orders", "get_order", "create_order", "cancel_order", "cancel_all_orders"],
    ],
    ["carry secrets in their body", ({ http }) => http.isPrivate, ["put_keys"]],
    ["need a running server for their result", ({ cli }) => cli?.steps, ["guide_grid", "resume_strategy"]],
    [
      "warn an agent if no server runs",
      ({ mcp }) => mcp?.steps,
      ["start_strategy", "edit_strategy", "resume_strategy"],
    ],
    [
      "manage access on this machine's database",
      ({ cli }) => cli?.isLocal,
      ["list_tokens", "create_token", "revoke_token", ...CHANNELS],
    ],
    [
      "ask for confirmation in a terminal",
      ({ cli }) => cli?.final ?? Object.values(cli?.words ?? {}).some(({ final }) => final),
      ["cancel_all_orders", "stop_strategy", "set_kill_switch"],
    ],
    [
      "format their response for people",
      ({ cli }) => cli?.view,
      [
        "get_ticker",
        "get_orderbook",
        "get_trades",
        "get_dex_price",
        "get_dex_pools",
        "compare_prices",
        "stop_strategy",
        "get_grid_status",
        "list_grids",
        "list_plans",
        "list_definitions",
        "edit_strategy",
        "list_strategies",
        "get_strategy",
        "get_balance",
        "set_kill_switch",
        "get_strategy_orders",
        "get_strategy_fills",
        "backtest",
        "suggest_grid",
        ...REPORTS.slice(0, 1),
        "get_quality",
        "list_agreements",
        ...REPORTS.slice(1),
      ],
    ],
    [
      "order the columns of their tables",
      ({ cli }) => cli?.columns,
      [
        "get_trades",
        "get_ohlcv",
        "list_exchanges",
        "get_balance",
        "list_orders",
        "list_grids",
        "list_strategies",
        ...HISTORY,
        ...REPORTS,
        "get_quality",
        "list_agreements",
      ],
    ],
    [
      "can be watched",
      ({ cli }) => cli?.watch,
      [
        "get_ticker",
        "get_orderbook",
        "get_trades",
        "get_balance",
        "list_orders",
        "compare_prices",
        "get_grid_status",
        "get_strategy",
      ],
    ],
    [
      "return stored data only",
      ({ mcp }) => mcp?.isSelfContained,
      [
        "list_exchanges",
        "list_definitions",
        "list_strategies",
        "get_strategy",
        ...HISTORY,
        "list_dex_tokens",
        "get_report",
        "get_quality",
        "list_agreements",
        "list_watched_pairs",
      ],
    ],
    ["have other defaults for agents", ({ mcp }) => mcp?.defaults, ["backtest", "get_liquidity_report"]],
    [
      "return a table as CSV",
      ({ csv }) => csv,
      ["get_strategy_fills", "backtest", ...REPORTS, "get_quality"],
    ],
    ["return a page", ({ html }) => html, REPORTS],
    ["return pages of rows", ({ pages }) => pages, ["get_strategy_fills"]],
  ])("%s are exactly these", (_what, is, expected) => {
    expect(
      operations
        .filter(is)
        .map(({ name }) => name)
        .sort(),
    ).toEqual([...expected].sort());
  });
});

it("each operation has its own route and command", () => {
  for (const values of [
    operations.map(({ http }) => http.route),
    operations.flatMap(({ cli }) => (cli ? [cli.path] : [])),
  ])
    expect(values.filter((one, place) => one === undefined || values.indexOf(one) !== place)).toEqual([]);
});

it("each operation has a summary, a known error label, and known rights", () => {
  for (const { name, summary, failure, effect, access } of operations) {
    expect([summary.length > 0, isLabel(failure)], name).toEqual([true, true]);
    expect(["read", "trade", "admin"], name).toContain(effect);
    expect(["public", "token"], name).toContain(access);
  }
});
