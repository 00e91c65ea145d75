/** What the editions from the eleventh on draw beside what the sixth does. */

import { TRADES_WAIT } from "../../src/engine/reconcile/order-fills.ts";
import { decimal } from "../../src/kernel/decimal.ts";
import { HOUR, MINUTE } from "../../src/kernel/time.ts";
import { type Deed, editDeed, type Fields, handDeed, type MarketRules, share, startOfAny } from "./deeds.ts";
import type { Plan } from "./plan.ts";
import { editQuoteDeed, startQuoteDeed } from "./quote-deeds.ts";
import type { Random } from "./random.ts";
import { EXCHANGE, IS_OF, OTHER_EXCHANGES, type Shape, START, SYMBOLS } from "./shape.ts";

type Due = Plan["deeds"][number];

export function ofNewEdition(random: Random, plan: Plan): Plan {
  switch (plan.edition) {
    case IS_OF.lateRestores:
      return withLateRestores(random, plan);
    case IS_OF.quotesBesideGrids:
      return withQuotes(random, plan);
    case IS_OF.wrongAnswers:
      return withWrongAnswers(random, plan);
    case IS_OF.accounts:
      return withAccounts(random, plan);
    case IS_OF.budgets:
      return withKills(random, plan);
    case IS_OF.rules:
      return withRules(random, plan);
    case IS_OF.hints:
      return withHints(random, plan);
    case IS_OF.endings:
      return withEndings(random, withQuotes(random, plan));
    case IS_OF.reinvesting:
      return withReinvesting(random, plan);
    case IS_OF.versions:
      return { ...plan, processes: 2, deeds: without(plan.deeds, ["backup", "restore"]) };
    default:
      return plan;
  }
}

const inOrder = (deeds: readonly Due[]): Due[] => [...deeds].sort((a, b) => a.at - b.at);
const timesOf =
  (random: Random, { quietAt }: Plan) =>
  (from: number, to: number) =>
    START + Math.floor((quietAt - START) * (from + (to - from) * random.share()));
const without = (deeds: readonly Due[], kinds: readonly Deed["kind"][]): readonly Due[] =>
  deeds.filter(({ deed }) => !kinds.includes(deed.kind));

/** A database is put back while the exchange shows some trades late, or never. */
function withLateRestores(random: Random, plan: Plan): Plan {
  const any = timesOf(random, plan);
  const restores = Array.from({ length: random.whole(1, 2) }, (): Due[] => {
    const at = any(0.1, 0.7);
    return [
      { at, deed: { kind: "backup" } },
      { at: at + random.whole(plan.interval, 60 * plan.interval), deed: { kind: "restore" } },
    ];
  });
  const deeds = [...without(plan.deeds, ["backup", "restore"]), ...restores.flat()];
  const late = plan.timing.readLag > 0;
  const endAt = plan.endAt + (late && !plan.late ? TRADES_WAIT + MINUTE : 0);
  return { ...plan, late, endAt, deeds: inOrder(deeds) };
}

/** Quotes that are started, changed, paused and stopped by their operations, on the pairs of grids. */
function withQuotes(random: Random, plan: Plan): Plan {
  const any = timesOf(random, plan);
  const starts = Array.from({ length: random.whole(1, 3) }, (_, place): Due => {
    const symbol = place === 0 ? "AAA/USDT" : random.pick(SYMBOLS);
    return { at: any(0, place === 0 ? 0.1 : 0.7), deed: startQuoteDeed(random, symbol) };
  });
  const some = (most: number, make: () => Deed) =>
    Array.from({ length: random.whole(0, most) }, (): Due => ({ at: any(0.1, 0.95), deed: make() }));
  const nth = () => random.whole(0, 4);
  const deeds = [
    ...starts,
    ...some(3, () => editQuoteDeed(random)),
    ...some(2, () => ({ kind: random.pick(["pause", "run", "run"]), nth: nth() })),
    ...some(2, () => ({ kind: "stop", nth: nth(), keep: false, sell: random.chance(0.5) })),
    ...(random.chance(0.1)
      ? [{ at: any(0.5, 0.95), deed: { kind: "panic", sell: random.chance(0.5) } as Deed }]
      : []),
  ];
  const silence = { from: plan.endAt, to: plan.endAt + HOUR, of: random.pick(["others", "own"] as const) };
  const noBook: Due = { at: silence.from, deed: { kind: "endpoint_down", names: ["book"], millis: HOUR } };
  const all = [...plan.deeds, ...deeds, ...(silence.of === "own" ? [noBook] : [])];
  return { ...plan, silence, endAt: silence.to + HOUR, deeds: inOrder(all) };
}

