import * as fc from "fast-check";
import { expect } from "vitest";
import type { Driven } from "../support/driven.ts";
import { check } from "./checks.ts";
import {
  byHand,
  cancel,
  cancelAll,
  change,
  cut,
  type Deed,
  deposit,
  kill,
  move,
  start,
  stop,
  tick,
} from "./deeds.ts";
import type { Model } from "./model.ts";

type Command = fc.AsyncCommand<Model, Driven>;

/** One deed after another. */
const single = (deed: Deed): Command => ({
  check: () => true,
  async run(model, real) {
    const note = await deed.act(real, model, false);
    note();
    await check(model, real);
  },
  toString: () => deed.name,
});

/** Several requests at once; the scheduler decides in which order their calls reach the venue. */
const together = (deeds: readonly Deed[], scheduler: fc.Scheduler): Command => ({
  check: () => true,
  async run(model, real) {
    real.switches.turn = () => scheduler.schedule(Promise.resolve(), "a call to the venue");
    try {
      const notes = await scheduler.waitFor(Promise.all(deeds.map((deed) => deed.act(real, model, true))));
      for (const note of notes) note();
    } finally {
      real.switches.turn = async () => undefined;
    }
    await settleEither(model, real, deeds);
    await check(model, real);
  },
  toString: () => `at once(${deeds.map(({ name }) => name).join(" | ")})`,
});

/** Of switches turned both ways at once the last one holds, and only the service can say which that was. */
async function settleEither(model: Model, real: Driven, deeds: readonly Deed[]): Promise<void> {
  const turns = deeds.filter(({ name }) => name.startsWith("kill")).map(({ name }) => name === "kill true");
  if (turns.length > 0) {
    const { body } = await real.call<{ on: boolean }>("GET", "/kill");
    expect(turns).toContain(body.on);
    model.killed = body.on;
  }
  for (const grid of model.grids.filter(({ wants }) => wants === "either")) {
    const [view] = await real.store.strategies({ id: grid.id });
    grid.wants = view?.strategy.wants ?? "either";
  }
}

const nth = fc.nat({ max: 7 });
const exchange = fc.constantFrom("kraken", "mexc");

const requests: fc.Arbitrary<Deed>[] = [
  fc.nat({ max: 4 }).map(start),
  fc
    .tuple(
      nth,
      fc.constantFrom(
        { cancelOrders: true },
        { cancelOrders: false },
        { cancelOrders: true, sellBase: true },
      ),
    )
    .map(([place, how]) => stop(place, how)),
  fc.tuple(nth, fc.constantFrom("pause" as const, "resume" as const)).map(([place, to]) => change(place, to)),
  fc.constantFrom(1000, 5000, 20_000).map(tick),
  nth.map(cancel),
  exchange.map(cancelAll),
  fc.boolean().map(kill),
  fc
    .tuple(exchange, fc.constantFrom("buy" as const, "sell" as const), fc.integer({ min: 560, max: 640 }))
    .map(([where, side, price]) => byHand(where, side, price * 100)),
];

const deeds: fc.Arbitrary<Deed>[] = [
  ...requests,
  ...Array.from({ length: 4 }, () => fc.integer({ min: -5, max: 5 }).map(move)),
  ...Array.from({ length: 4 }, () => fc.constantFrom(5000, 20_000).map(tick)),
  fc.boolean().map(cut),
  fc
    .tuple(exchange, fc.constantFrom("BTC", "USDT"), fc.constantFrom("0.01", "-0.25", "900", "-60000"))
    .map((given) => deposit(...given)),
];

export const commands = (scheduler: fc.Scheduler, most: number) =>
  fc
    .tuple(
      fc.array(
        fc.nat({ max: 4 }).map((shape) => single(start(shape))),
        { minLength: 2, maxLength: 2 },
      ),
      fc.commands(
        [
          ...deeds.map((deed) => deed.map(single)),
          ...Array.from({ length: 4 }, () =>
            fc
              .array(fc.oneof(...requests), { minLength: 2, maxLength: 4 })
              .map((all) => together(all, scheduler)),
          ),
        ],
        { maxCommands: most, size: "max" },
      ),
    )
    .map(([first, rest]) => new Reported([...first, ...rest]));

/** Commands that say what they are when a run fails. */
class Reported implements Iterable<Command> {
  readonly all: readonly Command[];

  constructor(all: readonly Command[]) {
    this.all = all;
  }

  [Symbol.iterator](): Iterator<Command> {
    return this.all[Symbol.iterator]();
  }

  [fc.toStringMethod](): string {
    return this.all.map(String).join("\n");
  }
}
