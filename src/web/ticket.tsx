import type { Child } from "hono/jsx";
import { useState } from "hono/jsx/dom";
import { wire } from "../kernel/decimal.ts";
import type { Pair } from "../kernel/pair.ts";
import { SIDES } from "../model/market.ts";
import { ORDER_TYPES } from "../model/order.ts";
import {
  AMOUNT_UNITS,
  planTyped,
  restingPrice,
  type TypedOrder,
  type TypedPlan,
} from "../orders/typed-order.ts";
import { type ApiError, ask, isUnanswered } from "./api.ts";
import { PreviewText } from "./controls/audit.tsx";
import { limitTitle, limitValue } from "./controls/limit-text.ts";
import { useEffect } from "./effect.ts";
import { number, pairOf } from "./format.ts";
import { type Loaded, useLoad } from "./live.ts";
import { NumberInput, PlanArea, usePlan } from "./plan-area.tsx";
import { createValue, isKillSwitchOn, useValue } from "./session.ts";
import type { AnyPlan, BookAnswer, LimitsAnswer, MarketChoice, OpenOrders, Session } from "./types.ts";
import { Choice, Field, NoticeBox, PressedChoice, useConfirmation } from "./ui.tsx";

/** An order that was sent. Its key makes it one order on the exchange, however often it is sent. */
interface SentOrder {
  readonly actor: string;
  readonly key: string;
  readonly what: string;
  readonly body: MarketChoice & Pick<TypedOrder, "side" | "type"> & { readonly amount: number };
}

const STORED = "edgemaker.order";
const stored = sessionStorage.getItem(STORED);

/** The order whose result is not known; a reload of the page does not lose it. */
const lostOrder = createValue<SentOrder | undefined>(stored === null ? undefined : JSON.parse(stored));

function storeLost(order: SentOrder | undefined): void {
  if (order) sessionStorage.setItem(STORED, JSON.stringify(order));
  else sessionStorage.removeItem(STORED);
  lostOrder.set(order);
}

/** Refusals before the server looks at the order, which leave an earlier request of it unknown. */
const EARLY_REFUSALS = ["Too many requests", "Unauthorized", "Conflict"];
const MAX_SENDS = 3;
const FIRST_WAIT_MS = 1000;

/** Places an order once: without a response, it is sent again with the same key. */
async function placeOnce(sent: SentOrder): Promise<string> {
  let isLost = lostOrder.get()?.key === sent.key;
  storeLost(sent);
  for (let tries = 1; ; tries++)
    try {
      const { body, key } = sent;
      const headers = { "idempotency-key": key };
      const { order } = await ask<{ order: OpenOrders["orders"][number] }>("POST /orders", { body, headers });
      storeLost(undefined);
      const { status, filled, amount } = order;
      return `The order is ${status.replace("_", " ")}: ${number(filled)} of ${number(amount)} ${pairOf(body.symbol).base} filled.`;
    } catch (failed) {
      const error = failed as ApiError;
      const isUnknown = isUnanswered(error) || error.label === "Order unknown";
      isLost = isUnknown || (isLost && EARLY_REFUSALS.includes(error.label));
      if (!isLost) storeLost(undefined);
      if (!isLost || tries === MAX_SENDS) throw error;
      await new Promise((resolve) => setTimeout(resolve, FIRST_WAIT_MS * tries));
    }
}

/** How often a book is loaded; the server queries the exchange once for all pages. */
export const BOOK_INTERVAL_MS = 10_000;

/** Levels of a book from which an order is planned. */
export const PLANNED_LEVELS = 100;

interface TicketProps {
  readonly market: MarketChoice;
  readonly session: Session;
  readonly book: BookAnswer;
  readonly orders: Loaded<OpenOrders>;
  /** The limit price that was typed or chosen in the book; undefined for the best one. */
  readonly price: string | undefined;
  readonly setPrice: (price: string) => void;
}

/** A new order: planned while it is typed, and sent after a confirmation. */
export function TicketForm({ market, session, book, orders, price, setPrice }: TicketProps) {
  const [form, setForm] = useState<Omit<TypedOrder, "price">>(EMPTY_TICKET);
  const [question, put] = useConfirmation();
  const killed = useValue(isKillSwitchOn) === true;
  const lost = useValue(lostOrder);
  const limits = useLoad<LimitsAnswer>(session.scope === "admin" ? "GET /limits" : undefined);
  const [orderSize, setOrderSize] = useState(1000);
  const account = usePlan<AnyPlan>("POST /strategies/preview", smallGrid(market, book, orderSize));
  // Assets such as KRW have minimum orders of thousands.
  useEffect(() => {
    if (account.error?.label === "Invalid order size" && orderSize < MAX_SIZE) setOrderSize(1000 * orderSize);
    return undefined;
  }, [account.error]);
  const { exchange } = market;
  const symbol = market.symbol as Pair;
  const { fees, free } = account.plan?.planned ?? {};
  const typed = { ...form, price: price ?? restingPrice(form.side, book) };
  const open = (orders.data?.orders ?? []).filter(
    (one) => one.symbol === symbol && one.triggerPrice === undefined,
  );
  const plan = fees && free && planTyped(typed, { exchange, symbol, book, open, killed, fees, free });
  const confirm = (sent: SentOrder, says: Child) =>
    put({
      title: `${sent.body.side === "buy" ? "Buy" : "Sell"} ${pairOf(sent.body.symbol).base}?`,
      says,
      yes: "Place it",
      act: () =>
        placeOnce(sent).finally(() => {
          orders.again();
          account.again();
        }),
    });
  const submit = (event: Event) => {
    event.preventDefault();
    if (!plan || lost) return;
    const sent = { actor: session.actor, key: crypto.randomUUID(), ...wordsAndBody(plan, market) };
    confirm(
      sent,
      <>
        <PreviewText of={plan.preview} />
        <p class="quiet">{appliedLimits(limits.data, session, exchange)}</p>
      </>,
    );
  };
  const button = `${form.side === "buy" ? "Buy" : "Sell"} ${plan ? `${number(wire(plan.order.amount))} ` : ""}${pairOf(symbol).base}`;
  return (
    <form class="fields" onSubmit={submit}>
      {lost ? <LostOrder lost={lost} actor={session.actor} confirm={confirm} /> : null}
      <TicketFields
        typed={typed}
        symbol={symbol}
        change={(more) => setForm({ ...form, ...more })}
        setPrice={setPrice}
      />
      <div class="field wide">
        <PlanArea planning={account} empty="Reading fees and balances…">
          {() =>
            plan ? <PreviewText of={plan.preview} /> : <p class="empty">Enter an amount to see the plan.</p>
          }
        </PlanArea>
      </div>
      <button type="submit" class="primary" disabled={!plan || lost !== undefined}>
        {button}
      </button>
      {question}
    </form>
  );
}