/** Prices and times at which a strategy ends by itself; prices start at 100. */
function endingsOf(random: Random, { quietAt }: Plan): Fields {
  const some = (probability: number, make: () => Fields): Fields =>
    random.chance(probability) ? make() : {};
  return {
    ...some(0.4, () => ({ stopLossPrice: random.whole(94, 99) })),
    ...some(0.3, () => ({ takeProfitPrice: random.whole(101, 106) })),
    ...some(0.4, () => ({ trailingStopPercent: random.pick([0.5, 1, 3]) })),
    ...some(0.2, () => ({ stopAtOnce: true })),
    ...some(0.3, () => ({ maxLoss: random.whole(2, 20) })),
    ...some(0.4, () => ({
      endsAt: START + random.whole(0, quietAt - START),
      ...some(0.6, () => ({ onEnd: random.pick(["keep", "sell"]) })),
    })),
  };
}

/** Centered grids and quotes that end by themselves, and endings that come and go while they run. */
function withEndings(random: Random, plan: Plan): Plan {
  const any = timesOf(random, plan);
  const withEnds = ({ at, deed }: Due): Due => {
    if (deed.kind === "start_quote")
      return { at, deed: { ...deed, fields: { ...deed.fields, ...startEndings(random, plan) } } };
    if (deed.kind === "start_centered")
      return { at, deed: { ...deed, options: { ...deed.options, ...startEndings(random, plan) } } };
    return { at, deed };
  };
  const changes = Array.from({ length: random.whole(0, 4) }, (): Due => {
    const fields = random.pick<() => Fields>([
      () => endingsOf(random, plan),
      () => ({ stopLossPrice: 0, trailingStopPercent: 0 }),
      () => ({ endsAt: 0, maxLoss: 0 }),
    ])();
    const kind = random.pick(["edit", "edit_quote"] as const);
    return { at: any(0.05, 0.95), deed: { kind, nth: random.whole(0, 4), fields } as Deed };
  });
  return { ...plan, deeds: inOrder([...plan.deeds.map(withEnds), ...changes]) };
}

/** Grids that reinvest their profit, beside others that need the same quote, and changes of the share. */
function withReinvesting(random: Random, plan: Plan): Plan {
  const withShare = ({ at, deed }: Due): Due => {
    if (deed.kind === "start" || deed.kind === "start_centered")
      return random.chance(0.8)
        ? { at, deed: { ...deed, options: { ...deed.options, reinvest: share(random, 100, 1000) } } }
        : { at, deed };
    return { at, deed };
  };
  const any = timesOf(random, plan);
  const changes = Array.from({ length: random.whole(0, 4) }, (): Due => {
    const edit = editDeed(random) as Extract<Deed, { kind: "edit" }>;
    const reinvest = random.pick([0, 0.3, 1, 1]);
    return {
      at: any(0.05, 0.95),
      deed: { ...edit, fields: { ...(random.chance(0.5) ? edit.fields : {}), reinvest } },
    };
  });
  return { ...plan, deeds: inOrder([...plan.deeds.map(withShare), ...changes]) };
}

const startEndings = (random: Random, plan: Plan): Fields => ({
  ...endingsOf(random, plan),
  ...(random.chance(0.2) ? { triggerPrice: random.whole(98, 102) } : {}),
});

/** Reads that can fail alone. */
const ENDPOINTS = [["openOrders"], ["fills", "fillsOf"], ["balances"], ["order"], ["ticker"]] as const;
/** So long one of them is down: longer than trades are waited for. */
const MAX_ENDPOINT_DOWN_MS = 700_000;

/** One endpoint is down alone; and answers are wrong. */
function withWrongAnswers(random: Random, plan: Plan): Plan {
  const any = timesOf(random, plan);
  const downs = Array.from({ length: random.whole(1, 4) }, (): Due => {
    const [names, at] = [random.pick(ENDPOINTS), any(0.05, 0.95)];
    const millis = Math.min(random.whole(1000, MAX_ENDPOINT_DOWN_MS), plan.quietAt - at);
    return { at, deed: { kind: "endpoint_down", names, millis } };
  });
  // What a restored database must find, the exchange has to show.
  const deeds = [...without(plan.deeds, ["backup", "restore"]), ...downs];
  return { ...plan, deeds: inOrder(deeds) };
}

/** What a person does on one exchange. */
const ON_EXCHANGE = new Set<Deed["kind"]>([
  "start",
  "start_centered",
  "hand",
  "hand_both",
  "hand_against_own",
  "hand_cancel_all",
  "outside_order",
  "outside_cancel",
  "deposit",
]);

