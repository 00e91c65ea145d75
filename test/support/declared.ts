import * as z from "zod";
import { withFirstBase } from "../../src/engine/position/position.ts";
import type { Order } from "../../src/model/order.ts";
import { ownStrategyKind } from "../../src/own/kind.ts";
import { newOwnStrategyState, type OwnStrategy } from "../../src/own/state.ts";
import type { AnyStrategyDefinition, Declared, StrategyInput } from "../../src/ports/definition.ts";
import type { Kind, StrategyContext } from "../../src/ports/kind.ts";
import { d, market } from "./grid.ts";
import { NOW, observedMarket, strategy, turn } from "./made.ts";

export const MARKET = market({
  tick: d("0.01"),
  lot: d("0.001"),
  minAmount: d("0.001"),
  minNotional: d("5"),
});
export const bookLevel = (price: string) => ({ price: d(price), amount: d("10") });
export const aroundBook = (bid: string, ask: string) => ({
  bids: [bookLevel(bid)],
  asks: [bookLevel(ask)],
  at: NOW,
});

interface Over extends Partial<OwnStrategy> {
  readonly options?: Readonly<Record<string, unknown>>;
  readonly version?: number;
}

/** A running strategy of this definition, with 5 base and 1,000 quote. */
export const ownStrategyExample = (
  definition: string,
  { options = { spreadPercent: 0.2, size: 100 }, version = 1, ...over }: Over = {},
): OwnStrategy =>
  ({
    ...strategy({ phase: "active", status: "running" }),
    kind: "declared",
    config: { definition, version, options, budget: { base: d("5"), quote: d("1000") } },
    state: { ...withFirstBase(newOwnStrategyState(d("100")), d("5")), epoch: 1 },
    ...over,
  }) as unknown as OwnStrategy;

export const passOver = (book: object | undefined, over: Partial<StrategyContext> = {}): StrategyContext => ({
  ...turn(),
  observed: observedMarket({ market: MARKET, book } as never),
  ...over,
});

/** A definition of the name `own` with this function. */
export const named = (
  orders: (view: StrategyInput) => unknown,
  more: Partial<AnyStrategyDefinition> = {},
): AnyStrategyDefinition => ({
  name: "own",
  config: z.object({}),
  ...more,
  orders: (view) => orders(view) as Declared,
});

/** What code in this process returns at once. */
type Here<F extends (...given: never[]) => unknown> = (...given: Parameters<F>) => Awaited<ReturnType<F>>;
type KindHere<K extends Pick<Kind, "run" | "mayPlace">> = Omit<K, "run" | "mayPlace"> & {
  readonly run: Here<K["run"]>;
  readonly mayPlace: Here<K["mayPlace"]>;
};
export type AnyKindHere = KindHere<Kind>;
type OwnKindHere = KindHere<ReturnType<typeof ownStrategyKind>>;

/** The kind over definitions whose code runs in this process. */
export const ownKindHere = (...given: Parameters<typeof ownStrategyKind>): OwnKindHere =>
  ownStrategyKind(...given) as OwnKindHere;

/** A pass over it, with what it leaves out. */
export const run = (
  definition: AnyStrategyDefinition,
  one: OwnStrategy,
  live: readonly Order[] = [],
  context = passOver(aroundBook("99.95", "100.05")),
) => {
  const stepped = ownKindHere([definition]).run(one, live, context);
  return { intents: [], cancels: [], events: [], ...stepped, strategy: stepped.strategy ?? one };
};
