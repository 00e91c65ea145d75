import type { Child } from "hono/jsx";
import { noLongerHolds } from "../../kernel/errors.ts";
import { countWithVerb, pluralize } from "../../kernel/plain-text.ts";
import { describeRefusal } from "../../model/refusal-text.ts";
import { type ApiError, ask, isUnanswered } from "../api.ts";
import { amount, digitsOf, inPercent, money, number, pairOf } from "../format.ts";
import { pageText } from "../page-text.ts";
import type { Planning, RequestedPlan } from "../plan-area.tsx";
import { goTo } from "../route.ts";
import { isKillSwitchOn, useValue } from "../session.ts";
import { numberColumn, Table, type TableColumn } from "../table.tsx";
import type { AnyPlan, PlanOfGrid, PlanOfQuotes, Session, StartedStrategy } from "../types.ts";
import { NoticeBox, SideText, Stat, useConfirmation, Warnings } from "../ui.tsx";

export const isPlanOfGrid = (planned: AnyPlan): planned is PlanOfGrid => planned.details.kind === "grid";
const isPlanOfQuotes = (planned: AnyPlan): planned is PlanOfQuotes => planned.details.kind === "quote";

/** Shows everything that a start would do, as the server planned it. */
export function PlanShown({
  planned,
  stats,
  before,
  children,
}: {
  planned: AnyPlan;
  /** What is shown between the sums and the figures. */
  before?: Child;
  /** Figures of a change. */
  stats?: Child;
  /** What a change shows instead of the table of orders. */
  children?: Child;
}) {
  const { symbol, uses, sums, losses, worstCase, endings, planHash } = planned;
  const { base, quote } = pairOf(symbol);
  const worst = losses.toSorted((a, b) => Number(b.price) - Number(a.price));
  const most = Math.max(Number(uses.quote), ...worst.map(({ loss }) => Number(loss)), 0.01);
  return (
    <>
      <Warnings of={planned.warnings} />
      <dl class="sums">
        {[
          ["Now, in buys", sums.buys, "up"],
          ...(Number(sums.atOnce) > 0 ? [["Of that, at once", sums.atOnce, "up"]] : []),
          ["At most", uses.quote, "up"],
          ...worst.map(({ price, loss }) => [`Lost at ${amount(price)}`, loss, "down"]),
        ].map(([name, sum, tone]) => (
          <div key={name}>
            <dt>{name}</dt>
            <dd class={tone === "down" && Number(sum) > 0 ? "down" : ""}>
              <meter class={tone} min={0} max={most} value={Number(sum)} aria-hidden="true" />
              {`${money(Number(sum))} ${quote}`}
            </dd>
          </div>
        ))}
      </dl>
      {isPlanOfGrid(planned) && worst.length > 1 ? (
        <p class="quiet">Lost: if the price first rises through all levels and then falls to that price.</p>
      ) : null}
      {before}
      <dl class="stats">
        <Stat name="Own base in sells">{`${amount(sums.base)} ${base}`}</Stat>
        {Number(uses.base) > 0 ? <Stat name="Own base at most">{`${amount(uses.base)} ${base}`}</Stat> : null}
        {stats}
        {isPlanOfGrid(planned) ? <GridStats planned={planned} /> : null}
        {isPlanOfQuotes(planned) ? <QuoteStats planned={planned} /> : null}
      </dl>
      {worst.length === 0 ? <p>Worst case: {worstCase}.</p> : null}
      {endings.length === 0 ? null : <p>By itself, {endings.join("; ")}.</p>}
      {isPlanOfGrid(planned) && !stats ? (
        <p class="quiet">Break-even: {planned.details.lastWeek.message}.</p>
      ) : null}
      {isPlanOfQuotes(planned) && !stats ? <p class="quiet">{planned.details.cadence.message}</p> : null}
      {children ?? <PlanOrders planned={planned} />}
      <details class="quiet">
        <summary>Hash of the plan</summary>
        <p>
          Plan <code>{planHash}</code>
        </p>
      </details>
    </>
  );
}

