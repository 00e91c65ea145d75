import { useState } from "hono/jsx/dom";
import { pluralize } from "../kernel/plain-text.ts";
import { type ApiError, ask } from "./api.ts";
import { addRun, dropRun, type Run, runs } from "./backtest-runs.ts";
import { type LinePoint, type LineScale, lineScaleOf } from "./chart/line-scale.ts";
import { TwoLines } from "./chart/two-lines.tsx";
import { inPercent, number, percent, toneOf } from "./format.ts";
import type { Holdings } from "./holdings.ts";
import { linkTo, useRoute } from "./route.ts";
import { useValue } from "./session.ts";
import { backtestOf, RunFigures } from "./start/backtest.tsx";
import {
  FormFields,
  PlaceFields,
  type StartState,
  useLastWeek,
  useStart,
  WithForm,
} from "./start/fields.tsx";
import { FormTabs } from "./start/page.tsx";
import { ShapePresets } from "./start/presets.tsx";
import {
  requestIn,
  type StartForm,
  startAddress,
  startBody,
  type TypedTexts,
  typedText,
  wholeTexts,
} from "./start/settings.ts";
import { numberColumn, Table, type TableColumn } from "./table.tsx";
import type { Backtest as Answer, Backtest, SuggestionAnswer } from "./types.ts";
import { Choice, Failed, Field, NoticeBox, Section, Stat, saveFile, Time, Warnings } from "./ui.tsx";

const BACKTEST_FRAMES = [
  ["1m", "1 minute"],
  ["5m", "5 minutes"],
  ["15m", "15 minutes"],
  ["1h", "1 hour"],
  ["4h", "4 hours"],
  ["1d", "1 day"],
] as const;

/** Number of fills in a report. */
const FILLS = 500;

/** The backtest page: a suggestion, and runs side by side. */
export function BacktestPage({ name }: { name: string }) {
  const { query } = useRoute();
  return (
    <>
      <h1>Backtest</h1>
      <WithForm is={({ key }) => key === name}>
        {(form, all) => (
          <>
            <FormTabs all={all} here={name} page="backtest" />
            <FormBacktest form={form} all={all} query={query} />
          </>
        )}
      </WithForm>
    </>
  );
}

interface BacktestProps {
  readonly form: StartForm;
  readonly all: readonly StartForm[];
  readonly query: URLSearchParams;
}

function FormBacktest({ form, all, query }: BacktestProps) {
  const state = useStart(form, requestIn(query), "backtest");
  const [timeframe, setTimeframe] = useState<string>("15m");
  const { texts, change, holdings } = state;
  const run = useRun(form, timeframe, holdings);
  const take = (found: Readonly<Record<string, unknown>>) => {
    const cautious = { allowLoss: false, useOwnBase: false, initialBuy: texts.initialBuy === "true" };
    const next = wholeTexts(form, { ...found, config: { ...found, ...cautious } });
    change(next);
    void run.of({ dryRun: texts.dryRun ?? "", ...next });
  };
  return (
    <div class="columns">
      <RunForm {...state} run={run} timeframe={timeframe} choose={setTimeframe} />
      <div>
        {form.key === "grid" ? <Suggest {...state} timeframe={timeframe} take={take} /> : null}
        <Runs all={all} />
      </div>
    </div>
  );
}

type RunFormProps = StartState & {
  readonly timeframe: string;
  readonly choose: (frame: string) => void;
  readonly run: ReturnType<typeof useRun>;
};

