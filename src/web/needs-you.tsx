import type { Child } from "hono/jsx";
import { useState } from "hono/jsx/dom";
import { countWithVerb, pluralize } from "../kernel/plain-text.ts";
import { ask, part } from "./api.ts";
import { capitalized, money, pairOf } from "./format.ts";
import { killQuestion } from "./liquidity.tsx";
import { reloadAll } from "./live.ts";
import { firstGroups, groupText, isResumed, type NeedEntry, needGroups, needsOfRows } from "./needs.ts";
import { linkTo } from "./route.ts";
import { isKillSwitchOn, useValue } from "./session.ts";
import { sendChange } from "./strategy/parts.tsx";
import type { Round, Session, StrategyRow } from "./types.ts";
import { type Question, Section, useConfirmation } from "./ui.tsx";

const resumeQuestion = ({ id, symbol, exchange, capital }: StrategyRow): Question => ({
  title: `Resume ${symbol} on ${exchange}?`,
  says: `The next pass places its missing orders, with at most ${money(capital)} ${pairOf(symbol).quote} in all.`,
  yes: "Resume it",
  act: () => sendChange(`POST /strategies/${part(id)}/resume`),
});

const stopQuestion = ({ id, symbol, exchange, openOrders }: StrategyRow): Question => ({
  title: `Stop ${symbol} on ${exchange}?`,
  says: `${countWithVerb(openOrders, "open order")} canceled. You cannot undo this. The ${pairOf(symbol).base} that is left stays yours.`,
  yes: "Stop it",
  dangerous: true,
  act: () => sendChange(`POST /strategies/${part(id)}/stop`),
});

const PASS_QUESTION: Question = {
  title: "Run a pass now?",
  says: "It books fills and places missing orders on every account, once, also where edgemaker waits after an error. Passes continue only while `edgemaker serve` runs.",
  yes: "Run it",
  act: async () => {
    const { accounts } = await ask<Round>("POST /internal/tick", { body: { retry: true } });
    reloadAll();
    const failed = accounts.filter(({ outcome }) => outcome !== "stepped");
    return `${pluralize(accounts.length - failed.length, "complete pass")}${failed.map(({ account, outcome, message }) => `; ${account.split(":")[1]}: ${message ?? outcome.replace("_", " ")}`).join("")}`;
  },
};

/** What needs the user, each with the button that mends it; nothing if nothing does. */
export function NeedsYou({ rows, session: { scope } }: { rows: readonly StrategyRow[]; session: Session }) {
  const [question, put] = useConfirmation();
  const isKilled = useValue(isKillSwitchOn) === true;
  const needs = needsOfRows(rows);
  const count = needs.length + (isKilled ? 1 : 0);
  const button = (name: string, asked: Question) => (
    <button type="button" onClick={() => put(asked)}>
      {name}
    </button>
  );
  const link = (name: string, ...path: string[]) => (
    <a class="button" href={linkTo(...path)}>
      {name}
    </a>
  );
  const mend = (need: NeedEntry) => {
    const [row] = need.rows;
    if (!row) return null;
    if (scope === "admin" && need.code === "stalled") return button("Run a pass now", PASS_QUESTION);
    if (scope === "admin" && /^key_/.test(need.code)) return link("Enter keys", "access");
    if (scope === "admin" && need.code === "limit") return link("Open limits", "limits");
    if (scope !== "read" && need.rows.length === 1 && isResumed(need))
      return button("Resume", resumeQuestion(row));
    if (scope !== "read" && need.code === "base_missing" && need.rows.length === 1)
      return (
        <>
          {row.mode === "paper"
            ? null
            : link(`Buy ${pairOf(row.symbol).base}`, "markets", row.exchange, row.symbol)}
          {button("Stop it", stopQuestion(row))}
        </>
      );
    // There its loss limit can be raised, its range moved, its budget reduced, or a loss allowed.
    if (["loss_limit", "out_of_range", "funds_missing", "all_below_cost"].includes(need.code))
      return link("Edit", "strategy", row.id, "settings");
    return link("Open", "strategy", row.id);
  };
  const entry = (need: NeedEntry) => (
    <li key={need.key} class={need.code === "error" ? "error" : ""}>
      <p>
        <b>{whose(need)}</b>: {capitalized(need.message)}
      </p>
      {mend(need)}
    </li>
  );
  const list = () => (
    <Section title={`Needs you (${count})`}>
      <ul class="needs">
        {isKilled ? (
          <li class="error">
            <p>
              <b>Everything</b>: The kill switch is on, and no new order is placed.
            </p>
            {scope === "admin" ? button("Turn the kill switch off", killQuestion(false)) : null}
          </li>
        ) : null}
        <Groups needs={needs} entry={entry} />
      </ul>
    </Section>
  );
  // The dialog shows its result also when nothing is left.
  return (
    <>
      {question}
      {count === 0 ? null : list()}
    </>
  );
}

/** The first groups of needs, and all on request. */
function Groups({ needs, entry }: { needs: readonly NeedEntry[]; entry: (need: NeedEntry) => Child }) {
  const [isWhole, setWhole] = useState(false);
  const groups = needGroups(needs);
  const first = firstGroups(groups);
  return (
    <>
      {(isWhole ? groups : first).map((group) => {
        const [need] = group;
        if (need && group.length === 1) return entry(need);
        return (
          <li key={need?.code}>
            <details>
              <summary>{groupText(group)}</summary>
              <ul class="needs">{group.map(entry)}</ul>
            </details>
          </li>
        );
      })}
      {isWhole || groups.length === first.length ? null : (
        <li key="all">
          <button type="button" onClick={() => setWhole(true)}>
            Show all {needs.length}
          </button>
        </li>
      )}
    </>
  );
}

/** Number of strategies that an entry names. */
const MAX_NAMED = 3;

const whose = ({ rows }: NeedEntry): string => {
  const names = rows.map(
    (row) =>
      row.name ??
      `${row.symbol} on ${row.exchange} (${row.definition}${row.mode === "paper" ? ", paper trading" : ""})`,
  );
  const more = names.length > MAX_NAMED ? ` and ${names.length - MAX_NAMED} more` : "";
  return `${names.slice(0, MAX_NAMED).join(", ")}${more}`;
};