/** Three accounts, each with strategies and orders by hand, and one exchange at a time is down. */
function withAccounts(random: Random, plan: Plan): Plan {
  const any = timesOf(random, plan);
  const onOne = (): string => random.pick([EXCHANGE, ...OTHER_EXCHANGES]);
  const spread = plan.deeds.map(({ at, deed }): Due => {
    return { at, deed: ON_EXCHANGE.has(deed.kind) ? { ...deed, exchange: onOne() } : deed };
  });
  const others = OTHER_EXCHANGES.flatMap((exchange): Due[] => [
    { at: any(0, 0.1), deed: { ...startOfAny(random, random.pick(SYMBOLS)), exchange } },
    { at: any(0.1, 0.9), deed: { ...handDeed(random), exchange } },
  ]);
  const downs = Array.from({ length: random.whole(0, 3) }, (): Due => {
    const at = any(0.05, 0.95);
    const millis = Math.min(random.whole(1000, 300_000), plan.quietAt - at);
    return { at, deed: { kind: "exchange_down", millis, exchange: onOne() } };
  });
  return { ...plan, deeds: inOrder([...spread, ...others, ...downs]) };
}

/** The kill switch is turned now and then. */
function withKills(random: Random, plan: Plan): Plan {
  const any = timesOf(random, plan);
  const kills = Array.from({ length: random.whole(0, 3) }, (): Due[] => {
    const at = any(0.1, 0.9);
    return [
      { at, deed: { kind: "kill", on: true } },
      { at: at + random.whole(1000, 40_000), deed: { kind: "kill", on: false } },
    ];
  });
  // So long a rate of few calls needs to look up what the faults have left.
  return { ...plan, endAt: plan.endAt + HOUR / 6, deeds: inOrder([...plan.deeds, ...kills.flat()]) };
}

/** Hints of one message each, repeated ones, late ones, and floods; at times, or most of the time, there are none. */
function withHints(random: Random, plan: Plan): Plan {
  const any = timesOf(random, plan);
  const hint = (at: number): Due => ({ at, deed: { kind: "hint" } });
  const hints = Array.from({ length: random.pick([0, 10, 60, 60]) }, (): Due[] => {
    const at = any(0, 1);
    return random.pick<() => Due[]>([
      () => [hint(at)],
      () => [hint(at)],
      () => [hint(at), hint(at), hint(at + random.whole(1, 500))],
      () => [hint(at), hint(at + random.whole(1000, 60_000))],
      () => Array.from({ length: 20 }, (_, place) => hint(at + 250 * place)),
    ])();
  });
  const quietTicks = random.pick([1, 6, 6]);
  return { ...plan, quietTicks, deeds: inOrder([...plan.deeds, ...hints.flat()]) };
}

/** The same plan with other hints. What they may change is when passes run, and nothing that has to hold. */
export function withHintsAs(hints: Shape["hints"], plan: Plan): Plan {
  if (hints === undefined) return plan;
  const deeds = plan.deeds.flatMap((due): Due[] => {
    if (due.deed.kind !== "hint") return [due];
    if (hints === "removed") return [];
    return hints === "doubled" ? [due, due] : [{ ...due, at: due.at + HINT_DELAY }];
  });
  return { ...plan, deeds: inOrder(deeds) };
}

const HINT_DELAY = 20_000;

export const MAX_PRICE_TICK = decimal("0.1");

/** Tick, lot, minimum and fee change while orders rest, and a pair is delisted now and then. */
function withRules(random: Random, plan: Plan): Plan {
  const any = timesOf(random, plan);
  const rules = (): Partial<MarketRules> =>
    random.pick<() => Partial<MarketRules>>([
      () => ({ tick: random.pick([decimal("0.001"), decimal("0.01"), MAX_PRICE_TICK]) }),
      () => ({ lot: random.pick([decimal("0.0001"), decimal("0.001"), decimal("0.01")]) }),
      () => ({ minNotional: decimal(String(random.whole(1, 40))) }),
      () => ({ minAmount: random.pick([decimal("0.001"), decimal("0.1")]) }),
      () => {
        const fee = random.pick([decimal("0.0005"), decimal("0.001"), decimal("0.003")]);
        return { maker: fee, taker: fee };
      },
    ])();
  const changes = Array.from({ length: random.whole(1, 6) }, (): Due => {
    return { at: any(0.05, 0.95), deed: { kind: "rules", symbol: random.pick(SYMBOLS), rules: rules() } };
  });
  const delisted: Due[] = random.chance(0.2)
    ? [
        { at: any(0.3, 0.9), deed: { kind: "delist", symbol: "BBB/USDT" } },
        ...[0, 1, 2, 3].map((nth): Due => {
          return { at: any(0.9, 0.99), deed: { kind: "stop", nth, keep: false, sell: random.chance(0.5) } };
        }),
      ]
    : [];
  // A stop on a pair that is gone ends after a day.
  const endAt = plan.endAt + (delisted.length > 0 ? 25 * HOUR : 0);
  return { ...plan, endAt, deeds: inOrder([...plan.deeds, ...changes, ...delisted]) };
}
