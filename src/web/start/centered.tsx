import { useState } from "hono/jsx/dom";
import { PlanArea } from "../plan-area.tsx";
import type { Planned, Session } from "../types.ts";
import { Section } from "../ui.tsx";
import { usePlan } from "../use-plan.ts";
import { TryOut } from "./backtest.tsx";
import { Checks, WhereFields } from "./fields.tsx";
import { PlanShown } from "./plan.tsx";
import { NumberSettings, type Setting, settingsBody } from "./settings.tsx";
import { StartButton } from "./start-button.tsx";
import { useMarketForm } from "./use-form.ts";

const CENTERED_ROUTE = "POST /strategy/grid/centered";

const settingsIn = (quote: string): readonly Setting[] => [
  { name: "levels", label: "Levels on each side, 1 to 10", isRequired: true },
  {
    name: "spacing",
    label: "Spacing, %",
    hint: "Of the center price",
    isPercent: true,
    isRequired: true,
  },
  { name: "size", label: `Per order, ${quote}`, isRequired: true },
  {
    name: "deviation",
    label: "Move after, %",
    hint: "Centers itself again when the price is so far beyond the outermost level",
    isPercent: true,
    isRequired: true,
  },
];

const FIRST_CENTERED = { levels: "5", spacing: "2", size: "50", deviation: "1.5" };

/** The page for a grid that stays centered on the market price. */
export function StartCentered({ session }: { session: Session }) {
  const market = useMarketForm({ exchange: "", symbol: "", useOwnBase: false, dryRun: false });
  const [texts, setTexts] = useState<Readonly<Record<string, string>>>(FIRST_CENTERED);
  const { form, change, quote } = market;
  const settings = settingsIn(quote);
  const numbers = settingsBody(settings, texts);
  const { dryRun, ...rest } = form;
  const isMarket = form.exchange !== "" && form.symbol !== "";
  const body =
    numbers && isMarket
      ? { ...rest, ...numbers, allowLoss: false, ...(dryRun ? { dryRun } : {}) }
      : undefined;
  const plan = usePlan<Planned>(`${CENTERED_ROUTE}/preview`, body);
  return (
    <>
      <h1>Start a centered grid</h1>
      <div class="columns">
        <Section title="The grid">
          <WhereFields {...market} />
          <NumberSettings settings={settings} texts={texts} change={setTexts} />
          <Checks form={form} change={change} names={["useOwnBase", "dryRun"]} />
        </Section>
        <Section title="Preview">
          <PlanArea planning={plan} empty="Enter the settings. The plan appears here.">
            {(shown) => (
              <>
                <PlanShown planned={shown.planned} />
                <TryOut route="POST /backtest/centered" body={shown.body} quote={quote} />
                <StartButton route={CENTERED_ROUTE} plan={shown} planning={plan} session={session} />
              </>
            )}
          </PlanArea>
        </Section>
      </div>
    </>
  );
}
