import { useRef, useState } from "hono/jsx/dom";
import { isPair } from "../../kernel/pair.ts";
import { type ApiError, ask } from "../api.ts";
import { GridChart, type Level } from "../chart/chart.tsx";
import { digitsOf, money, number } from "../format.ts";
import { useLoad } from "../live.ts";
import { NumberInput, PlanArea, usePlan } from "../plan-area.tsx";
import { linkTo } from "../route.ts";
import { StartPlan } from "../strategy/plan.tsx";
import type { CandlesAnswer, PlanOfGrid, Session } from "../types.ts";
import { Choice, Failed, Field, Section } from "../ui.tsx";
import { GridPlanShown, TryOut } from "./backtest.tsx";
import { Checks, NumberFields, useGridForm, WhereFields } from "./fields.tsx";
import { bodyOf, type Form, type GuideAnswered, guidedForm, queryOf } from "./form.ts";

/** The page for a new grid: the form, the plan, and a start of exactly that plan. */
export function Start({ session }: { session: Session }) {
  const grid = useGridForm();
  const { form, change, holdings, quote } = grid;
  const plan = usePlan<PlanOfGrid>("POST /strategies/preview", bodyOf(form));
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
                <GridPlanShown planned={shown.planned} />
                <TryOut body={shown.body} />
                <StartPlan plan={shown} planning={plan} session={session} title="this grid" />
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

function PlanChart({ form, change, planned }: StartProps & { planned: PlanOfGrid | undefined }) {
  const isChosen = isPair(form.symbol) && form.exchange !== "";
  const { data, error, again } = useLoad<CandlesAnswer>(isChosen ? "GET /ohlcv" : undefined, {
    exchange: form.exchange,
    symbol: form.symbol,
    timeframe: "1h",
    limit: 168,
  });
  if (error) return <Failed error={error} again={again} />;
  const candles = data?.candles ?? [];
  const digits = Math.min(8, digitsOf(candles.slice(-20).map(({ close }) => close)) ?? 8);
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

const HOW_FAR = [
  ["narrow", "Narrow: range of the last day"],
  ["usual", "Usual: range of the last week"],
  ["wide", "Wide: range of the last month"],
] as const;

const BEYOND = [
  ["wait", "Wait until it returns"],
  ["follow", "Follow it by half the range"],
  ["stop", "Stop a little beyond, and sell the base"],
] as const;

/** A round number that the account can afford. */
const DEFAULT_BUDGET = 1000;

interface BudgetProps {
  readonly form: Form;
  readonly change: (changed: Partial<Form>) => void;
  readonly quote: string;
  /** Free quote of the account; undefined if unknown. */
  readonly free: number | undefined;
}

/** Fills in the form from a budget, a price range, and what happens beyond it. */
function BudgetPart({ form, change, quote, free }: BudgetProps) {
  const [typed, setBudget] = useState<string | undefined>(undefined);
  const budget = typed ?? String(Math.min(DEFAULT_BUDGET, Math.floor(free ?? DEFAULT_BUDGET)));
  const [onLeave, setOnLeave] = useState("wait");
  const [width, setWidth] = useState("usual");
  const [error, setError] = useState<ApiError | undefined>(undefined);
  const latest = useRef<Event | null>(null);
  const market = useRef("");
  market.current = `${form.symbol} on ${form.exchange}`;
  const fill = async (event: Event) => {
    event.preventDefault();
    latest.current = event;
    const requested = market.current;
    const { exchange, symbol } = form;
    const body = { exchange, symbol: symbol.trim().toUpperCase(), budget: Number(budget), width, onLeave };
    try {
      const guide = await ask<GuideAnswered>("POST /strategy/grid/guide", { body });
      // An older response must not replace the newer one, or fill the form of another market.
      if (latest.current !== event || market.current !== requested) return;
      change(guidedForm(guide));
      setError(undefined);
    } catch (failed) {
      if (latest.current === event) setError(failed as ApiError);
    }
  };
  return (
    <form class="fields" onSubmit={(event: Event) => void fill(event)}>
      <Field
        label={`Budget, ${quote}`}
        // An empty line until the amount arrives, so that no button moves under the pointer.
        hint={free === undefined ? "\u00a0" : `${money(free)} ${quote} free`}
      >
        <NumberInput value={budget} change={setBudget} />
      </Field>
      <Field label="Width of the range" wide>
        <Choice value={width} choices={HOW_FAR} choose={setWidth} />
      </Field>
      <Field label="If the price leaves the range" wide>
        <Choice value={onLeave} choices={BEYOND} choose={setOnLeave} />
      </Field>
      <button type="submit" disabled={form.exchange === "" || form.symbol === ""}>
        Fill in the numbers
      </button>
      {error ? <Failed error={error} /> : null}
    </form>
  );
}

/** Returns the price levels of the plan's orders, and its start and stop prices. */
function levelsOf(form: Form, planned: PlanOfGrid | undefined): Level[] {
  const [lower, upper] = [Number(form.lowerPrice), Number(form.upperPrice)];
  const bounds = [lower, upper].filter((price) => price > 0);
  const { lowerPrice, upperPrice } = planned?.details ?? {};
  const isOfForm = Number(lowerPrice) === lower && Number(upperPrice) === upper;
  const placed = planned && isOfForm ? plannedLevels(planned) : [];
  const named = [
    [form.stopLossPrice, "stop loss", "stop"],
    [form.takeProfitPrice, "take profit", "stop"],
    [form.triggerPrice, "trigger", "line"],
  ] as const;
  return [
    ...placed,
    ...(placed.length > 0 ? [] : bounds.map((price): Level => ({ price, kind: "empty" }))),
    ...named
      .filter(([text]) => Number(text) > 0)
      .map(([text, name, kind]): Level => ({ price: Number(text), kind, name })),
  ];
}

function plannedLevels({ details: { slots }, orders, refused }: PlanOfGrid): Level[] {
  const prices = [...new Set(slots.flatMap(({ lowerPrice, upperPrice }) => [lowerPrice, upperPrice]))];
  const waiting = new Set(refused.map(({ id }) => id));
  const initial = orders.filter(({ crosses }) => crosses);
  const levels = prices.map((text): Level => {
    const price = Number(text);
    const order = orders.find((one) => one.price === text && !one.crosses);
    if (order) return { price, kind: order.side };
    const isRefused = slots.some((slot) => slot.upperPrice === text && waiting.has(String(slot.slot)));
    return { price, kind: isRefused ? "refused" : "empty" };
  });
  return [
    ...initial.map(({ price, side }): Level => ({ price: Number(price), kind: side, name: "initial buy" })),
    ...levels,
  ];
}
