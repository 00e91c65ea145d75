/** What only quotes have: the order book with their orders, price sources, inventory, and what they offer over the day. */

import { pluralize } from "../../kernel/plain-text.ts";
import { TwoLines } from "../chart/two-lines.tsx";
import { amount, type Digits, inPercent, money, number, pairOf } from "../format.ts";
import { BookLadder } from "../ladder.tsx";
import { useLoad } from "../live.ts";
import { EVERY_MINUTE, Promised } from "../markets/watched-pairs.tsx";
import type { BookAnswer, ComparisonAnswer, LiquidityReportView, Quoted, WatchedPairs } from "../types.ts";
import { Ago, Section, Shown } from "../ui.tsx";

const LADDER_INTERVAL_MS = 10_000;
const PRICES_INTERVAL_MS = 60_000;

interface QuoteProps {
  readonly quotes: Quoted;
  readonly digits: Digits;
}

export function QuoteOverview({ quotes, digits }: QuoteProps) {
  const { exchange, symbol, orders } = quotes;
  const book = useLoad<BookAnswer>(
    "GET /orderbook",
    { exchange, symbol, limit: 10 },
    { every: LADDER_INTERVAL_MS },
  );
  return (
    <>
      <div class="halves">
        <Section title="Order book">
          <Shown of={book} rows={12}>
            {(data) => <BookLadder book={data} digits={digits} own={orders} />}
          </Shown>
        </Section>
        <div>
          <Section title="Reference price">
            <PriceSources quotes={quotes} digits={digits} book={book.data} />
          </Section>
          <Section title="Inventory">
            <InventoryBar quotes={quotes} />
            <p>{leanText(quotes, digits)}</p>
          </Section>
        </div>
      </div>
      <OfferedToday quotes={quotes} />
    </>
  );
}

const SOURCE_NAMES: Readonly<Record<string, string>> = {
  own: "own book",
  dex: "DEX pools",
  fixed: "fixed price",
};

/** The reference price, and each source as a chip: its price and age, and whether it counts. */
function PriceSources({ quotes, digits, book }: QuoteProps & { book: BookAnswer | undefined }) {
  const { sources, reference, symbol, exchange } = quotes;
  const config = quotes.startAgain.config as Readonly<Record<string, unknown>>;
  const hasOthers = sources.some(({ source }) => SOURCE_NAMES[source] === undefined);
  const others = useLoad<ComparisonAnswer>(
    hasOthers ? "GET /price/compare" : undefined,
    { symbol, partial: true },
    { every: PRICES_INTERVAL_MS },
  );
  const priceOf = (source: string): { price: number; timestamp?: number } | undefined => {
    if (source === "fixed") return { price: Number(config.fixedPrice) };
    if (source === "own") return book && { price: book.midPrice, timestamp: book.timestamp };
    return others.data?.prices.find((one) => one.exchange === source);
  };
  const counted = sources.filter((one) => one.counted).length;
  return (
    <>
      <p>
        <b class="number">{reference === null ? "No price" : number(reference, digits)}</b>:{" "}
        {reference === null
          ? "nothing is quoted until a source counts"
          : `the median of ${counted} of ${pluralize(sources.length, "source")}`}
      </p>
      <ul class="chips" aria-label="Price sources">
        {sources.map(({ source, counted: counts, because }) => {
          const known = priceOf(source);
          return (
            <li key={source} class={counts ? "up" : "warn"}>
              <b>{SOURCE_NAMES[source] ?? source}</b>{" "}
              {known ? <span class="number">{number(known.price, digits)}</span> : null}
              <small>
                {known?.timestamp === undefined ? null : (
                  <>
                    <Ago at={known.timestamp} />,{" "}
                  </>
                )}
                {counts
                  ? "counts"
                  : `does not count: ${because ?? (source === "own" ? exchange : "no price")}`}
              </small>
            </li>
          );
        })}
      </ul>
    </>
  );
}

/** Returns the base of quotes with its bounds and target; undefined without a price. */
function inventoryOf({ position, price, capital, totalProfit, startAgain }: Quoted) {
  if (price === null || Number(price) <= 0) return undefined;
  const { minBase, maxBase, target, gamma } = startAgain.config as Readonly<
    Record<string, number | undefined>
  >;
  const whole = (Number(capital) + Number(totalProfit ?? 0)) / Number(price);
  const least = minBase ?? 0;
  return {
    base: Number(position),
    least,
    most: Math.max(maxBase ?? whole, least + 1e-12),
    // The model has no target.
    target: gamma === undefined ? whole * (target ?? DEFAULT_TARGET) : undefined,
  };
}

const DEFAULT_TARGET = 0.5;

