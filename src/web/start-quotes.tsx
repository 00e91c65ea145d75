import { useState } from "hono/jsx/dom";
import { endingSettings } from "./endings.ts";
import { money, pairOf } from "./format.ts";
import { PlanArea, usePlan } from "./plan-area.tsx";
import { NumberSettings, type Setting, settingsBody } from "./start/backtest.tsx";
import { Checks, useMarketForm, WhereFields } from "./start/fields.tsx";
import { PlanShown, QuoteStats, StartPlan } from "./strategy/plan.tsx";
import type { PlanOfQuotes, Session } from "./types.ts";
import { Section } from "./ui.tsx";

const FIRST_QUOTES = { spreadPercent: "2", withinPercent: "1.7", levels: "3" };
const REQUIRED = ["spreadPercent", "depth", "withinPercent", "levels"];

/** The page for new quotes: the form, the plan, and a start of exactly that plan. */
export function StartQuotes({ session }: { session: Session }) {
  const market = useMarketForm({ exchange: "", symbol: "", dryRun: false });
  const { form, change, holdings, quote } = market;
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
  const { exchange, symbol, dryRun } = form;
  const { baseBudget, quoteBudget, ...config } = numbers ?? {};
  const budgets = {
    ...(baseBudget === undefined ? {} : { baseBudget }),
    ...(quoteBudget === undefined ? {} : { quoteBudget }),
  };
  const body =
    numbers && exchange !== "" && symbol !== ""
      ? { definition: "quote", exchange, symbol, config, ...budgets, ...(dryRun ? { dryRun } : {}) }
      : undefined;
  const plan = usePlan<PlanOfQuotes>("POST /strategies/preview", body);
  return (
    <>
      <h1>Start quotes</h1>
      <div class="columns">
        <Section title="The quotes">
          <WhereFields {...market} />
          <NumberSettings settings={settings} texts={texts} change={setTexts} />
          <Checks form={form} change={change} names={["dryRun"]} />
        </Section>
        <Section title="Preview">
          <PlanArea planning={plan} empty="Enter spread, depth and orders per side. The plan appears here.">
            {(shown) => (
              <>
                <PlanShown planned={shown.planned} stats={<QuoteStats planned={shown.planned} />} />
                <p class="quiet">{shown.planned.details.cadence.message}</p>
                <StartPlan plan={shown} planning={plan} session={session} title="these quotes" />
              </>
            )}
          </PlanArea>
        </Section>
      </div>
    </>
  );
}

type EndingSettingName = Exclude<keyof ReturnType<typeof endingSettings>, "stopAtOnce">;

type QuoteSettingName =
  | "spreadPercent"
  | "depth"
  | "levels"
  | EndingSettingName
  | "defend"
  | "maxBase"
  | "minBase"
  | "fixedPrice"
  | "withinPercent"
  | "quoteBudget"
  | "baseBudget";

/** Returns the settings of quotes in the order of a form, with the units of their pair. */
export const quoteSettings = (base: string, quote: string): Readonly<Record<QuoteSettingName, Setting>> => {
  const pair = `${base}/${quote}`;
  const ending = endingSettings(quote);
  return {
    spreadPercent: { name: "spreadPercent", label: "Spread between bid and ask, %" },
    depth: { name: "depth", of: quote, label: `Depth per side, ${quote}` },
    withinPercent: {
      name: "withinPercent",
      label: "Depth within, %",
      hint: "Distance of the outermost order from the price",
    },
    levels: { name: "levels", label: "Orders per side, 1 to 20" },
    quoteBudget: { name: "quoteBudget", of: quote, label: `Budget for bids, ${quote}` },
    baseBudget: { name: "baseBudget", of: pair, label: `Budget for asks, ${base}` },
    maxBase: { name: "maxBase", of: pair, label: `Maximum position, ${base}`, hint: "Above it, no bids" },
    minBase: { name: "minBase", of: pair, label: `Minimum position, ${base}`, hint: "Below it, no asks" },
    defend: {
      name: "defend",
      label: "If a side is picked off",
      hint: "20:60 moves it 20 ticks away for 60 passes; pause:60 cancels it",
      isText: true,
    },
    fixedPrice: {
      name: "fixedPrice",
      of: pair,
      label: `Fixed price, ${quote}`,
      hint: "Used beside the market prices",
    },
    stopLossPrice: { ...ending.stopLossPrice, of: pair },
    takeProfitPrice: { ...ending.takeProfitPrice, of: pair },
    trailingStopPercent: ending.trailingStopPercent,
    maxLoss: { ...ending.maxLoss, of: quote },
    triggerPrice: { ...ending.triggerPrice, of: pair },
    endsAt: { ...ending.endsAt, isText: true },
    onEnd: { ...ending.onEnd, isText: true },
  };
};
