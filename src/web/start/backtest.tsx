import { useState } from "hono/jsx/dom";
import { isOfGrid } from "../../backtest/schema/answer-view.ts";
import { pluralize } from "../../kernel/plain-text.ts";
import { type ApiError, ask } from "../api.ts";
import { change, feeText, inPercent, money, number, pairOf, percent, toneOf } from "../format.ts";
import type { Holdings } from "../holdings.ts";
import type { Backtest } from "../types.ts";
import { ChangeStat, Failed, Stat, Time, Warnings } from "../ui.tsx";
import type { AgainRequest } from "./settings.ts";

interface Tried {
  /** The start of the backtest. */
  readonly of?: string;
  readonly answer?: Backtest;
  readonly error?: ApiError;
  readonly isBusy?: boolean;
}

/** Returns the request of a backtest with the settings of a start, whose budgets are by default all that is free. */
export function backtestOf(body: AgainRequest, holdings: Pick<Holdings, "free">): AgainRequest {
  const { dryRun: _, name: _name, ...start } = body;
  const { base, quote } = pairOf(String(body.symbol));
  const free = { baseBudget: holdings.free(base), quoteBudget: holdings.free(quote) };
  return body.definition === "grid" ? start : { ...free, ...start };
}

/** A backtest of a start on the newest candles. */
export function TryOut({ body, holdings }: { body: AgainRequest; holdings: Holdings }) {
  const [tried, setTried] = useState<Tried>({});
  const of = JSON.stringify(body);
  const run = () => {
    setTried({ ...tried, isBusy: true });
    const request = { ...backtestOf(body, holdings), timeframe: "15m", fills: 0 };
    ask<Backtest>("POST /backtest", { body: request }).then(
      (answer) => setTried({ of, answer }),
      (error) => setTried({ of, error }),
    );
  };
  return (
    <div class={tried.of === undefined || tried.of === of ? "" : "old"}>
      <p>
        <button type="button" disabled={tried.isBusy === true} onClick={run}>
          {tried.isBusy ? "Running…" : "Backtest on the latest candles"}
        </button>
      </p>
      {tried.error ? <Failed error={tried.error} /> : null}
      {tried.answer ? <Outcome answer={tried.answer} /> : null}
    </div>
  );
}

const Outcome = ({ answer }: { answer: Backtest }) => (
  <>
    <Warnings of={answer.warnings} />
    <RunFigures answer={answer} />
    <p class="quiet">
      {pluralize(number(answer.bars), "candle")} from <Time at={answer.fromAt} /> to{" "}
      <Time at={answer.untilAt} />. Past results do not guarantee future results.
    </p>
  </>
);

/** The figures of a backtest: its total first. */
export function RunFigures({ answer }: { answer: Backtest }) {
  const { quote } = pairOf(answer.symbol);
  const total = Number(answer.total);
  const against = total - Number(answer.holding.base);
  const { band, drawdown, details } = answer;
  const fallen = Number(drawdown.amount);
  const fees = Object.entries(answer.fees).map(([asset, fee]) => feeText(asset, fee, answer.symbol));
  return (
    <dl class="stats" aria-label="Backtest">
      <ChangeStat name={`Total, ${quote}`} of={total} isLarge />
      <Stat name="Return on investment" tone={toneOf(total)}>
        {percent(answer.totalPercent / 100)}
      </Stat>
      <ChangeStat name="vs buy and hold" of={against} />
      <Stat name="Max drawdown" tone={fallen > 0 ? "down" : ""}>
        {`${money(fallen)} (${inPercent(drawdown.percent, 2)})`}
      </Stat>
      <ChangeStat name="Realized" of={Number(answer.realized)} />
      <Stat name="Cycles">{answer.cycles}</Stat>
      <Stat name="Fees">{fees.join(", ") || "none"}</Stat>
      {isOfGrid(details) ? <Stat name="In range">{inPercent(details.timeInRangePercent, 1)}</Stat> : null}
      {band ? (
        <Stat name="Range by path and fill rule">
          {`${change(Number(band.total.least))} to ${change(Number(band.total.most))}`}
        </Stat>
      ) : null}
    </dl>
  );
}
