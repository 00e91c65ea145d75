import { useState } from "hono/jsx/dom";
import { GridChart, type Level } from "../chart/chart.tsx";
import { digitsOf, number, pairOf } from "../format.ts";
import { useMode } from "../mode.tsx";
import { PlanArea, usePlan } from "../plan-area.tsx";
import { goTo, linkTo, useRoute } from "../route.ts";
import { ById } from "../strategy/parts.tsx";
import { isPlanOfGrid, PlanShown, StartPlan } from "../strategy/plan.tsx";
import type { AnyPlan, CandlesAnswer, Session, StatusOfAny } from "../types.ts";
import { Failed, Section, useTitle } from "../ui.tsx";
import { TryOut } from "./backtest.tsx";
import {
  CheckField,
  FormFields,
  PlaceFields,
  type StartState,
  useLastWeek,
  useStart,
  WithForm,
} from "./fields.tsx";
import { PayoffCurve } from "./payoff-curve.tsx";
import { ShapePresets } from "./presets.tsx";
import {
  type AgainRequest,
  type FormStep,
  isFormOf,
  requestIn,
  type StartForm,
  startAddress,
  textKey,
  wholeTexts,
} from "./settings.ts";

import { SaveTemplate, TemplateList } from "./templates.tsx";

/** The page that starts anything: its market, shape and safety, the plan, and a start of exactly that plan. */
export const Start = ({ name, session }: { name: string; session: Session }) => {
  const { query } = useRoute();
  return (
    <WithForm is={({ key }) => key === name}>
      {(form, all) => <StartForms form={form} all={all} request={requestIn(query)} session={session} />}
    </WithForm>
  );
};

/** The page that starts a strategy with the settings of another one. */
export const Clone = ({ id, session }: { id: string; session: Session }) => (
  <ById<StatusOfAny> id={id}>
    {({ startAgain }) => (
      <WithForm is={isFormOf(startAgain)} lost=", so it cannot be started again">
        {(form) => <StartForms form={form} request={startAgain} session={session} />}
      </WithForm>
    )}
  </ById>
);

interface FormsProps {
  readonly form: StartForm;
  /** The forms to choose from; absent for a start with the settings of another strategy. */
  readonly all?: readonly StartForm[];
  readonly request: AgainRequest;
  readonly session: Session;
}

function StartForms({ form, all, request, session }: FormsProps) {
  const { key, noun, summary } = form;
  const state = useStart(form, request, all ? "start" : "again");
  const { market, missing, body } = state;
  const title = all ? `Start ${noun}` : `Start the same ${noun.replace(/^a /, "")} again`;
  useTitle(title);
  useMode(state.texts.dryRun === "true" ? "paper" : undefined);
  const plan = usePlan<AnyPlan>("POST /strategies/preview", body, key);
  const { data, error, again } = useLastWeek(market);
  const candles = data?.candles ?? NO_CLOSES;
  return (
    <>
      {all ? <FormTabs all={all} here={key} page="start" /> : null}
      <h1>{title}</h1>
      {summary ? <p>{summary}.</p> : null}
      <div class="columns">
        <FormSteps {...state} all={all} closes={candles.map(({ close }) => close)} />
        <Section title="Plan">
          {error ? <Failed error={error} again={again} /> : null}
          <PlanChart state={state} candles={candles} planned={plan.plan?.planned} />
          <PlanArea planning={plan} empty="The plan appears here.">
            {(shown) => (
              <>
                <PlanShown planned={shown.planned} before={<PayoffCurve planned={shown.planned} />} />
                <TryOut body={shown.body} holdings={state.holdings} />
              </>
            )}
          </PlanArea>
        </Section>
      </div>
      <StartPlan
        plan={missing.length === 0 ? plan.plan : undefined}
        planning={plan}
        session={session}
        title={noun}
        // A list that changes while the account loads would move the button.
        missing={state.holdings.pairs ? missing : []}
      />
    </>
  );
}

/** The forms of all definitions, each on its own page. */
export const FormTabs = ({ all, here, page }: { all: readonly StartForm[]; here: string; page: string }) => (
  <nav class="tabs" aria-label="Definitions">
    {all.map(({ key, title }) => (
      <a key={key} href={linkTo(page, key)} {...(key === here ? { "aria-current": "page" } : {})}>
        {title}
      </a>
    ))}
  </nav>
);

interface FormStepsProps extends StartState {
  readonly closes: readonly number[];
  /** Forms of which a template can be loaded. */
  readonly all?: readonly StartForm[] | undefined;
}