function RunForm({ run, timeframe, choose, ...state }: RunFormProps) {
  const { form, texts, body, missing, market } = state;
  const week = useLastWeek(market).data?.candles ?? [];
  const fields = (isAdvanced: boolean) => (
    <FormFields
      {...state}
      settings={form.settings.filter(
        ({ name, step }) => (step === "advanced") === isAdvanced && name !== "useOwnBase",
      )}
      symbol={texts.symbol ?? ""}
    />
  );
  return (
    <Section title="Settings">
      <PlaceFields {...state} />
      <div class="fields">
        <Field label="Candle length" hint="The latest 1,000 candles, or all stored ones">
          <Choice value={timeframe} choices={BACKTEST_FRAMES} choose={choose} />
        </Field>
      </div>
      <ShapePresets {...state} closes={week.map(({ close }) => close)} />
      {fields(false)}
      <details>
        <summary>Advanced</summary>
        {fields(true)}
      </details>
      <p>
        <button
          type="button"
          class="primary"
          disabled={run.isBusy || body === undefined}
          onClick={() => void run.of(texts)}
        >
          {run.isBusy ? "Running…" : "Run it"}
        </button>
      </p>
      {missing.length > 0 ? <p class="quiet">To run it, fill in: {missing.join(", ")}.</p> : null}
      {run.error ? <Failed error={run.error} /> : null}
    </Section>
  );
}

function useRun(form: StartForm, timeframe: string, holdings: Holdings) {
  const [state, setState] = useState<{ isBusy: boolean; error?: ApiError }>({ isBusy: false });
  const of = async (texts: TypedTexts) => {
    const { body: start } = startBody(form, texts);
    if (!start) return;
    setState({ isBusy: true });
    try {
      const request = { ...backtestOf(start, holdings), timeframe, fills: FILLS };
      const answer = await ask<Answer>("POST /backtest", { body: request });
      addRun({ key: crypto.randomUUID(), form: form.key, timeframe, start, answer });
      setState({ isBusy: false });
    } catch (error) {
      setState({ isBusy: false, error: error as ApiError });
    }
  };
  return { ...state, of };
}

function Runs({ all }: { all: readonly StartForm[] }) {
  const kept = useValue(runs);
  if (kept.length === 0)
    return (
      <Section title="Runs">
        <p class="empty">No backtests yet. Results stay here for comparison until you close this tab.</p>
      </Section>
    );
  // One scale, so that the results can be compared.
  const scale = lineScaleOf(kept.flatMap(({ answer }) => pointsOf(answer)));
  return (
    <div class="runs" role="group" aria-label="Runs">
      {kept.map((run) => (
        <RunCard key={run.key} form={all.find(({ key }) => key === run.form)} run={run} scale={scale} />
      ))}
    </div>
  );
}

/** Returns a value as a percentage of the investment. */
const shareOf = (value: string, { invested }: Backtest): number =>
  (Number(value) / Number(invested) - 1) * 100;

const pointsOf = (answer: Backtest): LinePoint[] =>
  answer.series.map(({ timestamp, equity, buyAndHold }) => ({
    timestamp,
    own: shareOf(equity, answer),
    buyAndHold: shareOf(buyAndHold, answer),
  }));

/** Chart of equity, and of buy and hold. */
function Equity({ answer, scale }: { answer: Backtest; scale: LineScale }) {
  const points = pointsOf(answer);
  const last = points.at(-1);
  if (!last) return null;
  return (
    <TwoLines
      points={points}
      scale={scale}
      label={`Final equity ${inPercent(last.own, 2)}, buy and hold at ${inPercent(last.buyAndHold, 2)}`}
      caption={`Equity (solid) and buy and hold (dashed), ${number(scale.min, 1)} to ${inPercent(scale.max, 1)}`}
    />
  );
}

/** A run next to the others: its total first. */
function RunCard({ form, run, scale }: { form: StartForm | undefined; run: Run; scale: LineScale }) {
  const { key, start, answer } = run;
  const title = `${answer.symbol} ${runWords(run, form).join(", ")}`;
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
        {answer.exchange}, {pluralize(number(answer.bars), "candle")} from <Time at={answer.fromAt} /> to{" "}
        <Time at={answer.untilAt} />
      </p>
      <div class="actions">
        {form ? (
          <a class="button" href={`${linkTo("start", form.key)}?${startAddress(form, start)}`}>
            Use these settings
          </a>
        ) : null}
        <button type="button" onClick={() => void saveReport(run)}>
          Save report
        </button>
        <button type="button" aria-label={`Remove ${title}`} onClick={() => dropRun(key)}>
          Remove
        </button>
      </div>
    </Section>
  );
}

