/** What the pages of all kinds of strategies have in common. */

import type { Child } from "hono/jsx";
import { useState } from "hono/jsx/dom";
import { countWithVerb } from "../../kernel/plain-text.ts";
import { ask, part } from "../api.ts";
import { amount, change, inPercent, type MoneyValue, money, pairOf, toneOf } from "../format.ts";
import { reloadAll, useLoad } from "../live.ts";
import { useMode } from "../mode.tsx";
import { goTo, linkTo } from "../route.ts";
import type { TableColumn } from "../table.tsx";
import type { Session, StatusOfAny, StrategyChanged, StrategyRow } from "../types.ts";
import {
  ChangeStat,
  NoticeBox,
  type Question,
  Shown,
  Stat,
  useConfirmation,
  useTitle,
  valueIn,
  Warnings,
} from "../ui.tsx";

/** Loads one strategy: what all have, beside its definition's own part. */
export function ById<One extends StatusOfAny>({
  id,
  children,
}: {
  id: string;
  children: (one: One) => Child;
}) {
  const status = useLoad<StatusOfAny>(`GET /strategies/${part(id)}`, {}, { live: true });
  return (
    <Shown of={status} rows={12}>
      {(one) => children({ ...one, ...one.details } as One)}
    </Shown>
  );
}

type Standing = Pick<StrategyRow, "phase" | "status" | "lastError" | "notices">;

export const stateName = ({ phase, status }: Pick<Standing, "phase" | "status">): string =>
  status === "idle" ? "waiting" : status === "running" && phase !== "active" ? phase : status;

/** The state of a strategy, in the color of what it needs. */
export function StateTag({ of }: { of: Standing }) {
  const { status, lastError, notices } = of;
  const isWell = lastError === null && notices.length === 0;
  const tone =
    status === "error" ? "down" : ["stopped", "idle"].includes(status) ? "" : isWell ? "up" : "warn";
  return <b class={`tag ${tone}`}>{stateName(of)}</b>;
}

/** The title of a strategy's page with its actions, its error and its notices. */
export function StrategyHeader({ of, children }: { of: StrategyRow; children: Child }) {
  const { title, beside } = strategyTitle(of);
  useMode(of.mode);
  useTitle(of.name ?? `${of.symbol} on ${of.exchange}`);
  return (
    <>
      <header class="title">
        <h1>
          {title} <small>{beside}</small> <StateTag of={of} />
        </h1>
        {children}
      </header>
      {of.lastError ? <NoticeBox kind="error">{of.lastError}</NoticeBox> : null}
      <Warnings of={of.notices} />
      {of.endings.length > 0 ? <p class="quiet">By itself, {of.endings.join("; ")}.</p> : null}
    </>
  );
}

/** The four figures of every strategy, and the others behind a click. */
export function MainFigures({
  of: { symbol, status, totalProfit, profitPercent, profit, holdingProfit, position, price },
  beside,
  children,
}: {
  of: StatusOfAny;
  /** Smaller figures that are always in sight. */
  beside?: Child;
  children: Child;
}) {
  const { base, quote } = pairOf(symbol);
  const isKnown = totalProfit !== null && holdingProfit !== null && status !== "idle";
  return (
    <>
      <dl class="stats">
        <ChangeStat name={`Total, ${quote}`} of={totalProfit} isLarge>
          {profitPercent === null ? null : <small>{inPercent(profitPercent, 2)}</small>}
        </ChangeStat>
        <ChangeStat name="Realized" of={profit} isLarge />
        <Stat name={`Position, ${base}`} tone="large">
          {amount(position)}{" "}
          {price === null ? null : <small>{`${money(Number(position) * Number(price))} ${quote}`}</small>}
        </Stat>
        <ChangeStat
          name="vs buy and hold"
          of={isKnown ? Number(totalProfit) - Number(holdingProfit) : null}
          isLarge
        />
        {beside}
      </dl>
      <details class="more">
        <summary>Details</summary>
        <dl class="stats">{children}</dl>
      </details>
    </>
  );
}

/** Sends a change, and reloads what the page shows. */
export async function sendChange(
  route: string,
  body: Readonly<Record<string, unknown>> = {},
): Promise<string> {
  const { message } = await ask<StrategyChanged>(route, { body });
  reloadAll();
  return message;
}

interface ActionsProps {
  readonly of: Pick<StrategyRow, "id" | "phase" | "status" | "openOrders"> & Inventory;
  readonly session: Session;
  /** The strategy in a question, such as "this grid". */
  readonly whom: string;
  /** What a pause and a resume do. */
  readonly pause: string;
  readonly resume: string;
  /** Opens its settings. */
  readonly edit: () => void;
  readonly hasFailed?: boolean;
}

interface Inventory {
  readonly symbol: string;
  readonly position: string;
  readonly averageCost: MoneyValue | null;
  /** Price at which the base is valued. */
  readonly price: MoneyValue | null;
}

/** Maximum distance of a sale below the mid price, as a factor. */
const COLLAR = 0.9;

