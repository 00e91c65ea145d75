import type { Comparison } from "./schema.ts";

/** Formats the prices as a table with the best bid and ask marked, and the result below it. */
export function comparisonView(answer: unknown) {
  const { symbol, prices, analysis, unlisted, failed = [], timestamp } = answer as Comparison;
  const { lowestAsk, highestBid, spread, spreadPercent } = analysis;
  return {
    symbol,
    timestamp,
    spread: `${toTenDigits(spread)} (${spreadPercent.toFixed(4)} %), ask of ${lowestAsk.exchange} to bid of ${highestBid.exchange}`,
    executable: executableText(symbol, analysis.executable),
    ...wholeText(symbol, analysis.executable),
    ...(unlisted.length > 0 ? { unlisted } : {}),
    ...(failed.length > 0 ? { failed: failed.map(({ exchange, error }) => `${exchange}: ${error}`) } : {}),
    prices: prices.map(({ exchange, price, bid, ask, spreadPercent: percent }) => ({
      exchange,
      price: toTenDigits(price),
      bid: toTenDigits(bid),
      ask: toTenDigits(ask),
      spreadPercent: Number(percent.toFixed(4)),
      best: [
        ...(bid === highestBid.price && exchange === highestBid.exchange ? ["bid"] : []),
        ...(ask === lowestAsk.price && exchange === lowestAsk.exchange ? ["ask"] : []),
      ].join(" and "),
    })),
  };
}

/** Describes the result of buying at one place and selling at another, after fees. */
export function netText(answer: unknown): string {
  const { symbol, analysis } = answer as Comparison;
  const { executable } = analysis;
  const whole = wholeText(symbol, executable).whole;
  return [
    `After fees, in the current order books: ${executableText(symbol, executable)}.`,
    ...(whole === undefined ? [] : [`The full amount: ${whole}.`]),
  ].join(" ");
}

/** Rounds a pool's price, which is a quotient with unlimited digits. */
const toTenDigits = (number: number): number => Number(number.toPrecision(10));

type ExecutableFound = Comparison["analysis"]["executable"];

const NO_TRADE_REASONS = {
  one_venue: "no: a second exchange is required",
  no_gain: "no: fees exceed the price difference",
  below_minimum: "no: the profitable amount is below the minimum order",
} as const;

function executableText(symbol: string, found: ExecutableFound): string {
  if (!found.opportunity) return NO_TRADE_REASONS[found.reason ?? "no_gain"];
  return tradeText(symbol, { ...found, buy: found.buy ?? "", sell: found.sell ?? "" });
}

const wholeText = (symbol: string, { whole }: ExecutableFound) =>
  whole === undefined
    ? {}
    : { whole: whole ? tradeText(symbol, whole) : "no two order books have this amount" };

function tradeText(
  symbol: string,
  { buy, sell, amount, net, netPercent, fees }: NonNullable<ExecutableFound["whole"]>,
) {
  const [base, quote] = symbol.split("/");
  return `${amount} ${base} from ${buy} to ${sell}: ${toTenDigits(net)} ${quote} (${netPercent.toFixed(4)} %) after fees of ${toTenDigits(fees)}`;
}
