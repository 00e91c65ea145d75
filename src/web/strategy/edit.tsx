import type { Child } from "hono/jsx";
import { countWithVerb, pluralize } from "../../kernel/plain-text.ts";
import { part } from "../api.ts";
import { endingLabel } from "../endings.ts";
import { amount, money, pairOf } from "../format.ts";
import { PlanArea, type RequestedPlan, usePlan } from "../plan-area.tsx";
import { Table } from "../table.tsx";
import type { EditPlan } from "../types.ts";
import { Section, Stat, useConfirmation } from "../ui.tsx";
import { sendChange } from "./parts.tsx";
import { PlanShown } from "./plan.tsx";

interface EditProps<P> {
  /** Title of the part; with a question mark, it confirms the change. */
  readonly title: string;
  readonly id: string;
  /** The fields that change; undefined while none does. */
  readonly config: Readonly<Record<string, unknown>> | undefined;
  readonly fields: Child;
  /** Labels of the fields that change. */
  readonly names: Readonly<Record<string, string>>;
  readonly empty: string;
  readonly changed: () => void;
  /** Figures of its definition. */
  readonly stats?: (planned: P) => Child;
  /** What its definition shows instead of the table of orders. */
  readonly orders?: (planned: P) => Child;
}

/** New settings of a running strategy: their effect, and a change to exactly that. */
export function EditSection<P extends EditPlan>(props: EditProps<P>) {
  const { title, id, config, fields, names, empty, changed, stats, orders } = props;
  const [question, put] = useConfirmation();
  const path = `/strategies/${part(id)}`;
  const planning = usePlan<P>(`POST ${path}/preview`, config && { config });
  const change = async ({ body, planned: { planHash } }: RequestedPlan<P>) => {
    const message = await planning.carryOut(() => sendChange(`PATCH ${path}`, { ...body, planHash }));
    changed();
    return message;
  };
  const confirm = (plan: RequestedPlan<P>) =>
    put({ title: `${title}?`, says: changeText(plan.planned), yes: "Change it", act: () => change(plan) });
  return (
    <Section title={title}>
      {fields}
      {config ? (
        <PlanArea planning={planning} empty="Planning…">
          {(plan) => (
            <>
              <ChangeTable planned={plan.planned} names={names} />
              <PlanShown
                planned={plan.planned}
                stats={
                  <>
                    <Stat name="Canceled">{pluralize(plan.planned.cancelled, "order")}</Stat>
                    <Stat name="Kept">{pluralize(plan.planned.kept, "order")}</Stat>
                    <Stat name="Placed">{pluralize(plan.planned.orders.length, "order")}</Stat>
                    {stats?.(plan.planned)}
                  </>
                }
              >
                {isMoved(plan.planned) ? orders?.(plan.planned) : <p>All orders stay open.</p>}
              </PlanShown>
              <button type="button" class="primary" disabled={planning.isOld} onClick={() => confirm(plan)}>
                Change exactly as planned
              </button>
            </>
          )}
        </PlanArea>
      ) : (
        <p class="empty">{empty}</p>
      )}
      {question}
    </Section>
  );
}

const isMoved = ({ cancelled, orders }: EditPlan): boolean => cancelled + orders.length > 0;

const shownValue = (text: string): string => (Number.isFinite(Number(text)) ? amount(text) : text);

const ChangeTable = ({ planned, names }: { planned: EditPlan; names: EditProps<EditPlan>["names"] }) => (
  <Table
    label="Changes"
    columns={[
      { name: "Setting", isHead: true, of: ({ field }) => names[field] ?? endingLabel(field) ?? field },
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