/** Describes what becomes of a strategy's base when it stops. */
function baseText({ symbol, position, averageCost, price }: Inventory, isSold: boolean): string {
  const { base, quote } = pairOf(symbol);
  const size = Number(position);
  if (size === 0) return `It holds no ${base}.`;
  const sum = (each: MoneyValue, factor = 1) => `${money(size * Number(each) * factor)} ${quote}`;
  const worth = price === null ? "" : `, worth ${sum(price)} now`;
  const cost = averageCost === null ? "" : `, bought for ${sum(averageCost)}`;
  const least = price === null ? "" : `, ${sum(price, COLLAR)} now`;
  return `${amount(position)} ${base}${worth}${cost}, ${isSold ? `are sold, even into a thin order book. The lowest price is 10 % below the mid price${least}.` : "stay yours and keep their market risk."}`;
}

/** Actions for a strategy; each first shows its effect in money. */
export function StrategyActions(props: ActionsProps) {
  const { of, session, whom, edit, hasFailed = false } = props;
  const [question, put] = useConfirmation();
  if (session.scope === "read") return null;
  const { id, phase, status, position } = of;
  const isStopping = phase === "stopping";
  const it = whom.startsWith("these") ? "them" : "it";
  const button = (name: string, confirmation: Question) => (
    <button
      type="button"
      class={confirmation.dangerous ? "danger" : ""}
      disabled={isStopping}
      onClick={() => put(confirmation)}
    >
      {name}
    </button>
  );
  const turn = (name: "Pause" | "Resume", word: "pause" | "resume") =>
    button(name, {
      title: `${name} ${whom}?`,
      says: props[word],
      yes: `${name} ${it}`,
      act: () => sendChange(`POST /strategies/${part(id)}/${word}`),
    });
  const stop = (name: string, sellBase: boolean) =>
    button(name, {
      title: sellBase ? `Stop ${whom} and sell ${it === "it" ? "its" : "their"} base?` : `Stop ${whom}?`,
      says: (
        <>
          <p>{countWithVerb(of.openOrders, "open order")} canceled. You cannot undo this.</p>
          <p>{baseText(of, sellBase)}</p>
        </>
      ),
      yes: sellBase ? name : `Stop ${it}`,
      dangerous: true,
      act: () => sendChange(`POST /strategies/${part(id)}/stop`, { sellBase }),
    });
  // The result of a stop is still shown after the page knows that the strategy has stopped.
  return (
    <div class="actions">
      {status === "stopped" ? null : (
        <>
          <button type="button" disabled={isStopping} onClick={edit}>
            Edit
          </button>
          {phase === "paused" || status === "error" || hasFailed
            ? turn("Resume", "resume")
            : turn("Pause", "pause")}
          {stop("Stop", false)}
          {Number(position) > 0 ? stop("Stop and sell", true) : null}
        </>
      )}
      <button type="button" onClick={() => goTo("clone", id)}>
        {status === "stopped" ? "Start again" : "Clone"}
      </button>
      {question}
    </div>
  );
}

const placeText = ({ exchange, dryRun, mode }: Named): string =>
  dryRun || mode === "paper" ? `${exchange} (paper trading)` : exchange;

/** Returns a strategy's title and what stands below or beside it. */
function strategyTitle(named: Named) {
  const { name, symbol, definition } = named;
  const place = name === null ? placeText(named) : `${symbol} on ${placeText(named)}`;
  return { title: name ?? symbol, beside: definition === undefined ? place : `${definition}, ${place}` };
}

/** The name of a strategy with a link to its page. */
export const nameColumn = <One extends Named>(): TableColumn<One> => ({
  name: "Strategy",
  isHead: true,
  of: (one) => {
    const { title, beside } = strategyTitle(one);
    return (
      <div class="named">
        <i aria-hidden="true">{one.exchange.slice(0, 1).toUpperCase()}</i>
        <div>
          <a href={linkTo("strategy", one.id)}>{title}</a>
          <small>{beside}</small>
        </div>
      </div>
    );
  },
  by: (one) => strategyTitle(one).title,
});

export const profitColumn = <One,>(name: string, of: (one: One) => MoneyValue | null): TableColumn<One> => ({
  name,
  isNumber: true,
  of: (one) => <span class={toneOf(of(one))}>{change(of(one))}</span>,
  by: (one) => Number(of(one) ?? Number.NEGATIVE_INFINITY),
});

interface Named {
  readonly id: string;
  readonly name: string | null;
  readonly symbol: string;
  readonly exchange: string;
  readonly definition?: string;
  readonly dryRun?: boolean;
  readonly mode?: StrategyRow["mode"];
}

/** The id and the name of a strategy, which a trader can change. */
export function NameLine({ of: { id, name }, session }: { of: Named; session: Session }) {
  const [text, setText] = useState(name ?? "");
  const [error, setError] = useState<string>();
  const rename = (event: Event) => {
    event.preventDefault();
    const body = { name: text.trim() || null };
    ask(`PATCH /strategies/${part(id)}`, { body })
      .then(() => setError(undefined))
      .catch(({ message }: Error) => setError(message))
      .finally(() => reloadAll());
  };
  return (
    <>
      <p class="quiet">
        Strategy <code>{id}</code>
      </p>
      {session.scope === "read" ? null : (
        <form class="fields line" onSubmit={rename}>
          <input
            aria-label="Name of the strategy"
            placeholder="Name"
            value={text}
            onInput={(event: Event) => setText(valueIn(event))}
          />
          <button type="submit">Rename</button>
        </form>
      )}
      {error ? <NoticeBox kind="error">{error}</NoticeBox> : null}
    </>
  );
}
