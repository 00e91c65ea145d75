import { countWithVerb, pluralize } from "../../kernel/plain-text.ts";
import { part } from "../api.ts";
import { amount, change, money, pairOf } from "../format.ts";
import { fieldLabel } from "../page-text.ts";
import { PlanArea, type RequestedPlan, usePlan } from "../plan-area.tsx";
import { FormFields, WithForm } from "../start/fields.tsx";
import {
  isFormOf,
  option,
  type Setting,
  type StartForm,
  settingAt,
  settingLabel,
  textKey,
  textsOf,
  typedText,
} from "../start/settings.ts";
import { sendChange } from "../strategy/parts.tsx";
import { isPlanOfGrid, PlanShown } from "../strategy/plan.tsx";
import { Table } from "../table.tsx";
import type { AnyStrategy, EditPlan } from "../types.ts";
import { NoticeBox, Section, Stat, useConfirmation } from "../ui.tsx";
import {
  changedText,
  type EditTexts,
  REMOVABLE,
  runningConfig,
  shownText,
  typedChange,
} from "./typed-change.ts";

const SIZES = ["gridLevels", "orderSize", "budget", "reinvest"];
/** Fields of the built-in forms that can change while a strategy runs. */
const EDITABLE: Readonly<Record<string, readonly string[]>> = {
  grid: ["lowerPrice", "upperPrice", ...SIZES, ...REMOVABLE, "onEnd"],
  centered: [...SIZES, "spacing", ...REMOVABLE, "onEnd"],
  quote: [
    "spreadPercent",
    "levels",
    "depth",
    "maxBase",
    "minBase",
    "defend",
    "fixedPrice",
    "tolerancePercent",
    ...REMOVABLE,
    "onEnd",
  ],
};

/** Returns the settings of a form that can change while its strategy runs. */
function editSettings({ key, settings }: StartForm, all: readonly StartForm[]): readonly Setting[] {
  const names = EDITABLE[key];
  if (!names) return settings.filter(({ isOption }) => !isOption);
  const known = [option("budget"), ...settings, ...all.flatMap((form) => form.settings)];
  return names.flatMap((name) => {
    const setting = known.find((one) => one.name === name);
    if (!setting) return [];
    // Both sides of a centered grid together.
    const label = key === "centered" && name === "gridLevels" ? "Levels, 2 to 20" : setting.label;
    return [{ ...setting, label, hint: REMOVABLE.includes(name) ? "Leave empty for none" : setting.hint }];
  });
}

interface EditProps {
  readonly one: AnyStrategy;
  /** The strategy in a question, such as "this grid". */
  readonly whom: string;
  readonly typed: EditTexts;
  readonly type: (typed: EditTexts) => void;
}

/** New settings of a running strategy: their effect, and a change to exactly that. */
export const EditPart = (props: EditProps) => (
  <WithForm is={isFormOf(props.one.startAgain)} lost=", so it cannot be changed">
    {(form, all) => <EditForm {...props} settings={editSettings(form, all)} />}
  </WithForm>
);

const DiscardButton = ({ type }: Pick<EditProps, "type">) => (
  <button type="button" onClick={() => type({})}>
    Discard
  </button>
);

function EditForm({ one, whom, typed, type, settings }: EditProps & { settings: readonly Setting[] }) {
  const [question, put] = useConfirmation();
  const title = `Change ${whom}`;
  const path = `/strategies/${part(one.id)}`;
  const running = runningConfig(one);
  const { config, stuck } = typedChange(one, settings, typed);
  const planning = usePlan<EditPlan>(`POST ${path}/preview`, config && { config });
  const change = async ({ body, planned: { planHash } }: RequestedPlan<EditPlan>) => {
    const message = await planning.carryOut(() => sendChange(`PATCH ${path}`, { ...body, planHash }));
    type({});
    return message;
  };
  const confirm = (plan: RequestedPlan<EditPlan>) =>
    put({ title: `${title}?`, says: changeText(plan.planned), yes: "Change it", act: () => change(plan) });
  const { plan, error, isOld } = planning;
  const discard = <DiscardButton type={type} />;
  return (
    // Without an element around it, hono moves the part when a plan arrives, and a field loses the focus.
    <div class="apart">
      <Section title={title}>
        <div class="columns">
          <div>
            <FormFields
              settings={settings}
              symbol={one.symbol}
              price={one.price === null ? undefined : Number(one.price)}
              texts={Object.fromEntries(
                settings.map((setting) => [
                  textKey(setting, one.symbol),
                  typed[setting.name] ?? typedText(setting, settingAt(running, setting.path)),
                ]),
              )}
              change={(changed) => {
                const named = Object.entries(changed).map(([key, text]) => [key.split(" ")[0], text]);
                type({ ...typed, ...Object.fromEntries(named) });
              }}
            />
          </div>
          <div>
            {config ? (
              <PlanArea planning={planning} empty="Planning…">
                {({ planned }) => (
                  <>
                    <ChangeTable planned={planned} settings={settings} />
                    <PlanShown planned={planned} stats={<EditStats planned={planned} />}>
                      {isMoved(planned) ? null : <p>All orders stay open.</p>}
                    </PlanShown>
                  </>
                )}
              </PlanArea>
            ) : stuck.length > 0 ? (
              <NoticeBox kind="warning">
                {stuck.join("; ")}: this cannot be removed while it runs. Type another value, or {discard}
              </NoticeBox>
            ) : (
              <p class="empty">Change a setting. The orders to cancel and to place appear here.</p>
            )}
          </div>
        </div>
      </Section>
      <div class="bar" role="group" aria-label="Planned change" hidden={!config}>
        <p role="status" class={isOld ? "old" : ""}>
          {plan ? changeLine(plan.planned, settings) : (error?.message ?? "Planning…")}
        </p>
        {plan ? (
          <button type="button" class="primary" disabled={isOld} onClick={() => confirm(plan)}>
            Change exactly as planned
          </button>
        ) : null}
        {discard}
      </div>
      {question}
    </div>
  );
}