interface PlanRow {
  readonly id: string;
  readonly order?: AnyPlan["orders"][number];
  readonly refused?: AnyPlan["refused"][number];
}

/** The orders that fill at once, then the others from the highest price down, then those that wait. */
function PlanOrders({ planned }: { planned: AnyPlan }) {
  const { symbol, orders, refused } = planned;
  const { base, quote } = pairOf(symbol);
  const slots = isPlanOfGrid(planned) ? planned.details.slots : [];
  const slotOf = (id: string) => slots.find(({ slot }) => String(slot) === id);
  const digits = digitsOf(
    [...orders, ...slots.map(({ lowerPrice }) => ({ price: lowerPrice }))].map(({ price }) => price),
  );
  const name = (id: string) => {
    const slot = slotOf(id);
    if (!slot) return id === "initial-buy" ? "Initial buy, at once" : id;
    return `${id}: ${number(slot.lowerPrice, digits)}\u00a0–\u00a0${number(slot.upperPrice, digits)}`;
  };
  const rows: PlanRow[] = [
    ...orders
      .toSorted((a, b) => Number(b.crosses) - Number(a.crosses) || Number(b.price) - Number(a.price))
      .map((order) => ({ id: order.id, order })),
    ...refused.map((one) => ({ id: one.id, refused: one })),
  ];
  const columns: readonly TableColumn<PlanRow>[] = [
    { name: slots.length > 0 ? "Slot" : "Order", isHead: true, of: ({ id }) => name(id) },
    {
      name: "Side",
      of: ({ order, refused: why }) =>
        order ? (
          <SideText side={order.side} />
        ) : (
          <span class="warn">waits: {why && describeRefusal(why)}</span>
        ),
    },
    {
      name: `Price, ${quote}`,
      isNumber: true,
      of: ({ order }) => (order ? `${order.crosses ? "up to " : ""}${number(order.price, digits)}` : "–"),
    },
    { name: `Amount, ${base}`, isNumber: true, of: ({ order }) => (order ? amount(order.amount) : "–") },
    ...(slots.length === 0
      ? []
      : [
          {
            name: `Profit per cycle, ${quote}`,
            isNumber: true,
            of: ({ id }: PlanRow) => {
              const slot = slotOf(id);
              return slot ? `${money(slot.netProfit)} (${inPercent(slot.netPercent, 3)})` : "–";
            },
          },
        ]),
  ];
  return (
    <Table
      label="Orders of the plan"
      columns={columns}
      rows={rows}
      keyOf={({ id }) => id}
      empty="No order is placed now."
    />
  );
}

interface OrderTableProps {
  readonly label?: string;
  readonly orders: readonly Pick<AnyPlan["orders"][number], "id" | "side" | "price" | "amount">[];
  readonly symbol: string;
  readonly empty?: string;
  /** Price from which the distance of quotes counts; null while there is none. */
  readonly reference?: string | null;
}

/** Open orders from the highest price down. Those of quotes have a distance instead of a name. */
export function OrderTable(props: OrderTableProps) {
  const {
    label = "Orders of the plan",
    orders,
    symbol,
    empty = "No order is placed now.",
    reference,
  } = props;
  const { base, quote } = pairOf(symbol);
  const digits = digitsOf(orders.map(({ price }) => price));
  const isQuotes = reference !== undefined;
  const away = (price: number, from = Number(reference)) =>
    from === 0 ? "–" : inPercent((100 * Math.abs(price - from)) / from, 3);
  const columns: readonly TableColumn<OrderTableProps["orders"][number]>[] = [
    ...(isQuotes ? [] : [{ name: "Order", isHead: true, of: ({ id }: { id: string }) => id }]),
    { name: "Side", isHead: isQuotes, of: ({ side }) => <SideText side={side} /> },
    { name: `Price, ${quote}`, isNumber: true, of: ({ price }) => number(price, digits) },
    ...(isQuotes
      ? [numberColumn<OrderTableProps["orders"][number]>("From the price", (one) => Number(one.price), away)]
      : []),
    { name: `Amount, ${base}`, isNumber: true, of: (order) => amount(order.amount) },
  ];
  const rows = orders.toSorted((a, b) => Number(b.price) - Number(a.price));
  return <Table label={label} columns={columns} rows={rows} keyOf={({ id }) => id} empty={empty} />;
}

