import { AppError } from "../errors.ts";
import { splitPair } from "../kernel/pair.ts";
import type { Millis } from "../kernel/time.ts";
import { operation } from "../operation.ts";
import { accountKey } from "../records.ts";
import type { NewStrategy } from "../store.ts";
import { type Checked, check } from "./check.ts";
import { previewStart } from "./preview.ts";
import { configOut, StartedShape, startInput } from "./schema.ts";
import { NEW_STATE, NO_LEDGER } from "./state.ts";
import type { Pass } from "./step.ts";
import { stepNow } from "./tick.ts";

export const startGrid = (ids: readonly string[]) =>
  operation({
    name: "start_grid",
    summary: "Start a grid between two prices",
    effect: "trade",
    access: "token",
    http: { route: "POST /strategy/grid", from: "body", idempotent: true },
    cli: {
      path: "grid start",
      flags: {
        lowerPrice: "lower",
        upperPrice: "upper",
        gridLevels: "levels",
        orderSize: "size",
        gridSpacing: "spacing",
      },
      defaults: { allowLoss: false },
      steps: true,
      examples: [
        "edgemaker grid start --exchange kraken --symbol BTC/USDT --lower 57000 --upper 63000 --levels 12 --size 100",
      ],
    },
    input: startInput(ids),
    output: StartedShape,
    failure: "Start failed",
    async preview(deps, { exchange, symbol, ...asked }) {
      const venue = deps.venue(exchange);
      const market = await venue.market(symbol);
      const [quote, balances] = [await venue.ticker(symbol), await venue.balances()];
      const killed = await deps.store.killed();
      return previewStart(check(asked, { market, quote, balances }), { exchange, market, killed });
    },
    async run(deps, { exchange, symbol, ...asked }, { requestKey = null }) {
      const venue = deps.venue(exchange);
      const market = await venue.market(symbol);
      const [quote, balances] = [await venue.ticker(symbol), await venue.balances()];
      const checked = check(asked, { market, quote, balances });
      if (await deps.store.killed())
        throw new AppError(
          "Forbidden",
          "the kill switch is on: no grid is started; turn it off to trade again",
        );
      const { base, quote: quoteAsset } = splitPair(symbol);
      const created = await deps.store.createStrategy({
        ...newStrategy(checked, quote.at),
        prefix: `grid-${exchange}-${base}-${quoteAsset}`,
        account: accountKey(venue.account),
        symbol,
        startedAt: quote.at,
        request: requestKey,
      });
      const pass = await stepNow(deps, venue);
      const [view] = await deps.store.strategies({ id: created.id });
      const { status, phase } = view?.strategy ?? created;
      const config = configOut(exchange, created);
      return {
        id: created.id,
        status,
        phase,
        message: told(created.id, pass, phase),
        config,
        warnings: [...checked.warnings],
      };
    },
  });

const newStrategy = (
  { config, slots, startPrice, center }: Checked,
  laidAt: Millis,
): Omit<NewStrategy, "prefix" | "account" | "symbol" | "startedAt" | "request"> => ({
  config,
  state: { ...NEW_STATE, startPrice, center, laidAt, slots, ledger: NO_LEDGER },
  wants: "run",
  keepOrders: false,
  sellBase: false,
  status: "running",
  phase: "starting",
  lastError: null,
  stoppedAt: null,
});

function told(id: string, { outcome, message }: Pass, phase: string): string {
  if (outcome === "failed")
    return `${id} is stored and running; its first pass failed (${message}) and is tried again`;
  if (outcome === "busy") return `${id} is stored and running; its first orders follow with the next pass`;
  return phase === "active"
    ? `${id} is running and its orders rest`
    : `${id} is running; more of its orders follow`;
}
