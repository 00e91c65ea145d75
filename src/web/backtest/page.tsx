import { useEffect, useState } from "hono/jsx/dom";
import { type ApiError, ask } from "../api.ts";
import { pairOf } from "../format.ts";
import { useLoad } from "../load.ts";
import { useRoute } from "../route.ts";
import { Checks, MarketFields, NumberFields } from "../start/fields.tsx";
import { bodyOf, type Form, formOf } from "../start/form.ts";
import type { Backtest as Answer, Exchanges } from "../types.ts";
import { Failed, Field, Section } from "../ui.tsx";
import { useValue } from "../value.ts";
import { sharedScale } from "./equity.tsx";
import { RunCard } from "./run-card.tsx";
import { addRun, runs } from "./runs.ts";
import { Suggest } from "./suggest.tsx";

const FRAMES = [
  ["1m", "1 minute"],
  ["5m", "5 minutes"],
  ["15m", "15 minutes"],
  ["1h", "1 hour"],
  ["4h", "4 hours"],
  ["1d", "1 day"],
] as const;

/** Fills that a report draws. */
const FILLS = 500;

/** What grids would have done: one suggested, and runs side by side. */
export function BacktestPage() {
  const { query } = useRoute();
  const [form, setForm] = useState<Form>(formOf(query));
  const [timeframe, setTimeframe] = useState<string>("15m");
  const exchanges = useLoad<Exchanges>("GET /exchanges");
  const change = (changed: Partial<Form>) => setForm((before) => ({ ...before, ...changed }));
  useEffect(() => {
    const first = exchanges.data?.exchanges[0]?.id;
    if (form.exchange === "" && first !== undefined) change({ exchange: first });
  }, [exchanges.data]);
  const run = useRun(timeframe);
  const { quote } = pairOf(form.symbol);
  const taken = (grid: Readonly<Record<string, unknown>>) => {
    const next = {
      ...form,
      ...formOf(new URLSearchParams(textsOf(grid))),
      exchange: form.exchange,
      symbol: form.symbol,
    };
    setForm(next);
    void run.of(next);
  };
  return (
    <>
      <h1>Backtest</h1>
      <div class="columns">
        <Section title="The grid">
          {exchanges.error ? <Failed error={exchanges.error} again={exchanges.again} /> : null}
          <MarketFields form={form} change={change} exchanges={exchanges.data?.exchanges ?? []} />
          <Frames timeframe={timeframe} choose={setTimeframe} />
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
        <div>
          <Suggest form={form} timeframe={timeframe} take={taken} />
          <Runs />
        </div>
      </div>
    </>
  );
}

const textsOf = (grid: Readonly<Record<string, unknown>>): Record<string, string> =>
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

const Frames = ({ timeframe, choose }: { timeframe: string; choose: (frame: string) => void }) => (
  <div class="fields">
    <Field label="Candles of" hint="The newest thousand, or all that `edgemaker candles` has kept">
      <select
        value={timeframe}
        onChange={(event: Event) => choose((event.target as HTMLSelectElement).value)}
      >
        {FRAMES.map(([frame, name]) => (
          <option key={frame} value={frame}>
            {name}
          </option>
        ))}
      </select>
    </Field>
  </div>
);

function Runs() {
  const kept = useValue(runs);
  if (kept.length === 0)
    return (
      <Section title="Runs">
        <p class="empty">
          None was run in this tab yet. Each that you run stands here beside the others, until the tab is
          closed.
        </p>
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
