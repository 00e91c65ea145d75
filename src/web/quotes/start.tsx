import { useState } from "hono/jsx/dom";
import { amount, money, pairOf } from "../format.ts";
import { PlanArea } from "../plan-area.tsx";
import { Checks, WhereFields } from "../start/fields.tsx";
import { NumberSettings, settingsBody } from "../start/settings.tsx";
import { StartPlan } from "../start/start-button.tsx";
import { useMarketForm } from "../start/use-form.ts";
import type { PlannedQuotes, Session } from "../types.ts";
import { Section } from "../ui.tsx";
import { type Planning, type RequestedPlan, usePlan } from "../use-plan.ts";
import { QuotePlanView, sideText } from "./plan.tsx";
import { quoteSettings } from "./settings.ts";

const FIRST_QUOTES = { spread: "2", within: "1.7", levels: "3" };
const REQUIRED = ["spread", "depth", "within", "levels"];
/** Settings in the base of a pair, or at its price. Another pair clears them. */
const OF_PAIR = ["baseBudget", "maxBase", "minBase", "fixedPrice"];

/** The page for new quotes: the form, the plan, and a start of exactly that plan. */
export function StartQuotes({ session }: { session: Session }) {
  const market = useMarketForm({ exchange: "", symbol: "", dryRun: false });
  const { form, holdings, quote } = market;
  const { base } = pairOf(form.symbol);
  const [texts, setTexts] = useState<Readonly<Record<string, string>>>(FIRST_QUOTES);
  const freeOf = (asset: string) => {
    const free = holdings.free(asset);
    return `Empty: all free ${asset}${free === undefined ? "" : `, ${money(free)} now`}`;
  };
  const settings = Object.values(quoteSettings(base, quote)).map((one) => ({
    ...one,
    isRequired: REQUIRED.includes(one.name),
    ...(one.name === "quoteBudget" ? { hint: freeOf(quote) } : {}),
    ...(one.name === "baseBudget" ? { hint: freeOf(base) } : {}),
  }));
  const numbers = settingsBody(settings, texts);
  const change: typeof market.change = (changed) => {
    if ((changed.symbol ?? form.symbol) !== form.symbol)
      setTexts((all) => Object.fromEntries(Object.entries(all).filter(([name]) => !OF_PAIR.includes(name))));
    market.change(changed);
  };
  const { exchange, symbol, dryRun } = form;
  const body =
    numbers && exchange !== "" && symbol !== ""
      ? { exchange, symbol, ...numbers, ...(dryRun ? { dryRun } : {}) }
      : undefined;
  const plan = usePlan<PlannedQuotes>("POST /strategy/quote/preview", body);
  return (
    <>
      <h1>Start quotes</h1>
      <div class="columns">
        <Section title="The quotes">
          <WhereFields {...market} change={change} />
          <NumberSettings settings={settings} texts={texts} change={setTexts} />
          <Checks form={form} change={change} names={["dryRun"]} />
        </Section>
        <Section title="Preview">
          <PlanArea planning={plan} empty="Enter spread, depth and orders per side. The plan appears here.">
            {(shown) => (
              <>
                <QuotePlanView planned={shown.planned} symbol={shown.planned.symbol} />
                <StartQuotesButton plan={shown} planning={plan} session={session} />
              </>
            )}
          </PlanArea>
        </Section>
      </div>
    </>
  );
}

function StartQuotesButton(props: {
  plan: RequestedPlan<PlannedQuotes>;
  planning: Planning<PlannedQuotes>;
  session: Session;
}) {
  const { planned } = props.plan;
  const { base, quote } = pairOf(planned.symbol);
  return (
    <StartPlan
      {...props}
      route="POST /strategy/quote"
      kind="quote"
      title={`Start these quotes on ${planned.exchange}?`}
      says={
        <>
          <p>
            {planned.orders.length} orders are placed now: {sideText(planned, "buy")} and{" "}
            {sideText(planned, "sell")}. They can use up to {money(Number(planned.budget.quote))} {quote} and{" "}
            {amount(planned.budget.base)} {base} of your balance.
          </p>
          <p>Worst case: {planned.worstCase}</p>
        </>
      }
      yes="Start them"
    />
  );
}
