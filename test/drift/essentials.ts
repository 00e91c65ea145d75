/** Fields without which something cannot work, and what happens then; `docs/exchanges.md` prints them. */

import type { VenueName } from "../../src/model/market.ts";
import type { Kind, Mutation, Path } from "./mutate.ts";

/** An exchange, and the kind of its account. */
export interface Edition {
  readonly exchange: VenueName;
  readonly unified: boolean;
}

export const EDITIONS: readonly Edition[] = [
  { exchange: "kraken", unified: false },
  { exchange: "gateio", unified: false },
  { exchange: "gateio", unified: true },
  { exchange: "bitget", unified: false },
  { exchange: "bitget", unified: true },
  { exchange: "mexc", unified: false },
];

export const editionName = ({ exchange, unified }: Edition): string =>
  unified ? `${exchange}-unified` : exchange;

/** In which part of the run something went wrong. */
export const EFFECTS = ["start", "act", "exit", "show", "book", "twice"] as const;
export type Effect = (typeof EFFECTS)[number];

export interface Finding {
  readonly what: Effect;
  readonly text: string;
}

interface Essential {
  readonly editions: readonly string[];
  readonly call: string;
  /** Names of fields after those of the objects in which they are; `*` is any row. */
  readonly fields: readonly string[];
  readonly effects: readonly Effect[];
  readonly without: string;
  /** The only change that has these effects; absent if each has. */
  readonly kind?: Kind;
}

const PRICE = "strategies on the pair wait, and their stop prices are not checked";
const RULES = "a start on the pair is refused";
const CLOSED = "the pair counts as closed";
const ORDERS = "strategies on the pair wait, and no order is placed";
const FUNDS = "starts and orders that need the asset wait";
const BOOK = "quotes and own strategies on the pair wait";
const FILL = "the fill is booked from its order's totals after ten minutes; a stop waits for it";
const UNCLEAR = "the order is looked up, and never sent again";

const STOP = "without this field, no order is shown as a stop order";

const WAITS: readonly Effect[] = ["start", "act", "exit", "show"];

const essentials = (
  editions: string,
  rows: readonly (readonly [call: string, fields: string, without: string])[],
) =>
  rows.map(
    ([call, fields, without]): Essential => ({
      editions: editions.split(" "),
      call,
      fields: fields.split(" "),
      effects: WAITS,
      without,
    }),
  );

const FREE_OF_FEES = "a fee of 0 is booked as 0";
const noFee = (editions: string, fields: string): Essential => ({
  editions: editions.split(" "),
  call: "fills",
  fields: fields.split(" "),
  effects: ["book"],
  without: FREE_OF_FEES,
  kind: "zero",
});

