import * as z from "zod";
import { AppError } from "../../kernel/errors.ts";
import { convertedField, decimalField, flagField, MOST_AMOUNT, pairField } from "../../kernel/fields.ts";
import { type Operation, operation } from "../../operation.ts";
import { marketNow } from "../../ports/market-now.ts";
import { analysisOut, ComparisonShape, pricesOut } from "../schema.ts";
import { comparisonView, netText } from "../view.ts";
import { allPlaces, readChain, readVenue } from "./reading.ts";

/** Parses comma-separated ids, ignoring spaces; a repeated one counts once. */
const exchangesField = (ids: readonly string[]) => {
  const error = `Invalid exchange: each must be one of ${ids.join(", ")}`;
  return convertedField(z.string({ error }), error, (text): readonly string[] | undefined => {
    const requests = [...new Set(text.split(",").map((id) => id.trim()))];
    return requests.every((id) => ids.includes(id)) ? requests : undefined;
  })
    .optional()
    .describe(`Exchange ids with commas between them (default all): ${ids.join(",")}`);
};

/** Operations that compare prices of one pair. */
export const compareOperations = (ids: readonly string[]): Operation[] => [
  operation({
    name: "compare_prices",
    summary: "Compare a pair's prices on all exchanges, after fees",
    effect: "read",
    access: "public",
    knowsCaller: true,
    http: { route: "GET /price/compare", from: "query" },
    cli: {
      path: "compare",
      positional: ["symbol"],
      watch: true,
      view: comparisonView,
      examples: ["edgemaker compare BTC/USDT --amount 0.5", "edgemaker compare SNEK/USDT --dex --watch"],
    },
    mcp: { summarize: netText },
    input: () =>
      z.object({
        symbol: pairField(),
        exchanges: exchangesField(ids),
        amount: decimalField("Invalid amount", MOST_AMOUNT)
          .optional()
          .describe("Largest amount of base to trade"),
        partial: flagField("Invalid request", "partial")
          .default(false)
          .describe("Skip exchanges that fail, and list them"),
        dex: flagField("Invalid request", "dex")
          .default(false)
          .describe("Include the pools of a Cardano token"),
      }),
    output: ComparisonShape,
    failure: "Fetch failed",
    async run(deps, { symbol, exchanges = ids, amount, partial, dex }, { actor }) {
      const ownFees = actor !== "public";
      const readings = await Promise.all([
        ...exchanges.map((exchange) => readVenue(deps, { exchange, symbol, ownFees })),
        ...(dex ? [readChain(deps, symbol)] : []),
      ]);
      const { places, unlisted, failed } = allPlaces(readings, { symbol, partial });
      const analysis = analysisOut(places, amount);
      if (!analysis) throw new AppError("Fetch failed", "no exchange returned a price");
      return {
        symbol,
        prices: pricesOut(places),
        analysis,
        unlisted,
        ...(partial ? { failed } : {}),
        timestamp: await marketNow(deps),
      };
    },
  }),
];
