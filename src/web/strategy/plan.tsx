import type { Child } from "hono/jsx";
import { countWithVerb, pluralize } from "../../kernel/plain-text.ts";
import { describeRefusal } from "../../model/refusal-text.ts";
import { type ApiError, ask, isUnanswered } from "../api.ts";
import { amount, type Digits, digitsOf, inPercent, money, number, pairOf } from "../format.ts";
import type { Planning, RequestedPlan } from "../plan-area.tsx";
import { goTo } from "../route.ts";
import { Table } from "../table.tsx";
import type { AnyPlan, PlanOfGrid, PlanOfQuotes, Session, StartedStrategy } from "../types.ts";
import { NoticeBox, SideText, Stat, useConfirmation, Warnings } from "../ui.tsx";
import { KIND_PATHS, kindOfDefinition } from "./kind-paths.ts";

/** Shows everything that a start would do, as the server planned it. A grid shows its orders by slot. */
export function PlanShown({
  planned,
  stats,
  children,
}: {
  planned: AnyPlan;
  /** Figures of its definition. */
  stats?: Child;
  /** What its definition shows instead of the table of orders. */
  children?: Child;
}) {
  const { symbol, uses, sums, losses, worstCase, endings, orders, refused } = planned;
  const { base, quote } = pairOf(symbol);
  const worst = losses.toSorted((a, b) => Number(a.price) - Number(b.price));
  return (
    <>
      <Warnings of={planned.warnings} />
      <dl class="stats">
        <Stat name="Maximum use of quote">{`${money(Number(uses.quote))} ${quote}`}</Stat>
        {Number(uses.base) > 0 ? <Stat name="Own base in use">{`${amount(uses.base)} ${base}`}</Stat> : null}
        <Stat name="Buys">{`${money(Number(sums.buys))} ${quote}`}</Stat>
        {Number(sums.atOnce) > 0 ? (
          <Stat name="At once, part of the buys">{`${money(Number(sums.atOnce))} ${quote}`}</Stat>
        ) : null}
        <Stat name="Own base in sells">{`${amount(sums.base)} ${base}`}</Stat>
        {stats}
        {worst.map(({ price, loss }) => (
          <Stat key={price} name={`Loss at ${amount(price)}`} tone={Number(loss) > 0 ? "down" : ""}>
            {`${money(Number(loss))} ${quote}`}
          </Stat>
        ))}
      </dl>
      {worst.length === 0 ? <p>Worst case: {worstCase}.</p> : null}
      {endings.length === 0 ? null : <p>By itself, {endings.join("; ")}.</p>}
      {children ?? <PlanOrders orders={orders} symbol={symbol} />}
      {children
        ? null
        : refused.map((refusal) => (
            <p key={refusal.id} class="warn">
              {refusal.id}: {describeRefusal(refusal)}
            </p>
          ))}
      <p class="quiet">
        Plan <code>{planned.planHash}</code>
      </p>
    </>
  );
}

/** The table of a plan's orders. */
export function PlanOrders({ orders, symbol }: { orders: AnyPlan["orders"]; symbol: string }) {
  const { base, quote } = pairOf(symbol);
  const digits: Digits = digitsOf(orders.map(({ price }) => Number(price)));
  return (
    <Table
      label="Orders of the plan"
      columns={[
        { name: "Order", isHead: true, of: ({ id }) => id },
        { name: "Side", of: ({ side }) => <SideText side={side} /> },
        { name: `Price, ${quote}`, isNumber: true, of: ({ price }) => number(Number(price), digits) },
        { name: `Amount, ${base}`, isNumber: true, of: (order) => amount(order.amount) },
      ]}
      rows={orders.toSorted((a, b) => Number(b.price) - Number(a.price))}
      keyOf={({ id }) => id}
      empty="No order is placed now."
    />
  );
}

/** Figures that only a grid's plan has. */
export function GridStats({ planned }: { planned: PlanOfGrid }) {
  const { setAside, slots, breakEvenSpacingPercent } = planned.details;
  const { quote } = pairOf(planned.symbol);
  const net = slots.map(({ netPercent }) => netPercent);
  return (
    <>
      <Stat name="Set aside">{`${money(Number(setAside.quote))} ${quote}`}</Stat>
      <Stat name="Profit per cycle" tone={Math.min(...net) > 0 ? "up" : "down"}>
        {`${number(Math.min(...net), 3)} to ${inPercent(Math.max(...net), 3)}`}
      </Stat>
      <Stat name="Smallest profitable spacing">{inPercent(breakEvenSpacingPercent, 3)}</Stat>
    </>
  );
}