export const ESSENTIALS: readonly Essential[] = [
  ...essentials("kraken", [
    [
      "markets",
      "error result.*.altname result.*.base result.*.quote result.*.lot_decimals result.*.pair_decimals result.*.tick_size result.*.fees.*.0 result.*.fees.*.1 result.*.fees_maker.*.0 result.*.fees_maker.*.1 result.*.ordermin result.*.costmin",
      RULES,
    ],
    ["markets", "result.*.status", CLOSED],
    ["ticker", "error result.*.a.0 result.*.b.0 result.*.c.0 result.*.v.1", PRICE],
    ["balance", "error result.*.balance result.*.hold_trade", FUNDS],
    [
      "open",
      "error result.open.*.cl_ord_id result.open.*.status result.open.*.descr.pair result.open.*.descr.type result.open.*.descr.ordertype result.open.*.descr.price result.open.*.vol result.open.*.vol_exec result.open.*.cost result.open.*.fee",
      ORDERS,
    ],
    [
      "fills",
      "error result.trades.*.ordertxid result.trades.*.pair result.trades.*.time result.trades.*.type result.trades.*.price result.trades.*.cost result.trades.*.fee result.trades.*.vol",
      FILL,
    ],
    ["book", "error result.*.asks.*.0 result.*.asks.*.1 result.*.bids.*.0 result.*.bids.*.1", BOOK],
    ["currencies", "result.*.decimals", RULES],
    [
      "order",
      "error result.*.cl_ord_id result.*.status result.*.descr.pair result.*.descr.type result.*.descr.ordertype result.*.descr.price result.*.vol result.*.vol_exec result.*.cost result.*.fee",
      ORDERS,
    ],
    ["create", "error result.txid.0", UNCLEAR],
    ["cancel", "error result.count", UNCLEAR],
  ]),
  ...essentials("gateio gateio-unified", [
    ["markets", "*.id *.amount_precision *.precision *.fee *.min_base_amount *.min_quote_amount", RULES],
    ["markets", "*.trade_status", CLOSED],
    ["kind", "mode", "the account type is unknown, and edgemaker makes no call on the account"],
    ["ticker", "*.last *.lowest_ask *.highest_bid *.base_volume *.quote_volume", PRICE],
    ["balance", "*.currency *.available *.locked mode balances.*.available balances.*.freeze", FUNDS],
    [
      "open",
      "*.currency_pair *.orders.*.id *.orders.*.text *.orders.*.status *.orders.*.currency_pair *.orders.*.type *.orders.*.side *.orders.*.amount *.orders.*.price *.orders.*.filled_amount *.orders.*.filled_total *.orders.*.fee *.orders.*.fee_currency",
      ORDERS,
    ],
    [
      "fills",
      "*.id *.currency_pair *.create_time_ms *.side *.amount *.price *.order_id *.fee *.fee_currency *.gt_fee *.point_fee",
      FILL,
    ],
    ["book", "asks.*.0 asks.*.1 bids.*.0 bids.*.1", BOOK],
    [
      "order",
      "id text status currency_pair type side amount price filled_amount filled_total fee fee_currency finish_as",
      ORDERS,
    ],
    ["create", "id", UNCLEAR],
    ["cancel", "id status", UNCLEAR],
  ]),
  ...essentials("bitget bitget-unified", [
    [
      "markets",
      "code data.*.symbol data.*.baseCoin data.*.quoteCoin data.*.pricePrecision data.*.quantityPrecision data.*.makerFeeRate data.*.takerFeeRate data.*.minTradeAmount data.*.minTradeUSDT",
      RULES,
    ],
    ["markets", "data.*.status", CLOSED],
    ["kind", "code", "the account type is unknown, and edgemaker makes no call on the account"],
    ["ticker", "code data.*.lastPr data.*.bidPr data.*.askPr data.*.baseVolume data.*.quoteVolume", PRICE],
    [
      "balance",
      "code data.*.coin data.*.available data.*.frozen data.*.locked data.assets.*.coin data.assets.*.available data.assets.*.frozen data.assets.*.locked data.assets.*.balance",
      FUNDS,
    ],
    [
      "open",
      "code data.*.orderId data.*.clientOid data.*.symbol data.*.side data.*.orderType data.*.price data.*.priceAvg data.*.size data.*.status data.*.baseVolume data.*.quoteVolume data.list.*.orderId data.list.*.clientOid data.list.*.symbol data.list.*.category data.list.*.side data.list.*.orderType data.list.*.price data.list.*.qty data.list.*.orderStatus data.list.*.cumExecQty data.list.*.cumExecValue",
      ORDERS,
    ],
    [
      "fills",
      "code data.*.tradeId data.*.orderId data.*.symbol data.*.side data.*.priceAvg data.*.size data.*.amount data.*.cTime data.*.feeDetail.feeCoin data.*.feeDetail.totalFee data.list.*.execId data.list.*.orderId data.list.*.symbol data.list.*.category data.list.*.side data.list.*.execPrice data.list.*.execQty data.list.*.execValue data.list.*.createdTime data.list.*.feeDetail.*.feeCoin data.list.*.feeDetail.*.fee",
      FILL,
    ],
    ["book", "code data.asks.*.0 data.asks.*.1 data.bids.*.0 data.bids.*.1", BOOK],
    [
      "order",
      "code data.*.orderId data.*.clientOid data.*.symbol data.*.side data.*.orderType data.*.price data.*.priceAvg data.*.size data.*.status data.*.baseVolume data.*.quoteVolume data.*.feeDetail data.orderId data.clientOid data.symbol data.category data.side data.orderType data.price data.qty data.orderStatus data.cumExecQty data.cumExecValue data.feeDetail.*.feeCoin data.feeDetail.*.fee",
      ORDERS,
    ],
    ["open", "data.*.triggerPrice", STOP],
    ["order", "data.*.triggerPrice", STOP],
    ["create", "code data.orderId", UNCLEAR],
    ["cancel", "code", UNCLEAR],
  ]),
  ...essentials("mexc", [
    [
      "markets",
      "symbols.*.symbol symbols.*.baseAsset symbols.*.quoteAsset symbols.*.baseAssetPrecision symbols.*.quotePrecision symbols.*.quoteAssetPrecision symbols.*.baseSizePrecision symbols.*.quoteAmountPrecision symbols.*.makerCommission symbols.*.takerCommission",
      RULES,
    ],
    ["markets", "symbols.*.status symbols.*.isSpotTradingAllowed", CLOSED],
    ["ticker", "lastPrice bidPrice askPrice volume quoteVolume", PRICE],
    ["balance", "balances.*.asset balances.*.free balances.*.locked", FUNDS],
    [
      "open",
      "*.symbol *.orderId *.clientOrderId *.price *.origQty *.executedQty *.cummulativeQuoteQty *.status *.type *.side",
      ORDERS,
    ],
    [
      "fills",
      "*.symbol *.id *.orderId *.price *.qty *.quoteQty *.commission *.commissionAsset *.time *.isBuyer",
      FILL,
    ],
    ["book", "asks.*.0 asks.*.1 bids.*.0 bids.*.1", BOOK],
    [
      "order",
      "symbol orderId clientOrderId price origQty executedQty cummulativeQuoteQty status type side",
      ORDERS,
    ],
    ["open", "*.stopPrice", STOP],
    ["order", "stopPrice", STOP],
    ["create", "orderId", UNCLEAR],
    ["cancel", "orderId", UNCLEAR],
  ]),
  noFee("kraken", "result.trades.*.fee"),
  noFee("gateio gateio-unified", "*.fee"),
  noFee("bitget bitget-unified", "data.*.feeDetail.totalFee data.list.*.feeDetail.*.fee"),
  noFee("mexc", "*.commission"),
];