/** Returns what tells a run from others: its shape and the candles. */
function runWords({ start, timeframe }: Run, form: StartForm | undefined): readonly string[] {
  const config = start.config as Readonly<Record<string, number | string | undefined>>;
  const { lowerPrice, upperPrice, gridLevels, orderSize } = config;
  if (gridLevels !== undefined && lowerPrice !== undefined)
    return [
      `${number(Number(lowerPrice))} – ${number(Number(upperPrice))}`,
      `${gridLevels} levels of ${number(Number(orderSize))}`,
      timeframe,
    ];
  const set = (form?.settings ?? []).flatMap((one) => {
    const value = config[one.name];
    if (value === undefined || one.kind !== "number" || one.step !== "shape") return [];
    const isShare = one.unit === "percent" || one.unit === "share";
    return [`${one.label.split(",")[0]?.toLowerCase()} ${typedText(one, value)}${isShare ? " %" : ""}`];
  });
  return [
    form?.noun.replace(/^an? /, "") ?? String(start.definition),
    ...set.slice(0, MAX_RUN_WORDS),
    timeframe,
  ];
}

/** Settings in the title of a run. */
const MAX_RUN_WORDS = 4;

/** Each run has a file name that differs from those of all others, also with the same settings. */
async function saveReport(run: Run): Promise<void> {
  const { reportOf } = await import("../backtest/report.tsx");
  const { start, form: formKey, timeframe, answer, key } = run;
  const { lowerPrice, upperPrice, gridLevels } = start.config as Readonly<Record<string, unknown>>;
  const shape = gridLevels === undefined ? formKey : `${lowerPrice}-${upperPrice}-${gridLevels}-levels`;
  saveFile(
    `backtest-${answer.symbol.replace("/", "-")}-${shape}-${timeframe}-${key.slice(0, 8)}.html`,
    new Blob([reportOf(answer)], { type: "text/html" }),
  );
}

type SuggestedGrid = SuggestionAnswer["best"][number];

/** Maximum duration in seconds, because passes wait for the calculation. */
const SECONDS = 10;

interface SuggestProps extends Pick<StartState, "form" | "texts" | "budget"> {
  readonly timeframe: string;
  /** Tests a suggested grid, on the market that it was found for. */
  readonly take: (grid: SuggestedGrid & Pick<SuggestionAnswer, "exchange" | "symbol">) => void;
}

/** Suggests grid settings from a pair's price history. */
function Suggest({ form, texts, timeframe, budget, take }: SuggestProps) {
  const { exchange = "", symbol = "" } = texts;
  const [state, setState] = useState<{ answer?: SuggestionAnswer; error?: ApiError; isBusy?: boolean }>({});
  const look = () => {
    setState({ isBusy: true });
    const body = { exchange, symbol, timeframe, budget: Number(budget), seconds: SECONDS };
    ask<SuggestionAnswer>("POST /strategy/grid/suggest", { body }).then(
      (answer) => setState({ answer }),
      (error) => setState({ error }),
    );
  };
  return (
    <Section title="Suggest">
      <p>
        Tests 2,000 grids for the budget on past prices, and shows whether the best ones are more than luck.
      </p>
      <button
        type="button"
        disabled={state.isBusy === true || exchange === "" || symbol === "" || !(Number(budget) > 0)}
        onClick={look}
      >
        {state.isBusy ? "Testing 2,000 grids…" : "Find settings"}
      </button>
      {state.error ? <Failed error={state.error} /> : null}
      {state.answer ? (
        <SuggestionResult form={form} found={state.answer} dryRun={texts.dryRun} take={take} />
      ) : null}
    </Section>
  );
}

const sentence = (text: string): string => `${text.slice(0, 1).toUpperCase()}${text.slice(1)}.`;

interface ResultProps extends Pick<SuggestProps, "form" | "take"> {
  readonly found: SuggestionAnswer;
  /** Whether its settings are for paper trading, as text. */
  readonly dryRun: string | undefined;
}

