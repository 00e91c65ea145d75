import { decimal, ONE } from "../../src/kernel/decimal.ts";
import { splitPair } from "../../src/kernel/pair.ts";
import { accountKey } from "../../src/model/account.ts";
import type { Deps } from "../../src/ports/deps.ts";
import { quoteKind } from "../../src/quote/kind.ts";
import { newQuoteState, type QuoteConfig } from "../../src/quote/state.ts";
import type { Deed } from "../simulation/deeds.ts";
import { TICKS } from "../simulation/shape.ts";
import { BY } from "../support/by.ts";

/** Narrow enough that the simulated walk fills it, and of all sizes in turn. */
export const configOf = (n: number): QuoteConfig => ({
  rules: {
    levels: [1, 2, 4][n % 3] ?? 1,
    gap: decimal("0.002"),
    sizes:
      n % 2 === 0
        ? { model: "flat", size: decimal("60") }
        : { model: "depth", depth: decimal("300"), within: decimal("0.02") },
    halfSpread: decimal(["0.002", "0.004"][n % 2] ?? "0.002"),
    volatilityFactor: n % 4 === 3 ? ONE : 0n,
    target: decimal("0.5"),
    strength: decimal("0.02"),
    mostSkew: decimal("0.01"),
    widest: decimal("0.1"),
    ...(n % 5 === 4 ? { avellaneda: { gamma: 0.001, sigma: 0.5, k: 5, horizon: 1 } } : {}),
    mostBase: decimal("12"),
    leastBase: decimal("0.5"),
  },
  tolerance: { price: decimal("0.001"), amount: decimal("0.5") },
  weights: { own: ONE, others: n % 3 === 2 ? ONE : 0n, dex: 0n },
  ...(n % 7 === 6 ? { fixed: { price: decimal("100"), weight: ONE } } : {}),
  maxAge: 30_000,
  collar: decimal("0.1"),
  budget: { base: decimal("5"), quote: decimal("1000") },
  ...(n % 3 === 1 ? { maxLoss: decimal("3") } : {}),
});

/** What a person asks of a grid, asked of quotes. */
export async function actOnQuote(deps: Deps, exchange: string, deed: Deed, id?: string): Promise<void> {
  const { store } = deps;
  if (deed.kind === "start" || deed.kind === "start_centered") {
    const { base, quote } = splitPair(deed.symbol);
    const now = await store.now();
    const config = configOf(Math.floor(now / 1000));
    await store.createStrategy(
      {
        kind: quoteKind.name,
        version: quoteKind.version,
        config,
        state: newQuoteState(config.rules.levels, decimal("0.01") * BigInt(TICKS)),
        wants: "run",
        keepOrders: false,
        sellBase: false,
        status: "running",
        phase: "starting",
        lastError: null,
        stoppedAt: null,
        prefix: `quote-${exchange}-${base}-${quote}`,
        account: accountKey(deps.venue(exchange).account),
        symbol: deed.symbol,
        startedAt: now,
        request: null,
      },
      BY,
    );
  }
  if (id === undefined) return;
  if (deed.kind === "stop")
    await store.setWants(id, "stop", { keepOrders: deed.keep, sellBase: deed.sell ?? false }, BY);
  if (deed.kind === "pause" || deed.kind === "run")
    await store.setPaused(id, deed.kind === "pause" ? { keepOrders: false } : null, BY);
  if (deed.kind === "edit") {
    const [view] = await store.strategies({ id });
    const config = configOf(Math.floor((await store.now()) / 1000) + 1);
    if (view) await store.setEdit(id, { config, after: view.strategy.edits ?? 0, description: "edited" }, BY);
  }
}