/** Returns whether the list says that a change of this field can have this effect. */
export const isEssential = (
  edition: Edition,
  { call, path, kind }: Pick<Mutation, "call" | "path"> & Partial<Pick<Mutation, "kind">>,
  { what }: Pick<Finding, "what">,
): boolean =>
  ESSENTIALS.some(
    (one) =>
      one.call === call &&
      (one.kind === undefined || one.kind === kind) &&
      one.effects.includes(what) &&
      one.editions.includes(editionName(edition)) &&
      one.fields.some((name) => isPartOf(name, fieldName(path))),
  );

/** A row of a table is one, whichever it is. */
const fieldName = (path: Path): string => path.map((key) => (key === "$" ? "*" : key)).join(".");

/** What contains a field is as essential. */
const isPartOf = (name: string, field: string): boolean =>
  field === "" || name === field || name.startsWith(`${field}.`);

/** Names of the calls for readers. */
const CALLS: Readonly<Record<string, string>> = {
  markets: "list of markets",
  currencies: "list of assets",
  kind: "account type",
  ticker: "ticker",
  balance: "balances",
  open: "open orders",
  fills: "own trades",
  book: "order book",
  order: "one order",
  create: "new order",
  cancel: "cancel",
};

/** Returns the section of `docs/exchanges.md`. */
export function essentialsText(): string {
  const editions = [...new Set(ESSENTIALS.map(({ editions }) => editions.join(" ")))];
  const tables = editions.map((names) => {
    const rows = ESSENTIALS.filter(({ editions }) => editions.join(" ") === names).map(
      ({ call, fields, without }) =>
        `| ${CALLS[call] ?? call} | ${fields.map((field) => `\`${field}\``).join(" ")} | ${without} |`,
    );
    return [
      `### Fields of ${names.replace("gateio gateio-unified", "gateio").replace("bitget bitget-unified", "bitget")}`,
      "| call | fields | effect if missing or wrong |",
      "|---|---|---|",
      ...rows,
    ].join("\n");
  });
  return tables.join("\n\n");
}
