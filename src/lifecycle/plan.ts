/** One plan of every start and change: what is placed, what it can use and lose, and its hash. */
import * as z from "zod";
import { feesOut, feesShape, placedAsText, placedTextFields, warnings } from "../engine/operations/shapes.ts";
import { type Decimal, mul, sum, text } from "../kernel/decimal.ts";
import { countWithVerb, pluralize } from "../kernel/plain-text.ts";
import type { Market } from "../model/market.ts";
import { type Preview, paperMark } from "../model/proposal.ts";
import { describeRefusals } from "../model/refusal-text.ts";
import type { FieldChange, PlanFacts, Planned, PlannedOrder } from "../ports/plan.ts";

const pairShape = (what: string) => z.object({ quote: z.string(), base: z.string() }).describe(what);

/** Fields of the plan of a start; `details` has a schema for each kind. */
const planFields = (details: readonly z.ZodObject[]) => ({
  definition: z.string().describe("grid, quote, or the name of your own strategy"),
  exchange: z.string(),
  symbol: z.string(),
  price: z.string().nullable().describe("Market price, in quote; null if it is unknown"),
  triggerPrice: z.string().nullable().describe("Price at which its orders are placed; null for now"),
  orders: z
    .array(
      z.object({
        id: z.string().describe("The definition's id of the order"),
        ...placedTextFields(),
        crosses: z.boolean().describe("true if it fills at once, at up to its price"),
      }),
    )
    .describe("Orders to place, those that fill at once first"),
  refused: z
    .array(z.object({ id: z.string(), reason: z.string(), detail: z.string().optional() }))
    .describe("Orders that are not placed now"),
  sums: z
    .object({
      buys: z.string(),
      atOnce: z.string().describe("Part of the buys that fills at once"),
      sells: z.string(),
      base: z.string().describe("Base of the sells"),
    })
    .describe("Sums of the orders, in quote"),
  uses: pairShape("The most that it can use of the account's own balances"),
  free: pairShape("Free balances that other strategies do not need"),
  endings: z.array(z.string()).describe("What it does by itself, at prices and times"),
  worstCase: z.string().describe("Maximum loss, as a sentence"),
  losses: z.array(z.object({ price: z.string(), loss: z.string() })).describe("Loss at prices, in quote"),
  fees: feesShape(),
  warnings: warnings(),
  planHash: z.string(),
  details: z
    .union(details as [z.ZodObject, ...z.ZodObject[]])
    .describe("Part of its definition: `kind` says which"),
});

export const planShape = (details: readonly z.ZodObject[]) => z.object(planFields(details));

/** Plan without the parts of definitions. */
export type PlanAnswer = z.output<ReturnType<typeof planShape>>;

export const changesShape = () => z.array(z.object({ field: z.string(), from: z.string(), to: z.string() }));

/** Describes a change in an event. */
export const changesText = (changes: readonly FieldChange[]): string =>
  changes.map(({ field, from, to }) => `${field} ${from} to ${to}`).join(", ");

/** Describes each field that changes. */
export const changeLines = (changes: readonly FieldChange[]): string[] =>
  changes.map(({ field, from, to }) => `${field} from ${from} to ${to}`);

export const plannedEditShape = (details: readonly z.ZodObject[]) =>
  z.object({
    id: z.string(),
    changes: changesShape(),
    kept: z.number().describe("Open orders that stay"),
    cancelled: z.number().describe("Open orders to cancel"),
    ...planFields(details),
  });

/** Plan of a change without the parts of definitions. */
export type PlannedEditAnswer = z.output<ReturnType<typeof plannedEditShape>>;

type PlanBase = Pick<Planned, "market" | "planHash" | "uses" | "warnings" | "killed">;

export interface PlannedPlace {
  readonly definition: string;
  readonly exchange: string;
  readonly dryRun?: boolean | undefined;
}

/** Formats a plan. */
export const planAnswer = (
  { market, planHash, uses, warnings: all }: PlanBase,
  facts: PlanFacts,
  { definition, exchange }: PlannedPlace,
) => ({
  definition,
  exchange,
  symbol: market.symbol,
  price: facts.price === null ? null : text(facts.price),
  triggerPrice: facts.triggerPrice === undefined ? null : text(facts.triggerPrice),
  orders: facts.orders.map(({ id, crosses = false, ...order }) => ({ id, ...placedAsText(order), crosses })),
  refused: facts.refused.map((one) => ({ ...one })),
  sums: planSums(facts.orders),
  uses: pairTexts(uses),
  free: pairTexts(facts.free),
  worstCase: facts.worstCase,
  endings: [...facts.endings],
  losses: facts.losses.map(({ price, loss }) => ({ price: text(price), loss: text(loss) })),
  fees: feesOut(market),
  warnings: all.map((warning) => ({ ...warning })),
  planHash,
  details: { ...facts.details },
});