/** Figures that only a plan of quotes has. */
export function QuoteStats({ planned }: { planned: PlanOfQuotes }) {
  const { quote } = pairOf(planned.symbol);
  const { reference, halfSpreadPercent, widenedBy, maxLoss } = planned.details;
  return (
    <>
      <Stat name={`Reference price, ${quote}`}>{reference === null ? "no price" : amount(reference)}</Stat>
      <Stat name="Spread">
        {halfSpreadPercent === null ? "–" : inPercent(2 * halfSpreadPercent, 2)}
        {widenedBy === null || widenedBy === "asked" ? null : <small>{` by ${widenedBy}`}</small>}
      </Stat>
      <Stat name="Loss limit">{maxLoss === null ? "none" : `${money(Number(maxLoss))} ${quote}`}</Stat>
    </>
  );
}

/** A start without a known result, and its key: the same start has the same key, so it starts nothing twice. */
let unanswered: { readonly start: string; readonly key: string } | undefined;

async function startOnce(body: Readonly<Record<string, unknown>>) {
  const start = JSON.stringify(body);
  const { key } = unanswered?.start === start ? unanswered : { key: crypto.randomUUID() };
  unanswered = { start, key };
  try {
    const headers = { "idempotency-key": key };
    const started = await ask<StartedStrategy>("POST /strategies", { body, headers });
    unanswered = undefined;
    return started;
  } catch (error) {
    if (!isUnanswered(error as ApiError)) unanswered = undefined;
    throw error;
  }
}

/** Starts exactly the shown plan, after a confirmation. */
export function StartPlan<P extends AnyPlan>({
  plan: { body, planned },
  planning: { isOld, carryOut },
  session,
  title,
}: {
  readonly plan: RequestedPlan<P>;
  readonly planning: Planning<P>;
  readonly session: Session;
  /** What is started, such as "this grid". */
  readonly title: string;
}) {
  const [question, put] = useConfirmation();
  if (session.scope === "read") return <NoticeBox>You need a token with scope trade to start.</NoticeBox>;
  const act = async () => {
    const started = await carryOut(() => startOnce({ ...body, planHash: planned.planHash }));
    goTo(KIND_PATHS[kindOfDefinition(planned.definition)], started.id);
    return started.message;
  };
  const confirmation = {
    title: `Start ${title} on ${planned.exchange}?`,
    says: <StartSays planned={planned} />,
    yes: "Start it",
    act,
  };
  return (
    <>
      <button type="button" class="primary" disabled={isOld} onClick={() => put(confirmation)}>
        Start exactly this plan
      </button>
      {question}
    </>
  );
}

/** Describes a start in money; each sum is that of the orders that it names. */
export function StartSays({ planned }: { planned: AnyPlan }) {
  const { orders, sums, uses, triggerPrice, symbol, losses, worstCase } = planned;
  const { base, quote } = pairOf(symbol);
  const when = triggerPrice === null ? "now" : `when the market reaches ${amount(triggerPrice)}`;
  return (
    <>
      <p>
        {countWithVerb(orders.length, "order")} placed {when}: {money(Number(sums.buys))} {quote} in buys
        {Number(sums.atOnce) > 0 ? (
          <b>
            , of which {money(Number(sums.atOnce))} {quote} buy base at once
          </b>
        ) : null}
        {Number(sums.base) > 0 ? (
          <b>
            , and {amount(sums.base)} {base} of your own base in sells
          </b>
        ) : null}
        . It can use up to {money(Number(uses.quote))} {quote}
        {Number(uses.base) > 0 ? ` and ${amount(uses.base)} ${base}` : ""}. If the market moves and the plan
        changes, nothing starts.
      </p>
      {losses.length === 0 ? <p>Worst case: {worstCase}.</p> : null}
    </>
  );
}

/** Returns how many orders of a grid's plan there are, and how many slots have none. */
export const planSlotsText = ({ orders, refused }: AnyPlan): string =>
  `${pluralize(orders.length, "order")} by slot${
    refused.length > 0 ? `; ${countWithVerb(refused.length, "slot", "has", "have")} no order now` : ""
  }`;
