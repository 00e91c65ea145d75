import * as z from "zod";
import { lazy } from "../../kernel/lazy.ts";
import { dayOf } from "../../kernel/time.ts";
import { PRESETS } from "../../model/samples/promise.ts";
import { dateOf } from "../../model/usage.ts";
import { operation } from "../../operation.ts";
import type { LiquidityDeps } from "../store/store.ts";
import { promisedPairs } from "./in-force.ts";

export const WatchedShape = lazy(() =>
  z.object({
    day: z.string().describe("Today in UTC"),
    pairs: z
      .array(
        z.object({
          exchange: z.string().describe("Exchange id"),
          symbol: z.string().describe("Trading pair, BASE/QUOTE"),
          preset: z.enum(PRESETS).nullable().describe("The agreement for this pair; null without one"),
          agreement: z.string().nullable().describe("Name of its stored agreement; null for the settings"),
        }),
      )
      .describe("One row per sampled pair"),
    count: z.number().describe("Number of pairs"),
  }),
);

/** Operation that lists the sampled pairs; the report shows their results. */
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
  async run(deps: LiquidityDeps) {
    const today = dayOf(await deps.store.now());
    const pairs = (await promisedPairs(deps, today)).map(
      ({ exchange, symbol, promise, agreement = null }) => ({
        exchange,
        symbol,
        preset: promise?.preset ?? null,
        agreement,
      }),
    );
    return { day: dateOf(today), pairs, count: pairs.length };
  },
});
