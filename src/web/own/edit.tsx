import type { Child } from "hono/jsx";
import { countWithVerb, pluralize } from "../../kernel/plain-text.ts";
import { part } from "../api.ts";
import { endingSettings } from "../endings.ts";
import { amount, change, money, pairOf } from "../format.ts";
import { useLoad } from "../live.ts";
import { fieldLabel } from "../page-text.ts";
import { NumberInput, PlanArea, type RequestedPlan, usePlan } from "../plan-area.tsx";
import { sendChange } from "../strategy/parts.tsx";
import { GridStats, OrderTable, PlanShown, planSlotsText, QuoteStats } from "../strategy/plan.tsx";
import { Table } from "../table.tsx";
import type { AnyStrategy, Definitions, EditPlan, GridEditPlan, QuoteEditPlan } from "../types.ts";
import { Field, Section, Stat, useConfirmation } from "../ui.tsx";
import { ConfigInput, configFields, readJson, typedText, WithDefinition } from "./start.tsx";

interface EditField {
  readonly name: string;
  readonly label: string;
  readonly hint?: string | undefined;
  readonly kind: string;
  readonly choices?: readonly string[];
}

/** The user's edits only, because other values can change meanwhile. */
export type EditTexts = Readonly<Record<string, string>>;

/** A field, its unit, and a hint. */
type FieldRow = readonly [string, string, string?, string?];

const gridRows = (isCentered: boolean, quote: string): readonly FieldRow[] => [
  ...(isCentered
    ? []
    : ([
        ["lowerPrice", quote],
        ["upperPrice", quote],
      ] as const)),
  ["gridLevels", isCentered ? "2 to 20" : "2 to 100"],
  ["orderSize", quote],
  ["budget", quote, "Of all orders, instead of an order size"],
  ...(isCentered ? ([["spacing", "", "As a share of the center price"]] as const) : []),
];

const quoteRows = (base: string, quote: string): readonly FieldRow[] => [
  ["spreadPercent", "%"],
  ["levels", "1 to 20", "Orders on each side"],
  ["depth", quote, "Of all orders of a side"],
  ["maxBase", base, "Above it, no bids"],
  ["minBase", base, "Below it, no asks"],
  [
    "defend",
    "",
    "If a side is picked off: 20:60 moves it 20 ticks away for 60 passes; pause:60 cancels it",
    "text",
  ],
  ["fixedPrice", quote, "Used beside the market prices"],
  ["tolerancePercent", "%"],
];

/** Fields whose emptied text removes the setting. */
const REMOVABLE = ["stopLossPrice", "takeProfitPrice", "trailingStopPercent", "maxLoss", "endsAt"];

/** Returns the fields of a built-in definition that can change while it runs. */
function builtInFields(one: AnyStrategy): readonly EditField[] {
  const { base, quote } = pairOf(one.symbol);
  const rows = one.kind === "grid" ? gridRows(one.centered, quote) : quoteRows(base, quote);
  const { triggerPrice: _, stopAtOnce: _atOnce, ...endings } = endingSettings(quote);
  return [
    ...rows.map(([name, unit, hint, kind = "number"]) => ({
      name,
      label: unit === "" ? fieldLabel(name) : `${fieldLabel(name)}, ${unit}`,
      hint,
      kind,
    })),
    ...Object.values(endings).map((field) => ({
      ...field,
      kind: field.name === "endsAt" || field.name === "onEnd" ? "text" : "number",
      hint: REMOVABLE.includes(field.name) ? "Leave empty for none" : field.hint,
    })),
  ];
}

/** Returns a field's current text; empty without one. */
function currentText(one: AnyStrategy, name: string): string {
  const config = { ...(one.startAgain.config as object), ...(one.kind === "grid" ? one : {}) };
  return typedText((config as Readonly<Record<string, unknown>>)[name]);
}

/** Returns the fields that differ from the running config; undefined while none does. */
function typedConfig(one: AnyStrategy, fields: readonly EditField[], typed: EditTexts) {
  const changed = fields.flatMap(({ name, kind }) => {
    const text = typed[name]?.trim();
    if (text === undefined || text === currentText(one, name)) return [];
    if (text === "") return REMOVABLE.includes(name) ? [[name, 0] as const] : [];
    return [[name, kind === "text" ? text : readJson(text)] as const];
  });
  return changed.length === 0 ? undefined : Object.fromEntries(changed);
}

interface EditProps {
  readonly one: AnyStrategy;
  /** The strategy in a question, such as "this grid". */
  readonly whom: string;
  readonly typed: EditTexts;
  readonly type: (typed: EditTexts) => void;
}

/** New settings of a running strategy: their effect, and a change to exactly that. */
export const EditPart = (props: EditProps) =>
  props.one.kind === "strategy" ? (
    <WithDefinition name={props.one.definition} lost=", so it cannot be changed">
      {(definition) => <EditForm {...props} fields={configFields(definition)} />}
    </WithDefinition>
  ) : (
    <EditForm {...props} fields={builtInFields(props.one)} />
  );

