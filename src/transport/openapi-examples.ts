/** Examples of each operation's request. */
import type { Operation } from "../operation.ts";

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

const QUOTES_EXAMPLE = { spread: 0.02, depth: 500, levels: 3, baseBudget: 0.01, quoteBudget: 1000 };

/** Example values for fields with another meaning, and optional fields that make an example realistic. */
const BY_OPERATION: Readonly<Record<string, Readonly<Record<string, unknown>>>> = {
  create_order: { price: 50_000 },
  get_order: { exchange: "bitget", id: "1000000007" },
  cancel_order: { exchange: "bitget", id: "1000000007" },
  start_grid: { useOwnBase: true },
  backtest_grid: {
    ...{ exchange: "kraken", symbol: "BTC/USDT" },
    ...{ lowerPrice: 57_000, upperPrice: 63_000, gridLevels: 10, orderSize: 50 },
  },
  preview_quote: QUOTES_EXAMPLE,
  backtest_quote: QUOTES_EXAMPLE,
  start_quote: QUOTES_EXAMPLE,
  edit_quote: { id: "quote-kraken-BTC-USDT-1767225600000", spread: 0.015 },
  preview_quote_edit: { id: "quote-kraken-BTC-USDT-1767225600000", spread: 0.015 },
  stop_quote: { id: "quote-kraken-BTC-USDT-1767225600000" },
  edit_grid: { upperPrice: 64_000 },
  preview_grid_edit: { upperPrice: 64_000 },
  get_dex_price: { symbol: "SNEK" },
  get_dex_pools: { symbol: "SNEK" },
  set_limits: { openOrders: 100 },
  create_token: { name: "dashboard", scope: "read" },
  revoke_token: { id: "tok_4f0c9a2b1d" },
  approve_plan: { id: "plan_4f0c" },
  refuse_plan: { id: "plan_4f0c" },
  put_keys: { key: "exchange-api-key", secret: "exchange-secret" },
  create_agreement: { total: "uptime=95", until: "2026-12-31" },
  edit_agreement: { until: "2027-06-30" },
  add_channel: { url: "https://hooks.example/edgemaker" },
};

/** Returns a field's example; undefined if it is better omitted. */
export const exampleOf = ({ name }: Operation, field: string): unknown =>
  BY_OPERATION[name]?.[field] ?? BY_FIELD[field];

/** Returns a body with the required fields and useful optional ones. */
export function exampleBody(
  operation: Operation,
  { inBody, required }: { readonly inBody: readonly string[]; readonly required: readonly string[] },
): Record<string, unknown> {
  const more = Object.keys(BY_OPERATION[operation.name] ?? {});
  const shown = inBody.filter((field) => required.includes(field) || more.includes(field));
  return Object.fromEntries(shown.map((field) => [field, exampleOf(operation, field)]));
}
