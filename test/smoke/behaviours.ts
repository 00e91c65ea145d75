/** What each exchange is said to do, for a person to see whether it does; sources are in `docs/exchanges.md`. */

import { DAY, SECOND } from "../../src/kernel/time.ts";
import type { VenueName } from "../../src/model/market.ts";
import {
  ACCOUNT_KIND,
  type Asking,
  type Behaviour,
  feesOfBuys,
  fieldOf,
  NOT_SHOWN,
  type Row,
  rowsOf,
  yesOrNo,
} from "./requests.ts";

const mexcTrades = async ({ call, market, now }: Asking, days: number): Promise<readonly Row[]> =>
  rowsOf(await call("spotPrivateGetMyTrades", { symbol: market, startTime: now - days * DAY, limit: 100 }));

const mexc: readonly Behaviour[] = [
  {
    what: "a key's rights are told",
    async ask({ call }) {
      const result = await call("spotPrivateGetAccount");
      return `trade ${fieldOf(result, "canTrade")}, withdraw ${fieldOf(result, "canWithdraw")}`;
    },
  },
  {
    what: "my trades reach back 7 days",
    async ask(asking) {
      if ((await mexcTrades(asking, 8)).length > 0) return "no, further";
      return (await mexcTrades(asking, 6.9)).length > 0 ? "yes" : NOT_SHOWN;
    },
  },
  {
    what: "times of my trades are whole seconds",
    async ask(asking) {
      const times = (await mexcTrades(asking, 6.9)).map(({ time }) => Number(time));
      return yesOrNo(times.length === 0 ? undefined : times.every((time) => time % SECOND === 0));
    },
  },
  {
    what: "a buy's fee is taken in",
    async ask(asking) {
      const buys = (await mexcTrades(asking, 6.9)).filter(({ isBuyer }) => isBuyer === true);
      return feesOfBuys(
        buys.map(({ commissionAsset }) => commissionAsset),
        asking.symbol,
      );
    },
  },
  {
    what: "a filled order tells its fees",
    async ask({ call, market }) {
      const orders = rowsOf(await call("spotPrivateGetAllOrders", { symbol: market, limit: 100 }));
      const filled = orders.find(({ status }) => status === "FILLED");
      return yesOrNo(filled && Object.keys(filled).some((field) => /fee|commission/i.test(field)));
    },
  },
  {
    what: "open orders of all pairs in one call",
    ask: async ({ call }) =>
      call("spotPrivateGetOpenOrders").then(
        (result) => yesOrNo(Array.isArray(result)),
        () => "no",
      ),
  },
];

const gateTrades = async ({ call, market }: Asking, range: Row): Promise<readonly Row[]> =>
  rowsOf(await call("privateSpotGetMyTrades", { currency_pair: market, limit: 1000, ...range }));
const seconds = (at: number): number => Math.floor(at / SECOND);

const gateio: readonly Behaviour[] = [
  {
    // All keys of the main account are told, each by its beginning.
    what: "a key's rights are told",
    async ask({ call, client }) {
      const isOurs = ({ key }: Row) => client.apiKey.startsWith(String(key).replace(/\*+$/, ""));
      const keys = rowsOf(await call("privateAccountGetMainKeys")).filter(isOurs);
      const perms = keys.flatMap(({ perms: one }) => rowsOf(one));
      const lines = perms.map(({ name, read_only }) => `${name}${read_only === true ? " (reads)" : ""}`);
      return lines.length === 0 ? NOT_SHOWN : lines.join(", ");
    },
  },
  ACCOUNT_KIND,
  {
    what: "the account's tier of fees",
    async ask({ call }) {
      const tier = fieldOf(await call("privateAccountGetDetail"), "tier");
      return tier === undefined ? NOT_SHOWN : String(tier);
    },
  },
  {
    what: "my trades from a start alone reach 7 days",
    async ask(asking) {
      const from = asking.now - 29 * DAY;
      const isLater = ({ create_time }: Row) => Number(create_time) * SECOND > from + 7 * DAY;
      if ((await gateTrades(asking, { from: seconds(from) })).some(isLater)) return "no, further";
      const later = await gateTrades(asking, { from: seconds(from + 8 * DAY), to: seconds(asking.now) });
      return later.length > 0 ? "yes" : NOT_SHOWN;
    },
  },
  {
    what: "a range of more than 30 days is refused",
    ask: (asking) =>
      gateTrades(asking, { from: seconds(asking.now - 40 * DAY), to: seconds(asking.now) }).then(
        () => "no",
        (error: unknown) => (String(error).includes("INVALID_PARAM_VALUE") ? "yes" : Promise.reject(error)),
      ),
  },
  {
    what: "a buy's fee is taken in",
    async ask(asking) {
      const buys = (await gateTrades(asking, {})).filter(({ side }) => side === "buy");
      return feesOfBuys(
        buys.map(({ fee_currency }) => fee_currency),
        asking.symbol,
      );
    },
  },
  {
    what: "an ended order is found by its text",
    async ask({ call, market }) {
      const ended = rowsOf(await call("privateSpotGetOrders", { currency_pair: market, status: "finished" }));
      const text = ended.map((order) => String(order.text)).find((one) => one.startsWith("t-"));
      if (text === undefined) return NOT_SHOWN;
      return call("privateSpotGetOrdersOrderId", { order_id: text, currency_pair: market }).then(
        () => "yes",
        () => "no",
      );
    },
  },
];

