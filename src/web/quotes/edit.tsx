import { useState } from "hono/jsx/dom";
import { part } from "../api.ts";
import { amount, pairOf } from "../format.ts";
import { NumberSettings, settingsBody } from "../start/settings.tsx";
import { EditSection } from "../strategy/edit-section.tsx";
import type { PlannedQuoteEdit, Quoted } from "../types.ts";
import { QuotePlanView } from "./plan.tsx";
import { quoteSettings } from "./settings.ts";

/** A form for new settings of running quotes: their effect, and a change to exactly that. */
export function EditQuotes({ quotes }: { quotes: Quoted }) {
  const { id, symbol } = quotes;
  const [texts, setTexts] = useState<Readonly<Record<string, string>>>({});
  const settings = editableSettings(quotes);
  const numbers = settingsBody(settings, texts) ?? {};
  return (
    <EditSection<PlannedQuoteEdit>
      title="Change these quotes"
      yes="Change them"
      path={`/strategy/quote/${part(id)}`}
      body={Object.keys(numbers).length === 0 ? undefined : numbers}
      fields={<NumberSettings settings={settings} texts={texts} change={setTexts} />}
      empty="Change a setting; empty ones stay as they are. The orders to cancel and to place appear here."
      says={describeQuoteEdit}
      changed={() => setTexts({})}
    >
      {(planned) => <QuotePlanView planned={planned} symbol={symbol} />}
    </EditSection>
  );
}

const describeQuoteEdit = ({ changes, cancelled, orders, kept }: PlannedQuoteEdit): string =>
  `${changes.map(({ field, from, to }) => `${field} from ${from} to ${to}`).join(", ")}: ${cancelled} orders are canceled, ${orders.length} placed, and ${kept} stay.`;

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