/** Figures that only a grid's plan has. */
function GridStats({ planned }: { planned: PlanOfGrid }) {
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
function QuoteStats({ planned }: { planned: PlanOfQuotes }) {
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
let unanswered: { readonly request: string; readonly planHash: string; readonly key: string } | undefined;

const OUT_OF_DATE = pageText(noLongerHolds().message);

/** Whether nothing was started because the plan is out of date. Another conflict can mean that the first try still runs. */
const isOutOfDate = ({ status, message }: ApiError): boolean => status === 409 && message === OUT_OF_DATE;

async function startOnce(body: Readonly<Record<string, unknown>>, planHash: string) {
  const request = JSON.stringify(body);
  const isSame = unanswered?.request === request && unanswered.planHash === planHash;
  const key = isSame && unanswered ? unanswered.key : crypto.randomUUID();
  unanswered = { request, planHash, key };
  try {
    const headers = { "idempotency-key": key };
    const started = await ask<StartedStrategy>("POST /strategies", { body: { ...body, planHash }, headers });
    unanswered = undefined;
    return started;
  } catch (failed) {
    const error = failed as ApiError;
    if (!isUnanswered(error) && (error.status !== 409 || isOutOfDate(error))) unanswered = undefined;
    throw error;
  }
}

/** Share by which a start may use or lose more than the plan that was confirmed, and by which its price may differ. */
const WORSE_BOUND = 0.01;

/**
 * Returns whether a plan has no order that another one does not have, uses and loses at most a little more, and warns of
 * nothing else. What a user's own function would do next is not known.
 */
function isNoWorse(next: AnyPlan, confirmed: AnyPlan): boolean {
  const ordersOf = ({ orders }: AnyPlan) => orders.map(({ id, side, crosses }) => `${id} ${side} ${crosses}`);
  const sumsOf = ({ uses, sums, losses }: AnyPlan) =>
    [uses.quote, uses.base, sums.buys, sums.base, sums.atOnce, ...losses.map(({ loss }) => loss)].map(Number);
  const [shown, most] = [ordersOf(confirmed), sumsOf(confirmed)];
  const known = confirmed.warnings.map(({ code }) => code);
  return (
    ["grid", "quote"].includes(next.definition) &&
    Math.abs(Number(next.price) / Number(confirmed.price) - 1) <= WORSE_BOUND &&
    ordersOf(next).every((order) => shown.includes(order)) &&
    sumsOf(next).every((sum, at) => sum <= Number(most[at]) * (1 + WORSE_BOUND)) &&
    next.warnings.every(({ code }) => known.includes(code))
  );
}

const MAX_TRIES = 5;

/** Starts a confirmed plan; if the market has moved, the plan of now, unless it is worse. */
async function startNear(body: RequestedPlan<AnyPlan>["body"], confirmed: AnyPlan) {
  // A try whose result is not known is made again as it was.
  let planHash = unanswered?.request === JSON.stringify(body) ? unanswered.planHash : confirmed.planHash;
  for (let tries = 1; ; tries++)
    try {
      return await startOnce(body, planHash);
    } catch (error) {
      if (!isOutOfDate(error as ApiError) || tries === MAX_TRIES) throw error;
      const next = await ask<AnyPlan>("POST /strategies/preview", { body }).catch(() => undefined);
      if (!next || next.planHash === planHash || !isNoWorse(next, confirmed)) throw error;
      planHash = next.planHash;
    }
}

/** Describes what a start places now. */
function startText({ orders, sums, symbol }: AnyPlan): string {
  const { base, quote } = pairOf(symbol);
  const parts = [
    Number(sums.buys) > 0 ? `${money(Number(sums.buys))} ${quote} in buys` : "",
    Number(sums.base) > 0 ? `${amount(sums.base)} ${base} in sells` : "",
  ].filter(Boolean);
  return orders.length === 0 ? "no order now" : `${pluralize(orders.length, "order")}, ${parts.join(", ")}`;
}

/** Describes the largest sums of a plan in a line. */
const worstText = (planned: AnyPlan): string =>
  `At most ${money(planned.uses.quote)} ${pairOf(planned.symbol).quote}. ${planned.losses.length > 0 ? worstLossText(planned) : ""}`;

function worstLossText({ losses, worstCase }: AnyPlan): string {
  const [worst] = losses.toSorted((a, b) => Number(b.loss) - Number(a.loss));
  return `Worst case: ${worst ? `${money(worst.loss)} lost at ${amount(worst.price)}` : worstCase}.`;
}

/** Describes the prices between which the levels of a plan are. */
function rangeText(planned: AnyPlan): string {
  const { lowerPrice, upperPrice } = isPlanOfGrid(planned) ? planned.details : {};
  return lowerPrice && upperPrice
    ? `Range: ${number(lowerPrice)} to ${number(upperPrice)} ${pairOf(planned.symbol).quote}. `
    : "";
}

/** Names whose money a start uses. */
const moneyOf = ({ dryRun }: RequestedPlan<AnyPlan>["body"], { mode }: Pick<Session, "mode">): string =>
  dryRun === true ? "paper trading" : mode === "simulated" ? "simulated" : "real money";

const NothingToStart = ({ why }: { why: string }) => (
  <div class="start">
    <p class="quiet">{why}</p>
    <button type="button" class="primary" disabled>
      Start
    </button>
  </div>
);

/** The button that starts the shown plan, after a confirmation; without a plan, what it still needs. */
export function StartPlan({
  plan,
  planning: { isOld, carryOut, error },
  session,
  title,
  missing,
}: {
  readonly plan: RequestedPlan<AnyPlan> | undefined;
  readonly planning: Planning<AnyPlan>;
  readonly session: Session;
  /** What is started, such as "a grid". */
  readonly title: string;
  /** Labels of what the form still needs. */
  readonly missing: readonly string[];
}) {
  const [dialog, put] = useConfirmation();
  const isKilled = useValue(isKillSwitchOn) === true;
  if (session.scope === "read") return <NoticeBox>You need a token with scope trade to start.</NoticeBox>;
  if (!plan)
    return (
      <NothingToStart
        why={missing.length > 0 ? `Still missing: ${missing.join("; ")}.` : (error?.message ?? "")}
      />
    );
  const { body, planned, before } = plan;
  const whose = moneyOf(body, session);
  const act = async () => {
    const started = await carryOut(() => startNear(body, planned));
    goTo("strategy", started.id);
    return started.message;
  };
  const question = {
    title: `Start ${title} on ${planned.symbol} at ${planned.exchange}, ${whose}?`,
    says: <StartSays planned={planned} />,
    yes: "Start it",
    act,
  };
  const text = startText(planned);
  const earlier = before && startText(before);
  return (
    <>
      <div class="start">
        {earlier === undefined || earlier === text ? null : (
          <p class="quiet">The market has moved. Before: {earlier}.</p>
        )}
        <p class={isKilled ? "warn" : "quiet"}>
          {isKilled ? "The kill switch is on: nothing is placed until it is turned off." : worstText(planned)}
        </p>
        <button
          type="button"
          class={isKilled ? "" : "primary"}
          disabled={isOld}
          onClick={() => put(question)}
        >
          Start: {text}, {whose}
        </button>
      </div>
      {dialog}
    </>
  );
}

/** Describes a start in money; each sum is that of the orders that it names. */
export function StartSays({ planned }: { planned: AnyPlan }) {
  const { orders, sums, uses, triggerPrice, symbol } = planned;
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
        {Number(uses.base) > 0 ? ` and ${amount(uses.base)} ${base}` : ""}. If the market moves meanwhile, the
        same orders or fewer are placed at the new prices, unless they could use or lose{" "}
        {inPercent(100 * WORSE_BOUND)} more: then nothing starts.
      </p>
      <p>
        {rangeText(planned)}
        {worstLossText(planned)}
      </p>
    </>
  );
}