function EditForm({ one, whom, typed, type, fields }: EditProps & { fields: readonly EditField[] }) {
  const [question, put] = useConfirmation();
  const title = `Change ${whom}`;
  const path = `/strategies/${part(one.id)}`;
  const config = typedConfig(one, fields, typed);
  const planning = usePlan<EditPlan>(`POST ${path}/preview`, config && { config });
  const change = async ({ body, planned: { planHash } }: RequestedPlan<EditPlan>) => {
    const message = await planning.carryOut(() => sendChange(`PATCH ${path}`, { ...body, planHash }));
    type({});
    return message;
  };
  const confirm = (plan: RequestedPlan<EditPlan>) =>
    put({ title: `${title}?`, says: changeText(plan.planned), yes: "Change it", act: () => change(plan) });
  return (
    <Section title={title}>
      {config ? (
        <PlanArea planning={planning} empty="Planning…">
          {(plan) => (
            <>
              <ChangeTable planned={plan.planned} fields={fields} />
              <PlanShown planned={plan.planned} stats={<EditStats planned={plan.planned} />}>
                {isMoved(plan.planned) ? plannedOrders(plan.planned) : <p>All orders stay open.</p>}
              </PlanShown>
              <button type="button" class="primary" disabled={planning.isOld} onClick={() => confirm(plan)}>
                Change exactly as planned
              </button>{" "}
              <button type="button" onClick={() => type({})}>
                Discard
              </button>
            </>
          )}
        </PlanArea>
      ) : (
        <p class="empty">Change a setting. The orders to cancel and to place appear here.</p>
      )}
      <div class="fields">
        {fields.map((field) => (
          <SettingInput
            key={field.name}
            field={field}
            value={typed[field.name] ?? currentText(one, field.name)}
            change={(text) => type({ ...typed, [field.name]: text })}
          />
        ))}
      </div>
      {question}
    </Section>
  );
}

function SettingInput({
  field: { label, hint, kind, choices = [] },
  value,
  change,
}: {
  field: EditField;
  value: string;
  change: (text: string) => void;
}) {
  if (kind === "number")
    return (
      <Field label={label} hint={hint}>
        <NumberInput value={value} change={change} />
      </Field>
    );
  const all = kind === "check" ? ["true", "false"] : choices.length > 0 ? choices : undefined;
  return <ConfigInput label={label} hint={hint ?? ""} value={value} choices={all} change={change} />;
}

/** Figures of a change, and of its definition. */
function EditStats({ planned }: { planned: EditPlan }) {
  const { cancelled, kept, orders, free, symbol, details } = planned;
  const { base, quote } = pairOf(symbol);
  const running = details.kind === "grid" ? (planned as GridEditPlan).details.running : null;
  return (
    <>
      <Stat name="Canceled">{pluralize(cancelled, "order")}</Stat>
      <Stat name="Kept">{pluralize(kept, "order")}</Stat>
      <Stat name="Placed">{pluralize(orders.length, "order")}</Stat>
      <Stat name="Free quote">{`${money(Number(free.quote))} ${quote}`}</Stat>
      {details.kind === "grid" ? <GridStats planned={planned as GridEditPlan} /> : null}
      {details.kind === "quote" ? <QuoteStats planned={planned as QuoteEditPlan} /> : null}
      {running ? (
        <Stat name="Realized P&L, stays">{`${change(Number(running.realized))} ${quote}`}</Stat>
      ) : null}
      {running && Number(running.idleBase) > 0 ? (
        <Stat name="Base without a sell order" tone="warn">{`${amount(running.idleBase)} ${base}`}</Stat>
      ) : null}
    </>
  );
}

/** Orders of a grid by slot; those of others are shown as those of a start. */
const plannedOrders = (planned: EditPlan): Child =>
  planned.details.kind === "grid" && planned.orders.length > 0 ? (
    <details>
      <summary>{planSlotsText(planned)}</summary>
      <OrderTable orders={planned.orders} symbol={planned.symbol} />
    </details>
  ) : null;

const isMoved = ({ cancelled, orders }: EditPlan): boolean => cancelled + orders.length > 0;

const shownValue = (text: string): string => (Number.isFinite(Number(text)) ? amount(text) : text);

const ChangeTable = ({ planned, fields }: { planned: EditPlan; fields: readonly EditField[] }) => (
  <Table
    label="Changes"
    columns={[
      {
        name: "Setting",
        isHead: true,
        of: ({ field }) =>
          (planned.details.kind === "strategy" && fields.find(({ name }) => name === field)?.label) ||
          fieldLabel(field),
      },
      { name: "Now", isNumber: true, of: ({ from }) => shownValue(from) },
      { name: "New", isNumber: true, of: ({ to }) => shownValue(to) },
    ]}
    rows={planned.changes}
    keyOf={({ field }) => field}
    empty="Nothing changes."
  />
);

/** Describes a change in one sentence, in money. */
function changeText(planned: EditPlan): string {
  const { cancelled, kept, orders, sums, uses, free, symbol } = planned;
  const { quote } = pairOf(symbol);
  if (!isMoved(planned)) return "No order is canceled or placed.";
  return `${countWithVerb(cancelled, "order")} canceled, ${orders.length} placed, and ${kept} ${kept === 1 ? "stays" : "stay"}: ${money(Number(sums.buys))} ${quote} in buys, of ${money(Number(free.quote))} free. It can use up to ${money(Number(uses.quote))} ${quote}. If the market moves and the plan changes, nothing is changed.`;
}

/** All settings with which it could be started again. */
export function SettingsTable({ one }: { one: AnyStrategy }) {
  const definitions = useLoad<Definitions>("GET /definitions").data?.definitions ?? [];
  const of = definitions.find(({ name }) => name === one.definition);
  const labels = Object.fromEntries((of ? configFields(of) : []).map(({ name, label }) => [name, label]));
  const { config, baseBudget, quoteBudget } = one.startAgain;
  const settings = Object.entries({ ...(config as object), baseBudget, quoteBudget });
  return (
    <Section title="All settings">
      <Table
        label="All settings"
        columns={[
          { name: "Setting", isHead: true, of: ([name]) => labels[name] ?? fieldLabel(name) },
          { name: "Value", of: ([, value]) => typedText(value) },
        ]}
        rows={settings.filter(([, value]) => value !== undefined)}
        keyOf={([name]) => name}
        empty="No settings."
      />
    </Section>
  );
}