const bitget: readonly Behaviour[] = [
  ACCOUNT_KIND,
  {
    what: "a key's rights are told",
    async ask({ call }) {
      const result = fieldOf(fieldOf(await call("privateSpotGetV2SpotAccountInfo"), "data"), "authorities");
      return Array.isArray(result) ? result.join(", ") : NOT_SHOWN;
    },
  },
  {
    what: "trades older than 90 days are an error (43111)",
    ask: ({ call, market, now }) =>
      call("privateSpotGetV2SpotTradeFills", { symbol: market, startTime: now - 91 * DAY }).then(
        () => "no",
        (error: unknown) => (String(error).includes("43111") ? "yes" : Promise.reject(error)),
      ),
  },
  {
    what: "a buy's fee is taken in",
    async ask({ call, market, symbol }) {
      const results = rowsOf(
        fieldOf(await call("privateSpotGetV2SpotTradeFills", { symbol: market }), "data"),
      );
      const buys = results.filter(({ side }) => side === "buy");
      return feesOfBuys(
        buys.map(({ feeDetail }) => fieldOf(feeDetail, "feeCoin")),
        symbol,
      );
    },
  },
];

/** Asked for once: it counts twice. */
const krakenHistory = new WeakMap<Asking, Promise<unknown>>();

async function krakenTrades(asking: Asking): Promise<[string, Row][]> {
  const result = krakenHistory.get(asking) ?? asking.call("privatePostTradesHistory");
  krakenHistory.set(asking, result);
  const trades = fieldOf(fieldOf(await result, "result"), "trades") ?? {};
  return Object.entries(trades as Record<string, Row>);
}

const kraken: readonly Behaviour[] = [
  {
    what: "a key's rights are told",
    async ask({ call }) {
      const result = fieldOf(fieldOf(await call("privatePostGetApiKeyInfo"), "result"), "permissions");
      return Array.isArray(result) ? result.join(", ") : NOT_SHOWN;
    },
  },
  {
    what: "the account's tier of calls",
    ask: async () => "not told by the exchange; EDGEMAKER_TIERS says it to us",
  },
  {
    what: "balances that earn rewards or are locked",
    async ask({ call }) {
      const lines = Object.keys((fieldOf(await call("privatePostBalanceEx"), "result") ?? {}) as Row);
      const named = lines.filter((asset) => asset.includes("."));
      return named.length === 0 ? NOT_SHOWN : named.join(", ");
    },
  },
  {
    what: "open orders of all pairs in one call",
    async ask({ call }) {
      const open = fieldOf(fieldOf(await call("privatePostOpenOrders"), "result"), "open") ?? {};
      const pairs = new Set(
        Object.values(open as Record<string, Row>).map(({ descr }) => fieldOf(descr, "pair")),
      );
      return pairs.size > 1 ? `yes, ${pairs.size} pairs` : NOT_SHOWN;
    },
  },
  {
    what: "several trades in one QueryTrades",
    async ask(asking) {
      const ids = (await krakenTrades(asking)).slice(0, 2).map(([id]) => id);
      if (ids.length < 2) return NOT_SHOWN;
      const result = fieldOf(await asking.call("privatePostQueryTrades", { txid: ids.join(",") }), "result");
      return yesOrNo(ids.every((id) => fieldOf(result, id) !== undefined));
    },
  },
  {
    what: "several orders in one QueryOrders",
    async ask(asking) {
      const trades = await krakenTrades(asking);
      const ids = [...new Set(trades.map(([, { ordertxid }]) => String(ordertxid)))].slice(0, 2);
      if (ids.length < 2) return NOT_SHOWN;
      const result = fieldOf(await asking.call("privatePostQueryOrders", { txid: ids.join(",") }), "result");
      return yesOrNo(ids.every((id) => fieldOf(result, id) !== undefined));
    },
  },
  {
    what: "executions whose cost is told as nothing",
    async ask(asking) {
      const trades = await krakenTrades(asking);
      const dust = trades.filter(([, { cost }]) => Number(cost) === 0);
      return dust.length > 0 ? `yes, ${dust.length} of ${trades.length}` : NOT_SHOWN;
    },
  },
  {
    what: "an execution names our client id",
    async ask(asking) {
      const [first] = await krakenTrades(asking);
      return yesOrNo(first && first[1].cl_ord_id !== undefined);
    },
  },
];

export const BEHAVIOURS: Record<VenueName, readonly Behaviour[]> = { mexc, gateio, bitget, kraken };
