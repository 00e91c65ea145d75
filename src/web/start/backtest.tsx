import { useState } from "hono/jsx/dom";
import { type ApiError, ask } from "../api.ts";
import { change, inPercent, number } from "../format.ts";
import type { Backtest } from "../types.ts";
import { ChangeStat, Failed, Stat, Time, Warnings } from "../ui.tsx";

interface Tried {
  /** The grid of the backtest. */
  readonly of?: string;
  readonly answer?: Backtest;
  readonly error?: ApiError;
  readonly isBusy?: boolean;
}

/** A backtest of this grid on the newest candles. */
export function TryOut({
  route = "POST /backtest",
  body,
  quote,
}: {
  route?: string;
  body: Readonly<Record<string, unknown>>;
  quote: string;
}) {
  const [tried, setTried] = useState<Tried>({});
  const of = JSON.stringify(body);
  const run = () => {
    setTried({ ...tried, isBusy: true });
    ask<Backtest>(route, { body: { ...body, timeframe: "15m", fills: 0 } }).then(
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
      {tried.answer ? <Outcome answer={tried.answer} quote={quote} /> : null}
    </div>
  );
}

function Outcome({ answer, quote }: { answer: Backtest; quote: string }) {
  const total = Number(answer.total);
  const holding = total - Number(answer.holding.base);
  const { band, drawdown } = answer;
  return (
    <>
      <Warnings of={answer.warnings} />
      <dl class="stats" aria-label="Backtest">
        <ChangeStat name={`Total, ${quote}`} of={total} isLarge />
        {band ? (
          <Stat name="Range by path and fill rule">
            {`${change(Number(band.total.least))} to ${change(Number(band.total.most))}`}
          </Stat>
        ) : null}
        <ChangeStat name="Realized" of={Number(answer.realized)} />
        <ChangeStat name="vs buy and hold" of={holding} />
        <Stat name="Cycles">{answer.cycles}</Stat>
        <Stat name="Max drawdown" tone={drawdown.amount > 0 ? "down" : ""}>
          {`${number(drawdown.amount, 2)} (${inPercent(drawdown.percent, 2)})`}
        </Stat>
        <Stat name="In range">{inPercent(answer.timeInRangePercent, 1)}</Stat>
      </dl>
      <p class="quiet">
        {number(answer.bars)} candles from <Time at={answer.fromAt} /> to <Time at={answer.untilAt} />. Past
        results do not guarantee future results.
      </p>
    </>
  );
}
