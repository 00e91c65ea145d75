import { csv } from "../../kernel/csv.ts";
import { AppError } from "../../kernel/errors.ts";
import { dayOf } from "../../kernel/time.ts";
import type { LiquidityPromise, Preset, PromiseRequest, WatchedPair } from "../../model/samples/promise.ts";
import { type Operation, operation } from "../../operation.ts";
import { COST_COLUMNS, costShown, formatCost } from "../cost.ts";
import { liquidityPage } from "../page.tsx";
import { type LiquidityAnswer, LiquidityShape, liquidityInput } from "../schema.ts";
import type { LiquidityDeps } from "../store/store.ts";
import { costToTradeShown, ORDER_COST_COLUMNS } from "../trade-cost.ts";
import { readCosts } from "./cost.ts";
import { promisedPairs } from "./in-force.ts";
import { reportOfPair, requestedDays } from "./pair-report.ts";

export const liquidityOperation = (ids: readonly string[]): Operation =>
  operation({
    name: "get_liquidity_report",
    summary: "Show what your orders and the market offered, compared with an agreement",
    effect: "read",
    access: "token",
    lane: "heavy",
    http: { route: "GET /liquidity/report", from: "query" },
    cli: {
      path: "liquidity report",
      view: reportView,
      columns: [
        ...["day", "known", "upPercent", "ownTwoSidedPercent", "ownSpreadPercent", "spreadPercent"],
        ...["ownBidsWithin2", "ownAsksWithin2", "bidsWithin2", "asksWithin2"],
        ...["whose", "depthOf", "within05", "within1", "within2"],
        ...COST_COLUMNS,
        ...ORDER_COST_COLUMNS,
        ...["rule", "state", "value", "limit", "unit", "from", "minutes", "what", "cause", "reason"],
      ],
      examples: [
        "edgemaker liquidity report --exchange mexc --symbol SNEK/USDT --from 2026-01-01 --to 2026-01-31",
        "edgemaker liquidity report --exchange mexc --symbol SNEK/USDT --preset agreement --spread 2 --depth 500",
        "edgemaker liquidity report --exchange mexc --symbol SNEK/USDT --cost false --format html > report.html",
      ],
    },
    mcp: { defaults: { details: false } },
    failure: "Internal error",
    input: () => liquidityInput(ids),
    output: LiquidityShape,
    html: liquidityPage,
    csv: (answer) => {
      const { days } = answer as LiquidityAnswer;
      const columns = Object.keys(
        LiquidityShape().shape.days.element.shape,
      ) as (keyof (typeof days)[number])[];
      return csv(
        columns,
        days.map((row) => columns.map((name) => row[name])),
      );
    },
    async run(
      deps: LiquidityDeps,
      { exchange, symbol, maker = null, preset, band, cost, details, ...request },
      call,
    ) {
      const { liquidity, store } = deps;
      const pair = { exchange, symbol };
      if (!liquidity) throw nobodyWatches(pair);
      const now = await store.now();
      const days = requestedDays(request, now);
      const ofPair = (await promisedPairs(deps, dayOf(now))).filter(
        (promisedPair) => promisedPair.exchange === exchange && promisedPair.symbol === symbol,
      );
      const watched = ofPair.find(({ promise: rules }) => rules) ?? ofPair[0];
      const bands = { "0.5": 0, "1": 1, "2": 2 } as const;
      const limits = { ...request, band: band === undefined ? undefined : bands[band] };
      const promise = promiseOf(watched?.promise, preset, limits);
      const { answer } = await reportOfPair({ ...deps, liquidity }, pair, {
        ...{ days, now, promise, maker },
        details,
      });
      if (answer.known === 0 && !watched) throw nobodyWatches(pair);
      if (!cost) return answer;
      const [ofMarket] = await readCosts(deps, [pair], days, call);
      return { ...answer, cost: ofMarket ? formatCost(ofMarket) : null };
    },
  });

/** Returns the requested terms, with the settings' agreement as default. */
function promiseOf(
  promised: LiquidityPromise | undefined,
  preset: Preset | undefined,
  given: PromiseRequest,
): LiquidityPromise | undefined {
  const name = preset ?? promised?.preset;
  if (name === undefined) return undefined;
  const { spread, depth, band, levels, uptime } = promised?.preset === name ? promised.request : {};
  const request = {
    spread: given.spread ?? spread,
    depth: given.depth ?? depth,
    band: given.band ?? band,
    levels: given.levels ?? levels,
    uptime: given.uptime ?? uptime,
  };
  return { preset: name, request };
}

const nobodyWatches = ({ exchange, symbol }: WatchedPair): AppError =>
  new AppError(
    "Not found",
    `${symbol} on ${exchange} is not sampled; add it to EDGEMAKER_LIQUIDITY, as ${exchange}:${symbol}, or create an agreement for it`,
  );

/** Rounds to four decimals, more than any agreement uses. */
const toFourDigits = (value: number): number => Number(value.toFixed(4));

/** Formats the report for people: depths as a table, without rules that were not requested and days without data. */
function reportView(answer: unknown) {
  const {
    own,
    market,
    preset,
    findings,
    terms,
    verdict,
    cost,
    hours: _hours,
    costToTrade,
    samples: _samples,
    ...named
  } = answer as LiquidityAnswer;
  const { maker: _maker, madeAt: _madeAt, ...result } = named;
  const { gaps, days, hash, ...counts } = result;
  const line = ({ spreadPercent, twoSidedPercent }: typeof own) =>
    twoSidedPercent === null
      ? "unknown: no minute of the period has a sample"
      : `both sides ${toFourDigits(twoSidedPercent)} % of the known time, ${spreadPercent === null ? "no spread" : `${toFourDigits(spreadPercent)} % apart on average`}`;
  const depths = Object.entries({ own, market }).flatMap(([whose, { depth }]) =>
    (["bids", "asks"] as const).flatMap((side) =>
      depth
        ? [
            {
              whose,
              depthOf: side,
              within05: toFourDigits(depth[side]["0.5"]),
              within1: toFourDigits(depth[side]["1"]),
              within2: toFourDigits(depth[side]["2"]),
            },
          ]
        : [],
    ),
  );
  return {
    ...counts,
    own: line(own),
    market: line(market),
    hash,
    ...(preset === null ? {} : { preset, terms: terms.join("; "), verdict, findings }),
    ...(depths.length === 0 ? {} : { depths }),
    ...(cost === undefined
      ? {}
      : { cost: cost ? [costShown(cost)] : "unknown: no strategy has a daily figure" }),
    ...(gaps.length === 0 ? {} : { gaps }),
    costToTrade: costToTradeShown(costToTrade),
    days: days.filter(({ known }) => known > 0),
  };
}