export const pairTexts = ({ quote, base }: { readonly quote: Decimal; readonly base: Decimal }) => ({
  quote: text(quote),
  base: text(base),
});

/** Returns the sums of orders in quote, at their own prices, and the base of the sells. */
function planSums(orders: readonly PlannedOrder[]) {
  const worth = (some: readonly PlannedOrder[]) =>
    text(sum(some.map(({ price, amount }) => mul(price, amount, "up"))));
  const sells = orders.filter(({ side }) => side === "sell");
  return {
    buys: worth(orders.filter(({ side }) => side === "buy")),
    atOnce: worth(orders.filter(({ side, crosses }) => side === "buy" && crosses)),
    sells: worth(sells),
    base: text(sum(sells.map(({ amount }) => amount))),
  };
}

/** Previews a start for agents: the same plan in sentences. */
export function previewOfStart(planned: PlanBase, facts: PlanFacts, place: PlannedPlace): Preview {
  const { symbol } = planned.market;
  const isPaper = place.dryRun === true;
  const at = facts.price === null ? "" : `, with the market at ${text(facts.price)}`;
  return {
    isPaper,
    what: `start ${facts.what} on ${symbol} at ${place.exchange}${paperMark(isPaper)}: ${orderCounts(facts.orders, planned.market)} ${facts.triggerPrice === undefined ? "now" : `when the market reaches ${text(facts.triggerPrice)}`}${at}`,
    ...moneyTexts(planned, facts),
    limits: conditionTexts(planned, facts),
    holds: { planHash: planned.planHash },
  };
}

interface EditBase extends PlanBase {
  readonly id: string;
  readonly changes: readonly FieldChange[];
  readonly kept: number;
  readonly cancelled: number;
  readonly name: string | null | undefined;
}

/** Previews a change for agents: the same plan in sentences. */
export function previewOfEdit(
  planned: EditBase,
  facts: PlanFacts,
  { exchange, dryRun: isPaper = false }: PlannedPlace,
): Preview {
  const { id, changes, cancelled, kept, killed, name, market, planHash } = planned;
  const at = facts.price === null ? "" : `, with the market at ${text(facts.price)}`;
  return {
    isPaper,
    what: `change ${id} on ${market.symbol} at ${exchange}${paperMark(isPaper)}: ${changeLines(changes).join(", ")}; ${countWithVerb(cancelled, "order")} canceled, ${facts.orders.length} placed, and ${kept} ${kept === 1 ? "stays" : "stay"}${at}`,
    ...moneyTexts(planned, facts),
    limits: [
      ...conditionTexts({ ...planned, killed: false }, facts),
      ...(name === undefined
        ? []
        : [name === null ? "it loses its name" : `it is called ${name} from now on`]),
      ...(killed ? ["the kill switch is on: nothing is placed until it is turned off"] : []),
    ],
    holds: { planHash },
  };
}

/** Describes cost and worst case of a plan. */
function moneyTexts({ market, uses }: PlanBase, facts: PlanFacts): Pick<Preview, "cost" | "worstCase"> {
  const { base, quote } = market;
  const { buys, atOnce, base: sold } = planSums(facts.orders);
  const initial = atOnce === "0" ? "" : ` (${atOnce} of it at once)`;
  const lost = facts.losses.map(({ price, loss }) =>
    price === 0n
      ? `${text(loss)} ${quote} if the price falls to 0`
      : `${text(loss)} ${quote} at ${text(price)}`,
  );
  return {
    cost: `${buys} ${quote} in buys${initial}, before fees, and ${sold} ${base} that you already own in sells; it can use up to ${text(uses.quote)} ${quote} and ${text(uses.base)} ${base}`,
    worstCase: [facts.worstCase, ...(lost.length > 0 ? [lost.join(", ")] : [])].join("; "),
  };
}

/** Describes conditions of a plan: its notes, orders that wait, and warnings. */
const conditionTexts = (
  { warnings: all, killed }: PlanBase,
  { endings, notes, refused, waits }: PlanFacts,
): string[] => [
  ...notes,
  ...endings,
  ...(refused.length > 0 ? [waits ?? `not placed now: ${describeRefusals(refused)}`] : []),
  ...all.map(({ message }) => message),
  ...(killed ? ["the kill switch is on: the start would be refused"] : []),
];

/** Describes orders by side, those that fill at once alone. */
function orderCounts(orders: readonly PlannedOrder[], { base, quote }: Market): string {
  const count = (side: PlannedOrder["side"]) =>
    orders.filter((one) => one.side === side && !one.crosses).length;
  const atOnce = orders
    .filter(({ crosses }) => crosses)
    .map(
      ({ side, price, amount }) =>
        `${side === "buy" ? "a buy" : "a sell"} of ${text(amount)} ${base} at ${side === "buy" ? "up" : "down"} to ${text(price)} ${quote} at once, `,
    );
  return `${atOnce.join("")}${pluralize(count("buy"), "buy")} and ${pluralize(count("sell"), "sell")}`;
}
