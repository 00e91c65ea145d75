import { GridChart } from "../chart/chart.tsx";
import { digitsOf, number } from "../format.ts";
import { useLoad } from "../load.ts";
import { PlanArea } from "../plan-area.tsx";
import { linkTo } from "../route.ts";
import type { CandlesAnswer, Planned, Session } from "../types.ts";
import { Failed, Section } from "../ui.tsx";
import { usePlan } from "../use-plan.ts";
import { TryOut } from "./backtest.tsx";
import { BudgetPart } from "./budget.tsx";
import { Checks, NumberFields, WhereFields } from "./fields.tsx";
import { bodyOf, type Form, queryOf } from "./form.ts";
import { levelsOf } from "./levels.ts";
import { PlanShown } from "./plan.tsx";
import { StartButton } from "./start-button.tsx";
import { useGridForm } from "./use-form.ts";

const START_ROUTE = "POST /strategy/grid";

/** The page for a new grid: the form, the plan, and a start of exactly that plan. */
export function Start({ session }: { session: Session }) {
  const grid = useGridForm();
  const { form, change, holdings, quote } = grid;
  const plan = usePlan<Planned>(`${START_ROUTE}/preview`, bodyOf(form));
  return (
    <>
      <h1>Start a grid</h1>
      <div class="columns">
        <Section title="The grid">
          <WhereFields {...grid} />
          <h3>By budget</h3>
          <BudgetPart form={form} change={change} quote={quote} free={holdings.free(quote)} />
          <h3>By numbers</h3>
          <NumberFields form={form} change={change} quote={quote} />
          <Checks form={form} change={change} names={["useOwnBase", "initialBuy", "stopAtOnce", "dryRun"]} />
          <p>
            <a href={`${linkTo("backtest")}?${queryOf(form)}`}>Compare in a backtest</a>
          </p>
        </Section>
        <Section title="Preview">
          <PlanChart form={form} change={change} planned={plan.plan?.planned} />
          <PlanArea
            planning={plan}
            empty="Enter the settings, or fill them in from a budget. The plan appears here."
          >
            {(shown) => (
              <>
                <PlanShown planned={shown.planned} />
                <TryOut body={shown.body} quote={quote} />
                <StartButton route={START_ROUTE} plan={shown} planning={plan} session={session} />
              </>
            )}
          </PlanArea>
        </Section>
      </div>
    </>
  );
}

interface StartProps {
  readonly form: Form;
  readonly change: (changed: Partial<Form>) => void;
}

function PlanChart({ form, change, planned }: StartProps & { planned: Planned | undefined }) {
  const isPair = /^[A-Z0-9]+\/[A-Z0-9]+$/.test(form.symbol) && form.exchange !== "";
  const { data, error, again } = useLoad<CandlesAnswer>(isPair ? "GET /ohlcv" : undefined, {
    exchange: form.exchange,
    symbol: form.symbol,
    timeframe: "1h",
    limit: 168,
  });
  if (error) return <Failed error={error} again={again} />;
  const candles = data?.candles ?? [];
  const digits = Math.min(8, digitsOf(candles.slice(-20).map(({ close }) => close)));
  const [lower, upper] = [Number(form.lowerPrice), Number(form.upperPrice)];
  const isRange = lower > 0 && upper > lower;
  return (
    <GridChart
      label={`Candles of ${form.symbol} on ${form.exchange}, one an hour for a week, with the levels of the grid${isRange ? ` from ${number(lower)} to ${number(upper)}` : ""}`}
      candles={candles}
      fills={NO_LEVELS}
      digits={digits}
      levels={levelsOf(form, planned)}
      bounds={isRange ? { lower, upper } : undefined}
      moved={(bound, price) =>
        change({ [bound === "lower" ? "lowerPrice" : "upperPrice"]: price.toFixed(digits) })
      }
    />
  );
}

const NO_LEVELS: readonly never[] = [];
