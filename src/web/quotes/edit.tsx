import { useState } from "hono/jsx/dom";
import { part } from "../api.ts";
import { amount, pairOf } from "../format.ts";
import { PlanArea } from "../plan-area.tsx";
import { NumberSettings, settingsBody } from "../start/settings.tsx";
import { carriedOut } from "../strategy/parts.tsx";
import type { PlannedQuoteEdit, Quoted } from "../types.ts";
import { Section, useAsk } from "../ui.tsx";
import { type RequestedPlan, usePlan } from "../use-plan.ts";
import { QuotePlanView } from "./plan.tsx";
import { quoteSettings } from "./settings.ts";

/** A form for new settings of running quotes: their effect, and a change to exactly that. */
export function EditQuotes({ quotes }: { quotes: Quoted }) {
  const { id, symbol } = quotes;
  const [texts, setTexts] = useState<Readonly<Record<string, string>>>({});
  const [question, put] = useAsk();
  const settings = editableSettings(quotes);
  const numbers = settingsBody(settings, texts) ?? {};
  const body = Object.keys(numbers).length === 0 ? undefined : numbers;
  const planning = usePlan<PlannedQuoteEdit>(`POST /strategy/quote/${part(id)}/preview`, body);
  const change = async ({ body, planned }: RequestedPlan<PlannedQuoteEdit>) => {
    const message = await planning.carryOut(() =>
      carriedOut(`PATCH /strategy/quote/${part(id)}`, { ...body, planHash: planned.planHash }),
    );
    setTexts({});
    return message;
  };
  const confirm = (plan: RequestedPlan<PlannedQuoteEdit>) =>
    put({
      title: "Change these quotes?",
      says: `${plan.planned.changes.map(({ field, from, to }) => `${field} from ${from} to ${to}`).join(", ")}: ${plan.planned.cancelled} orders are canceled, ${plan.planned.orders.length} placed, and ${plan.planned.kept} stay.`,
      yes: "Change them",
      act: () => change(plan),
    });
  return (
    <Section title="Change these quotes">
      <NumberSettings settings={settings} texts={texts} change={setTexts} />
      {body ? (
        <PlanArea planning={planning} empty="Planning…">
          {(plan) => (
            <>
              <QuotePlanView planned={plan.planned} symbol={symbol} />
              <button type="button" class="primary" disabled={planning.isOld} onClick={() => confirm(plan)}>
                Change exactly as planned
              </button>
            </>
          )}
        </PlanArea>
      ) : (
        <p class="empty">
          Change a setting; empty ones stay as they are. The orders to cancel and to place appear here.
        </p>
      )}
      {question}
    </Section>
  );
}

function editableSettings({ symbol, spreadPercent, levels, maxLoss, defend }: Quoted) {
  const { base, quote } = pairOf(symbol);
  const of = quoteSettings(base, quote);
  return [
    { ...of.spread, hint: `${spreadPercent} now` },
    { ...of.levels, hint: `${levels} now` },
    of.depth,
    { ...of.maxLoss, hint: maxLoss === null ? "none now" : `${amount(maxLoss)} now` },
    of.maxBase,
    of.minBase,
    { ...of.defend, hint: `${defend ?? "off"} now; ticks or pause, and passes` },
    of.fixedPrice,
  ];
}