/** An order without a response, which can be sent again: only with its own token it is the same order. */
const LostOrder = ({
  lost,
  actor,
  confirm,
}: {
  lost: SentOrder;
  actor: string;
  confirm: (sent: SentOrder, says: Child) => void;
}) => (
  <NoticeBox kind="warning">
    It is unknown whether this order was placed: {lost.what}. Compare it with the open orders.{" "}
    {lost.actor === actor ? (
      <button type="button" onClick={() => confirm(lost, `${lost.what}. The exchange gets it at most once.`)}>
        Send it again
      </button>
    ) : null}{" "}
    <button type="button" onClick={() => storeLost(undefined)}>
      I have compared it
    </button>
  </NoticeBox>
);

interface TicketFieldsProps {
  readonly typed: TypedOrder;
  readonly symbol: string;
  readonly change: (more: Partial<TypedOrder>) => void;
  readonly setPrice: (price: string) => void;
}

function TicketFields({ typed: { side, type, price, amount, unit, postOnly }, ...props }: TicketFieldsProps) {
  const { symbol, change, setPrice } = props;
  const names = { ...pairOf(symbol), percent: "% of what is free" };
  return (
    <>
      <PressedChoice label="Side" value={side} choices={SIDES} choose={(one) => change({ side: one })} />
      <PressedChoice
        label="Type"
        value={type}
        choices={ORDER_TYPES}
        choose={(one) => change({ type: one })}
      />
      {type === "limit" ? (
        <Field label={`Price, ${names.quote}`}>
          <NumberInput value={price} change={setPrice} />
        </Field>
      ) : null}
      <Field label="Amount">
        <NumberInput value={amount} change={(text) => change({ amount: text })} />
      </Field>
      <Field label="Amount in">
        <Choice
          value={unit}
          choices={AMOUNT_UNITS.map((one) => [one, names[one]])}
          choose={(one: typeof unit) => change({ unit: one })}
        />
      </Field>
      {type === "limit" ? (
        <label class="check">
          <input type="checkbox" checked={postOnly} onClick={() => change({ postOnly: !postOnly })} /> Refuse
          it if it would fill at once
        </label>
      ) : null}
    </>
  );
}

const EMPTY_TICKET = { side: "buy", type: "limit", amount: "", unit: "base", postOnly: false } as const;

/** Returns the request of a planned order, and the order in words. */
function wordsAndBody({ order, preview }: TypedPlan, market: MarketChoice): Pick<SentOrder, "what" | "body"> {
  const { side, type, amount, price, postOnly } = order;
  const limit = type === "limit" ? { price: wire(price), ...(postOnly ? { postOnly } : {}) } : {};
  return { what: preview.what, body: { ...market, side, type, amount: wire(amount), ...limit } };
}

/** Quote per order up to which a plan that the market refuses as too small is made again. */
const MAX_SIZE = 1e9;

/** Returns the request of a plan that reports fee rates and free balances, whatever the price does. */
function smallGrid(market: MarketChoice, { midPrice }: BookAnswer, orderSize: number) {
  const lowerPrice = 10 ** Math.floor(Math.log10(midPrice));
  const prices = { lowerPrice, upperPrice: 10 * lowerPrice, gridLevels: 2, orderSize };
  return { definition: "grid", ...market, config: { geometry: "range", ...prices, allowLoss: true } };
}

/** Limits that are about losses of strategies, not about orders. */
const NOT_OF_ORDERS = ["strategyLoss", "accountLoss", "onLoss"];

/** Describes the limits with which the server checks an order. */
function appliedLimits(answer: LimitsAnswer | undefined, { actor }: Session, exchange: string): string {
  if (!answer) return "The server also checks the limits that an administrator has set.";
  const scopes = ["every", `account:${exchange}`, `token:${actor}`];
  const applied = answer.limits.filter(({ scope }) => scopes.includes(scope)).map(({ limits }) => limits);
  const texts = [answer.settings, ...applied]
    .flatMap((limits) => Object.entries(limits))
    .filter(([name, value]) => value !== "off" && !NOT_OF_ORDERS.includes(name))
    .map(([name, value]) => `${limitTitle(name).toLowerCase()} ${limitValue(name, value)}`);
  return `The server also checks these limits: ${texts.join("; ") || "none are set"}.`;
}