function SuggestionResult(props: ResultProps) {
  const { found } = props;
  const { verdict, note, hasWinner, reasons, best, windows } = found;
  const [first, last] = [windows[0], windows.at(-1)];
  return (
    <>
      <NoticeBox kind={hasWinner ? "note" : "warning"}>
        <b>{sentence(verdict)}</b> {hasWinner ? "Past results do not guarantee future results. " : ""}
        {sentence(note)}
      </NoticeBox>
      {reasons.length > 0 ? (
        <ul>
          {reasons.map((reason) => (
            <li key={reason}>{sentence(reason)}</li>
          ))}
        </ul>
      ) : null}
      <Measures found={found} />
      <Table
        label={hasWinner ? "Best grids on past prices" : "Best grids on past prices, none better than chance"}
        columns={suggestionColumns(props)}
        rows={best}
        keyOf={gridKey}
        empty="No grid was tried."
      />
      {first && last ? (
        <p class="quiet">
          {found.symbol} on {found.exchange}: {pluralize(number(found.bars), "candle")} in{" "}
          {pluralize(windows.length, "window")} from <Time at={first.from} /> to <Time at={last.until} />; the
          last one, from <Time at={last.from} />, only tests the result.
        </p>
      ) : null}
    </>
  );
}

const gridKey = ({ lowerPrice, upperPrice, gridLevels, spacingModel }: SuggestedGrid): string =>
  `${lowerPrice} ${upperPrice} ${gridLevels} ${spacingModel}`;

const Measures = ({
  found: { overfitting, best, looked, refused, complete },
}: {
  found: SuggestionAnswer;
}) => (
  <dl class="stats">
    <Stat name="Probability of overfitting (PBO)" tone={overfitting > 0.5 ? "large down" : "large"}>
      {inPercent(overfitting * 100, 1)}
    </Stat>
    <Stat name="Deflated Sharpe ratio, 95 % needed">
      {best[0] ? inPercent(best[0].deflatedSharpe * 100, 1) : "–"}
    </Stat>
    <Stat name="Plateau, 0.5 needed">{best[0] ? number(best[0].plateau, 2) : "–"}</Stat>
    <Stat name="Grids tried">{`${pluralize(number(looked), "grid")}${complete ? "" : ", stopped by the time limit"}`}</Stat>
    <Stat name="Skipped: fees or minimums">{number(refused)}</Stat>
  </dl>
);

const shareShown = (value: number) => <span class={toneOf(value)}>{percent(value)}</span>;

const RESULT_COLUMNS: readonly TableColumn<SuggestedGrid>[] = [
  {
    name: "Last window",
    isNumber: true,
    of: (one) => (
      <>
        {shareShown(one.lastReturn)}
        <small>{pluralize(one.lastCycles, "cycle")}</small>
      </>
    ),
    by: ({ lastReturn }) => lastReturn,
  },
  {
    name: "Earlier windows",
    of: ({ returns }) => returns.map((one) => percent(one, 1)).join(", "),
  },
  numberColumn("Mean", ({ meanReturn }) => meanReturn, shareShown),
  numberColumn("Worst", ({ worstReturn }) => worstReturn, shareShown),
  numberColumn(
    "Deflated",
    ({ deflatedSharpe }) => deflatedSharpe,
    (share) => inPercent(share * 100, 1),
  ),
  numberColumn(
    "Plateau",
    ({ plateau }) => plateau,
    (share) => number(share, 2),
  ),
];

function suggestionColumns({
  form,
  found: { exchange, symbol },
  dryRun,
  take,
}: ResultProps): readonly TableColumn<SuggestedGrid>[] {
  return [
    {
      name: "Grid",
      isHead: true,
      of: (one) => (
        <>
          {number(one.lowerPrice)} – {number(one.upperPrice)}
          <small>
            {one.gridLevels} levels of {number(one.orderSize)}, {one.spacingModel}
          </small>
        </>
      ),
    },
    ...RESULT_COLUMNS,
    {
      name: "Next",
      of: (one) => (
        <div class="actions">
          <button type="button" onClick={() => take({ exchange, symbol, ...one })}>
            Backtest it
          </button>
          <a
            class="button"
            href={`${linkTo("start")}?${startAddress(form, { exchange, symbol, dryRun, config: one })}`}
          >
            Use these settings
          </a>
        </div>
      ),
    },
  ];
}
