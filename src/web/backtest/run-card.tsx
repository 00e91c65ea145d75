import { reportOf } from "../../backtest/report.tsx";
import type { LineScale } from "../chart/line-scale.ts";
import { change, feeText, inPercent, money, number, pairOf, percent, toneOf } from "../format.ts";
import { linkTo } from "../route.ts";
import { saveFile } from "../save.tsx";
import { queryOf } from "../start/form.ts";
import { ChangeStat, NoticeBox, Section, Stat, Time, Warnings } from "../ui.tsx";
import { Equity } from "./equity.tsx";
import { dropRun, type Run } from "./runs.ts";

/** A run next to the others: its total first. */
export function RunCard({ run: { key, body, answer }, scale }: { run: Run; scale: LineScale }) {
  const title = runTitle(body);
  return (
    <Section title={title}>
      <Warnings of={answer.warnings} />
      {answer.isWhole ? null : (
        <NoticeBox kind="warning">
          The server stops a backtest after two seconds. This one ended after {number(answer.bars)} candles.
          Use longer candles, or run it from the command line.
        </NoticeBox>
      )}
      <RunFigures answer={answer} />
      <Equity answer={answer} scale={scale} />
      <p class="quiet">
        {answer.exchange}, {number(answer.bars)} candles from <Time at={answer.fromAt} /> to{" "}
        <Time at={answer.untilAt} />
      </p>
      <div class="actions">
        <a class="button" href={`${linkTo("start")}?${queryOf(body)}`}>
          Use these settings
        </a>
        <button type="button" onClick={() => saveReport(answer)}>
          Save report
        </button>
        <button type="button" aria-label={`Remove ${title}`} onClick={() => dropRun(key)}>
          Remove
        </button>
      </div>
    </Section>
  );
}

function RunFigures({ answer }: { answer: Run["answer"] }) {
  const { quote } = pairOf(answer.symbol);
  const total = Number(answer.total);
  const against = total - Number(answer.holding.base);
  const { band, drawdown } = answer;
  const fees = Object.entries(answer.fees).map(([asset, fee]) => feeText(asset, fee, answer.symbol));
  return (
    <dl class="stats">
      <ChangeStat name={`Total, ${quote}`} of={total} isLarge />
      <Stat name="Return on investment" tone={toneOf(total)}>
        {percent(answer.totalPercent / 100)}
      </Stat>
      <ChangeStat name="vs buy and hold" of={against} />
      <Stat name="Max drawdown" tone={drawdown.amount > 0 ? "down" : ""}>
        {`${money(drawdown.amount)} (${inPercent(drawdown.percent, 2)})`}
      </Stat>
      <ChangeStat name="Realized" of={Number(answer.realized)} />
      <Stat name="Cycles">{answer.cycles}</Stat>
      <Stat name="Fees">{fees.join(", ") || "none"}</Stat>
      <Stat name="In range">{inPercent(answer.timeInRangePercent, 1)}</Stat>
      {band ? (
        <Stat name="Range by path and fill rule">
          {`${change(Number(band.total.least))} to ${change(Number(band.total.most))}`}
        </Stat>
      ) : null}
    </dl>
  );
}

const runTitle = (body: Run["body"]): string =>
  `${body.symbol} ${number(Number(body.lowerPrice))} – ${number(Number(body.upperPrice))}, ${body.gridLevels} levels of ${number(Number(body.orderSize))}, ${body.timeframe}`;

const saveReport = (answer: Run["answer"]): void =>
  saveFile(
    `backtest-${answer.symbol.replace("/", "-")}-${answer.fromAt}.html`,
    new Blob([reportOf(answer)], { type: "text/html" }),
  );