/** The base between its bounds, with a mark at the target. */
function InventoryBar({ quotes }: { quotes: Quoted }) {
  const inventory = inventoryOf(quotes);
  const { base } = pairOf(quotes.symbol);
  if (!inventory) return <p class="empty">There is no price yet.</p>;
  const { base: now, least, most, target } = inventory;
  const x = (value: number) => Math.min(98, Math.max(0, (98 * (value - least)) / (most - least)));
  const targetText = target === undefined ? "" : `, target ${number(target)}`;
  return (
    <div class={now < least || now > most ? "range wide warn" : "range wide"}>
      <b class="number">
        {amount(quotes.position)} {base}
      </b>
      {targetText}
      <svg
        viewBox="0 0 100 6"
        preserveAspectRatio="none"
        role="img"
        aria-label={`${number(now)} ${base} between ${number(least)} and ${number(most)}${targetText}`}
      >
        <rect width="100" height="6" />
        <rect class="held" width={x(now).toFixed(1)} height="6" />
        {target === undefined ? null : <rect class="price" x={x(target).toFixed(1)} width="1" height="6" />}
      </svg>
      <small>
        <span>{number(least)}</span>
        <span>{number(most)}</span>
      </small>
    </div>
  );
}

/** Describes where the quotes stand around the reference price, and why. */
function leanText(
  { orders, reference, halfSpreadPercent, widenedBy, ...quotes }: Quoted,
  digits: Digits,
): string {
  const pricesOf = (side: "buy" | "sell") =>
    orders.filter((order) => order.side === side).map(({ price }) => Number(price));
  const [bids, asks] = [pricesOf("buy"), pricesOf("sell")];
  if (reference === null || halfSpreadPercent === null)
    return "There is no reference price, so nothing is quoted.";
  const half = `Half-spread ${inPercent(halfSpreadPercent, 3)}${
    widenedBy === null || widenedBy === "asked" ? "" : `, widened by ${widenedBy}`
  }.`;
  if (bids.length === 0 || asks.length === 0) return half;
  const middle = (Math.max(...bids) + Math.min(...asks)) / 2;
  const skew = (100 * (middle - Number(reference))) / Number(reference);
  if (Math.abs(skew) < 0.005) return `${half} The middle of the quotes is at the reference price.`;
  const inventory = inventoryOf({ orders, reference, halfSpreadPercent, widenedBy, ...quotes });
  const isShort = inventory?.target !== undefined && inventory.base < inventory.target;
  const why =
    inventory?.target === undefined
      ? ""
      : `, because the inventory is ${isShort ? "below" : "above"} its target`;
  return `${half} The middle of the quotes is ${number(middle, digits)}, ${inPercent(Math.abs(skew), 3)} ${skew > 0 ? "above" : "below"} the reference price${why}.`;
}

const HOUR_MS = 3_600_000;

/** Spread and depth by hour with the requested or promised line, if the pair is sampled. */
function OfferedToday({ quotes: { exchange, symbol, spreadPercent } }: { quotes: Quoted }) {
  const { data: watched } = useLoad<WatchedPairs>("GET /liquidity/pairs", {}, EVERY_MINUTE);
  const day = watched?.day;
  const isSampled = watched?.pairs.some((pair) => pair.exchange === exchange && pair.symbol === symbol);
  const report = useLoad<LiquidityReportView>(
    isSampled ? "GET /liquidity/report" : undefined,
    { exchange, symbol, from: day, to: day, cost: "false" },
    EVERY_MINUTE,
  );
  const { quote } = pairOf(symbol);
  const market = report.data?.markets[0];
  const hours = market?.hours;
  if (!hours)
    return isSampled === false ? (
      <p class="quiet">
        Spread and depth over the day appear here if this pair is sampled: create an agreement on the page
        Liquidity.
      </p>
    ) : null;
  const depth = market.findings.find(({ unit, limit }) => unit === "quote" && limit !== null)?.limit;
  const thinner = hours.ownBidsWithin2.map((bids, hour) => {
    const asks = hours.ownAsksWithin2[hour];
    return bids === null || asks == null ? null : Math.min(Number(bids), Number(asks));
  });
  const chart = (
    name: string,
    values: readonly (number | null)[],
    /** What the values should reach, such as "promised", and its value; without one, they stand alone. */
    goal: readonly [word: string, value: number | null | undefined],
    text: (value: number) => string,
  ) => {
    const limit = goal[1] ?? undefined;
    const words = limit === undefined ? "" : `, ${goal[0]} ${text(limit)}`;
    const points = values.flatMap((own, hour) =>
      own === null ? [] : [{ timestamp: hours.from + hour * HOUR_MS, own, buyAndHold: limit }],
    );
    const last = points.at(-1);
    if (!last) return null;
    return (
      <TwoLines
        points={points.length > 1 ? points : [last, { ...last, timestamp: last.timestamp + HOUR_MS }]}
        label={`${name}, now ${text(last.own)}${words}`}
        caption={`${name} by hour, now ${text(last.own)}${words && ` (solid)${words} (dashed)`}`}
      />
    );
  };
  return (
    <Section title="Offered today">
      <div class="halves">
        {chart("Spread", hours.ownSpreadPercent, ["requested", spreadPercent], (value) =>
          inPercent(value, 2),
        )}
        {chart(
          "Depth of the thinner side",
          thinner,
          ["promised", depth],
          (value) => `${money(value)} ${quote}`,
        )}
      </div>
      {market.findings.length === 0 ? null : <Promised report={market} />}
    </Section>
  );
}
