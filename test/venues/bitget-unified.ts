/**
 * Bitget's unified accounts, `/api/v3`: other paths, names, envelopes and codes over the same engine. Shapes are those of
 * bitget.js of ccxt 4.5.84 and of Bitget.Net's recorded answers; what the documents (bitget.com/api-doc/uta, read
 * 2026-11-21) say beyond them is named where it matters.
 */
import { type Decimal, text } from "../../src/kernel/decimal.ts";
import { lookedUp, refuse, success } from "./bitget-orders.ts";
import {
  create,
  fills,
  history,
  INVALID,
  listed,
  MISSING,
  open,
  orderOf,
  removed,
} from "./bitget-unified-orders.ts";
import type { Dialect, PrivateAsk, Reply } from "./dialect.ts";

const assetOf = ([coin, { total, used }]: [string, { total: Decimal; used: Decimal }]) => ({
  coin,
  equity: text(total),
  usdValue: "0",
  balance: text(total),
  available: text(total - used),
  debt: "0",
  locked: text(used),
});

const permissionsOf = ({ trade, withdraw }: PrivateAsk["member"]["keys"]["may"]) => [
  "uta_mgt",
  ...(trade ? ["uta_trade"] : []),
  ...(withdraw ? ["withdraw"] : []),
];

export const unified: Dialect["signed"] = {
  kind: (ask) =>
    success(ask, {
      uid: String(7_393_346_000 + ask.member.account.number),
      accountMode: "unified",
      assetMode: "multi_assets",
      accountLevel: "basic",
      holdMode: "one_way_mode",
      stpMode: "none",
      symbolConfigList: [],
    }),
  balance: (ask) =>
    success(ask, {
      accountEquity: "0",
      usdtEquity: "0",
      btcEquity: "0",
      effEquity: "0",
      assets: [...ask.member.account.holdings].map(assetOf),
    }),
  create,
  order: (ask) => {
    const { query } = ask.request;
    const found = lookedUp(ask, { orderId: query.get("orderId"), clientOid: query.get("clientOid") });
    return found ? success(ask, orderOf(found)) : MISSING;
  },
  open,
  closed: history,
  fills,
  cancel: removed,
  fee: (ask) => {
    const listing = listed(ask, undefined);
    if (!listing || ask.request.query.get("category") !== "SPOT") return INVALID;
    return success(ask, { makerFeeRate: text(listing.maker), takerFeeRate: text(listing.taker) });
  },
  permissions: (ask) => {
    const { may } = ask.member.keys;
    const id = String(7_393_346_000 + ask.member.account.number);
    return success(ask, {
      uid: id,
      inviterId: "0",
      parentId: "",
      channelCode: "",
      channel: "",
      ips: "",
      permType: may.trade ? "read-and-write" : "read-only",
      permissions: permissionsOf(may),
      regisTime: "1543915120000",
    });
  },
};

export const UNIFIED_ROUTES = {
  "GET /api/v3/account/settings": "kind",
  "GET /api/v3/account/assets": "balance",
  "POST /api/v3/trade/place-order": "create",
  "GET /api/v3/trade/order-info": "order",
  "GET /api/v3/trade/unfilled-orders": "open",
  "GET /api/v3/trade/history-orders": "closed",
  "GET /api/v3/trade/fills": "fills",
  "POST /api/v3/trade/cancel-order": "cancel",
  "GET /api/v3/account/fee-rate": "fee",
  "GET /api/v3/account/info": "permissions",
} as const;

/** Either account is refused the other's API, before its signature is looked at (ccxt#26838; passivbot#601). */
export function otherKind(path: string, isUnified: boolean): Reply | undefined {
  if (isUnified && path.startsWith("/api/v2/"))
    return refuse(
      "40085",
      "You are in Unified Account mode, and the Classic Account API is not supported at this time",
    );
  if (!isUnified && path.startsWith("/api/v3/"))
    return refuse(
      "40084",
      "You are in Classic Account mode, and the Unified Account API is not supported at this time",
    );
  return undefined;
}
