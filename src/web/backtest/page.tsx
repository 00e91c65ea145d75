import { useState } from "hono/jsx/dom";
import { type ApiError, ask } from "../api.ts";
import { Checks, NumberFields, WhereFields } from "../start/fields.tsx";
import { bodyOf, type Form, formOf } from "../start/form.ts";
import { useGridForm } from "../start/use-form.ts";
import type { Backtest as Answer } from "../types.ts";
import { Choice, Failed, Field, Section } from "../ui.tsx";
import { useValue } from "../value.ts";
import { sharedScale } from "./equity.tsx";
import { RunCard } from "./run-card.tsx";
import { addRun, runs } from "./runs.ts";
import { Suggest } from "./suggest.tsx";

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
export function BacktestPage() {
  const grid = useGridForm();
  const [timeframe, setTimeframe] = useState<string>("15m");
  const run = useRun(timeframe);
  const { form, change } = grid;
  const take = (found: Readonly<Record<string, unknown>>) => {
    const { initialBuy } = form;
    const next = { ...formOf(new URLSearchParams(formTexts(found))), initialBuy };
    change(next);
    void run.of(next);
  };
  return (
    <>
      <h1>Backtest</h1>
      <div class="columns">
        <GridPart {...grid} run={run} timeframe={timeframe} choose={setTimeframe} />
        <div>
          <Suggest form={form} timeframe={timeframe} free={grid.holdings.free(grid.quote)} take={take} />
          <Runs />
        </div>
      </div>
    </>
  );
}

interface Choosing {
  readonly timeframe: string;
  readonly choose: (frame: string) => void;
}

function GridPart({
  run,
  timeframe,
  choose,
  ...grid
}: ReturnType<typeof useGridForm> & Choosing & { run: ReturnType<typeof useRun> }) {
  const { form, change, quote } = grid;
  return (
    <Section title="The grid">
      <WhereFields {...grid} />
      <Frames timeframe={timeframe} choose={choose} />
      <NumberFields form={form} change={change} quote={quote} />
      <Checks form={form} change={change} names={["initialBuy"]} />
      <p>
        <button
          type="button"
          class="primary"
          disabled={run.isBusy || bodyOf(form) === undefined}
          onClick={() => void run.of(form)}
        >
          {run.isBusy ? "Running…" : "Run it"}
        </button>
      </p>
      {run.error ? <Failed error={run.error} /> : null}
    </Section>
  );
}

const formTexts = (grid: Readonly<Record<string, unknown>>): Record<string, string> =>
  Object.fromEntries(Object.entries(grid).map(([name, value]) => [name, String(value)]));

function useRun(timeframe: string) {
  const [state, setState] = useState<{ isBusy: boolean; error?: ApiError }>({ isBusy: false });
  const of = async (form: Form) => {
    const body = { ...bodyOf(form), timeframe };
    setState({ isBusy: true });
    try {
      const answer = await ask<Answer>("POST /backtest", { body: { ...body, fills: FILLS } });
      addRun({ key: crypto.randomUUID(), body, answer });
      setState({ isBusy: false });
    } catch (error) {
      setState({ isBusy: false, error: error as ApiError });
    }
  };
  return { ...state, of };
}

const Frames = ({ timeframe, choose }: Choosing) => (
  <div class="fields">
    <Field label="Candle length" hint="The latest 1,000 candles, or all stored ones">
      <Choice value={timeframe} choices={BACKTEST_FRAMES} choose={choose} />
    </Field>
  </div>
);

function Runs() {
  const kept = useValue(runs);
  if (kept.length === 0)
    return (
      <Section title="Runs">
        <p class="empty">No backtests yet. Results stay here for comparison until you close this tab.</p>
      </Section>
    );
  const scale = sharedScale(kept.map(({ answer }) => answer));
  return (
    <div class="runs" role="group" aria-label="Runs">
      {kept.map((run) => (
        <RunCard key={run.key} run={run} scale={scale} />
      ))}
    </div>
  );
}