/** The three steps of every start. */
function FormSteps({ closes, all = [], ...state }: FormStepsProps) {
  const { form, texts, change, body } = state;
  const { key } = form;
  // Settings of another strategy are in sight.
  const [isOpen] = useState(() =>
    form.settings.some((one) => {
      const name = textKey(one, texts.symbol ?? "");
      return one.step === "advanced" && (texts[name] ?? "") !== (form.first[name] ?? "");
    }),
  );
  const load = (request: AgainRequest) => {
    const other = all.find(isFormOf(request));
    if (!other) return;
    change({ dryRun: "", ...wholeTexts(other, request) }, other);
    goTo("start", other.key);
  };
  return (
    <div class="form">
      <Section title="Market">
        <PlaceFields {...state} />
        <div class="checks">
          <CheckField
            name="dryRun"
            label="Paper trading: live prices, no real orders"
            texts={texts}
            change={change}
          />
        </div>
        {all.length > 0 ? <TemplateList load={load} /> : null}
      </Section>
      <Section title="Shape">
        <ShapePresets {...state} closes={closes} />
        <StepFields step="shape" {...state} />
        {body ? (
          <a href={`${linkTo("backtest", key)}?${startAddress(form, body)}`}>Compare in a backtest</a>
        ) : null}
      </Section>
      <Section title="Safety">
        <StepFields step="safety" {...state} />
        <details open={isOpen}>
          <summary>Advanced</summary>
          <StepFields step="advanced" {...state} />
        </details>
        <SaveTemplate request={body} />
      </Section>
    </div>
  );
}

const StepFields = ({ step, form, texts, change, price, holdings }: StartState & { step: FormStep }) => (
  <FormFields
    settings={form.settings.filter((one) => one.step === step)}
    texts={texts}
    change={change}
    symbol={texts.symbol ?? ""}
    price={price}
    holdings={holdings}
  />
);

const NO_CLOSES: readonly never[] = [];

interface PlanChartProps {
  readonly state: StartState;
  readonly candles: readonly CandlesAnswer["candles"][number][];
  readonly planned: AnyPlan | undefined;
}

/** The week's candles with the orders of the plan; the bounds of a grid can be dragged. */
function PlanChart({ state: { form, texts, change }, candles, planned }: PlanChartProps) {
  const { exchange = "", symbol = "" } = texts;
  const digits = digitsOf(candles.slice(-20).map(({ close }) => close)) ?? 8;
  const settingText = (name: string) => texts[textKey({ name, unit: "price" }, symbol)];
  const bounds = { lower: Number(settingText("lowerPrice")), upper: Number(settingText("upperPrice")) };
  const isRange = form.key === "grid" && bounds.lower > 0 && bounds.upper > bounds.lower;
  const { lowerPrice, upperPrice } = planned && isPlanOfGrid(planned) ? planned.details : {};
  const isOfForm = !isRange || (Number(lowerPrice) === bounds.lower && Number(upperPrice) === bounds.upper);
  const placed = planned?.symbol === symbol && isOfForm ? plannedLevels(planned) : [];
  const edges = placed.length === 0 && form.key === "grid" ? Object.values(bounds) : [];
  const named = NAMED_LEVELS.map(
    ([name, text, kind]): Level => ({ price: Number(settingText(name)), kind, name: text }),
  );
  const { quote } = pairOf(symbol);
  return (
    <GridChart
      label={`Candles of ${symbol} on ${exchange}, one an hour for a week, with the levels of the plan${isRange ? ` from ${number(bounds.lower)} to ${number(bounds.upper)} ${quote}` : ""}`}
      candles={candles}
      fills={NO_CLOSES}
      digits={digits}
      levels={[...placed, ...edges.map((price): Level => ({ price, kind: "empty" })), ...named].filter(
        ({ price }) => price > 0,
      )}
      bounds={isRange ? bounds : undefined}
      moved={(bound, price) =>
        change({ [textKey({ name: `${bound}Price`, unit: "price" }, symbol)]: price.toFixed(digits) })
      }
    />
  );
}

const NAMED_LEVELS = [
  ["stopLossPrice", "stop loss", "stop"],
  ["takeProfitPrice", "take profit", "stop"],
  ["triggerPrice", "trigger", "line"],
] as const;

/** Returns the prices of the plan's orders, and of a grid's slots without one. */
function plannedLevels(planned: AnyPlan): Level[] {
  const { orders, refused } = planned;
  const slots = isPlanOfGrid(planned) ? planned.details.slots : [];
  const prices = new Set(slots.flatMap(({ lowerPrice, upperPrice }) => [lowerPrice, upperPrice]));
  for (const { price, crosses } of orders) if (!crosses) prices.delete(price);
  const waiting = new Set(refused.map(({ id }) => id));
  const isRefused = (price: string) =>
    slots.some(({ slot, upperPrice }) => upperPrice === price && waiting.has(String(slot)));
  return [
    ...orders.map(
      ({ price, side, crosses }): Level => ({
        price: Number(price),
        kind: side,
        ...(crosses ? { name: "at once" } : {}),
      }),
    ),
    ...[...prices].map(
      (price): Level => ({ price: Number(price), kind: isRefused(price) ? "refused" : "empty" }),
    ),
  ];
}