/** Figures of a change. */
function EditStats({ planned }: { planned: EditPlan }) {
  const { cancelled, kept, orders, free, symbol } = planned;
  const { base, quote } = pairOf(symbol);
  const running = isPlanOfGrid(planned) ? planned.details.running : null;
  return (
    <>
      <Stat name="Canceled">{pluralize(cancelled, "order")}</Stat>
      <Stat name="Kept">{pluralize(kept, "order")}</Stat>
      <Stat name="Placed">{pluralize(orders.length, "order")}</Stat>
      <Stat name="Free quote">{`${money(Number(free.quote))} ${quote}`}</Stat>
      {running ? (
        <Stat name="Realized P&L, stays">{`${change(Number(running.realized))} ${quote}`}</Stat>
      ) : null}
      {running && Number(running.idleBase) > 0 ? (
        <Stat name="Base without a sell order" tone="warn">{`${amount(running.idleBase)} ${base}`}</Stat>
      ) : null}
    </>
  );
}

const isMoved = ({ cancelled, orders }: EditPlan): boolean => cancelled + orders.length > 0;

/** Returns a setting without the numbers that its form allows. */
function changedSetting(settings: readonly Setting[], field: string): Setting | undefined {
  const setting = settings.find(({ name }) => name === field);
  return setting && { ...setting, label: setting.label.replace(/, \d+ to \d+$/, "") };
}

function ChangeTable({ planned, settings }: { planned: EditPlan; settings: readonly Setting[] }) {
  const settingOf = (field: string) => changedSetting(settings, field);
  return (
    <Table
      label="Changes"
      columns={[
        {
          name: "Setting",
          isHead: true,
          of: ({ field }) => {
            const setting = settingOf(field);
            return setting ? settingLabel(setting, planned.symbol) : fieldLabel(field);
          },
        },
        { name: "Now", isNumber: true, of: ({ field, from }) => changedText(settingOf(field), from) },
        { name: "New", isNumber: true, of: ({ field, to }) => changedText(settingOf(field), to) },
      ]}
      rows={planned.changes}
      keyOf={({ field }) => field}
      empty="Nothing changes."
    />
  );
}

/** Describes a change in one sentence, in money. */
function changeText(planned: EditPlan): string {
  const { cancelled, kept, orders, sums, uses, free, symbol } = planned;
  const { quote } = pairOf(symbol);
  if (!isMoved(planned)) return "No order is canceled or placed.";
  return `${countWithVerb(cancelled, "order")} canceled, ${orders.length} placed, and ${kept} ${kept === 1 ? "stays" : "stay"}: ${money(Number(sums.buys))} ${quote} in buys, of ${money(Number(free.quote))} free. It can use up to ${money(Number(uses.quote))} ${quote}. If the market moves and the plan changes, nothing is changed.`;
}

/** Number of settings that a short text names. */
const MAX_CHANGES = 2;

/** Describes a change in one line: the settings of the form, and the orders with their sum. */
function changeLine(planned: EditPlan, settings: readonly Setting[]): string {
  const { changes, cancelled, orders, sums, symbol } = planned;
  const named = changes.flatMap(({ field, from, to }) => {
    const setting = changedSetting(settings, field);
    return setting ? [`${setting.label} ${changedText(setting, from)} → ${changedText(setting, to)}`] : [];
  });
  const others = named.length > MAX_CHANGES ? ` and ${named.length - MAX_CHANGES} more` : "";
  const sum = Number(sums.buys) > 0 ? `, ${money(Number(sums.buys))} ${pairOf(symbol).quote} in buys` : "";
  const moved = `${pluralize(cancelled, "order")} canceled, ${orders.length} placed${sum}`;
  return `${named.slice(0, MAX_CHANGES).join(", ")}${others}: ${isMoved(planned) ? moved : "all orders stay open"}`;
}

/** All settings with which it could be started again. */
export const SettingsTable = ({ one }: { one: AnyStrategy }) => (
  <Section title="All settings">
    <WithForm is={isFormOf(one.startAgain)}>
      {(form) => {
        const texts = textsOf(form, one.startAgain);
        const valueText = (setting: Setting) => shownText(setting, texts[textKey(setting, one.symbol)] ?? "");
        return (
          <Table
            label="All settings"
            columns={[
              { name: "Setting", isHead: true, of: (setting) => settingLabel(setting, one.symbol) },
              { name: "Value", of: valueText },
            ]}
            rows={form.settings.filter((setting) => valueText(setting) !== "")}
            keyOf={({ name }) => name}
            empty="No settings."
          />
        );
      }}
    </WithForm>
  </Section>
);
