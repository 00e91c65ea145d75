import * as z from "zod";
import { lazy } from "../../kernel/lazy.ts";
import { dayOf } from "../../kernel/time.ts";
import { PRESETS } from "../../model/samples/promise.ts";
import { dateOf } from "../../model/usage.ts";
import { operation } from "../../operation.ts";

export const WatchedShape = lazy(() =>
  z.object({
    day: z.string().describe("Today in UTC"),
    pairs: z
      .array(
        z.object({
          exchange: z.string().describe("Exchange id"),
          symbol: z.string().describe("Trading pair, BASE/QUOTE"),
          preset: z.enum(PRESETS).nullable().describe("The agreement for this pair; null without one"),
        }),
      )
      .describe("One row per sampled pair"),
    count: z.number().describe("Number of pairs"),
  }),
);

/** Operation that lists the sampled pairs of the settings; the report shows their results. */
export const watchedPairs = operation({
  name: "list_watched_pairs",
  summary: "List sampled pairs with their agreements",
  effect: "read",
  access: "token",
  http: { route: "GET /liquidity/pairs", from: "query" },
  cli: { path: "liquidity list" },
  mcp: { isSelfContained: true },
  failure: "Internal error",
  input: () => z.object({}),
  output: WatchedShape,
  async run({ liquidity, store }) {
    const pairs = (liquidity?.pairs ?? []).map(({ exchange, symbol, promise }) => ({
      exchange,
      symbol,
      preset: promise?.preset ?? null,
    }));
    return { day: dateOf(dayOf(await store.now())), pairs, count: pairs.length };
  },
});
