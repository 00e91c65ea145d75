import { useState } from "hono/jsx/dom";
import { amount, number, pairOf } from "../format.ts";
import { useLoad } from "../load.ts";
import { PlanArea } from "../plan-area.tsx";
import { linkTo } from "../route.ts";
import { StartPlan } from "../start/start-button.tsx";
import { Table } from "../table.tsx";
import { useTitle } from "../title.ts";
import type { Exchanges, OwnDefinition, OwnList, OwnPlan, Session } from "../types.ts";
import { Choice, Field, NoticeBox, Section, Shown, SideText, Stat, valueIn, Warnings } from "../ui.tsx";
import { type Planning, type RequestedPlan, usePlan } from "../use-plan.ts";
import { type ConfigField, configFields, type OwnForm, ownBody } from "./form.ts";

/** The page that starts a strategy of the user's own: the form of its config, the plan, and a start of exactly that plan. */
export function StartOwn({ name, session }: { name: string; session: Session }) {
  const list = useLoad<OwnList>("GET /strategy/declared/list");
  return (
    <Shown of={list} rows={8}>
      {({ loaded }) => {
        const definition = loaded.find((one) => one.name === name);
        return definition ? (
          <StartForm definition={definition} session={session} />
        ) : (
          <NoticeBox>
            The strategy {name} is not loaded. <a href={linkTo()}>See all strategies</a>
          </NoticeBox>
        );
      }}
    </Shown>
  );
}

function StartForm({ definition, session }: { definition: OwnDefinition; session: Session }) {
  const { name, summary } = definition;
  useTitle(`Start ${name}`);
  const fields = configFields(definition);
  const exchanges = useLoad<Exchanges>("GET /exchanges");
  const ids = exchanges.data?.exchanges.map(({ id }) => id) ?? [];
  const [typed, setTyped] = useState<OwnForm>({ symbol: "BTC/USDT" });
  const change = (changed: OwnForm) => setTyped((before) => ({ ...before, ...changed }));
  const form: OwnForm = { ...(ids[0] === undefined ? {} : { exchange: ids[0] }), ...typed };
  const plan = usePlan<OwnPlan>(`POST /strategy/declared/${name}/preview`, ownBody(form, fields));
  return (
    <>
      <h1>Start {name}</h1>
      {summary ? <p>{summary}</p> : null}
      <div class="columns">
        <Section title="The strategy">
          <OwnFields form={form} change={change} fields={fields} ids={ids} />
        </Section>
        <Section title="Preview">
          <PlanArea planning={plan} empty="Enter the required settings. The plan appears here.">
            {(shown) => (
              <>
                <OwnPlanShown planned={shown.planned} />
                <StartOwnButton plan={shown} planning={plan} session={session} />
              </>
            )}
          </PlanArea>
        </Section>
      </div>
    </>
  );
}

interface OwnFieldsProps {
  readonly form: OwnForm;
  readonly change: (changed: OwnForm) => void;
  readonly fields: readonly ConfigField[];
  /** The exchanges to choose from; none while they load. */
  readonly ids: readonly string[];
}

function OwnFields({ form, change, fields, ids }: OwnFieldsProps) {
  const { base, quote } = pairOf(form.symbol ?? "");
  const input = (name: string, label: string, hint = "", choices?: readonly string[]) => (
    <Field key={name} label={label} hint={hint}>
      {choices ? (
        <Choice
          value={form[name] ?? ""}
          choices={choices}
          choose={(choice: string) => change({ [name]: choice })}
        />
      ) : (
        <input
          autocomplete="off"
          spellcheck={false}
          value={form[name] ?? ""}
          onInput={(event: Event) => change({ [name]: valueIn(event) })}
        />
      )}
    </Field>
  );
  return (
    <>
      <div class="fields">
        {input("exchange", "Exchange", "", ids)}
        {input("symbol", "Pair")}
        {fields
          .filter(({ kind }) => kind !== "check")
          .map(({ name, label, choices, isRequired, initial }) =>
            input(
              name,
              label,
              isRequired ? "Required" : initial === "" ? "Optional" : `Default ${initial}`,
              choices.length === 0 ? undefined : isRequired ? choices : ["", ...choices],
            ),
          )}
        {input("baseBudget", `Base budget, ${base}`, "Default: all free base")}
        {input("quoteBudget", `Quote budget, ${quote}`, "Default: all free quote")}
      </div>
      <div class="checks">
        {[
          ...fields.filter(({ kind }) => kind === "check"),
          { name: "dryRun", label: "Paper trading: live prices, no real orders", initial: "" },
        ].map(({ name, label, initial }) => {
          const isOn = (form[name] ?? initial) === "true";
          return (
            <label key={name} class="check">
              <input type="checkbox" checked={isOn} onClick={() => change({ [name]: String(!isOn) })} />{" "}
              {label}
            </label>
          );
        })}
      </div>
    </>
  );
}

function OwnPlanShown({ planned }: { planned: OwnPlan }) {
  const { symbol, budget, orders, refused, worstCase, warnings, planHash } = planned;
  const { base, quote } = pairOf(symbol);
  return (
    <>
      <Warnings of={warnings} />
      <dl class="stats">
        <Stat name="Base budget">{`${amount(budget.base)} ${base}`}</Stat>
        <Stat name="Quote budget">{`${amount(budget.quote)} ${quote}`}</Stat>
        <Stat name="Orders now">{orders.length}</Stat>
      </dl>
      <p>Worst case: {worstCase}.</p>
      <OwnOrders label="Orders of the plan" orders={orders} symbol={symbol} />
      {refused.map(({ id, reason, detail }) => (
        <p key={id} class="warn">
          {id}: {detail ?? reason}
        </p>
      ))}
      <p class="quiet">
        Plan <code>{planHash}</code>
      </p>
    </>
  );
}

export function OwnOrders({
  label,
  orders,
  symbol,
}: {
  label: string;
  orders: OwnPlan["orders"];
  symbol: string;
}) {
  const { base, quote } = pairOf(symbol);
  return (
    <Table
      label={label}
      columns={[
        { name: "Order", isHead: true, of: ({ id }) => id },
        { name: "Side", of: ({ side }) => <SideText side={side} /> },
        { name: `Price, ${quote}`, isNumber: true, of: ({ price }) => number(price) },
        { name: `Amount, ${base}`, isNumber: true, of: (order) => number(order.amount) },
      ]}
      rows={orders}
      keyOf={({ id }) => id}
      empty="There are no open orders."
    />
  );
}

function StartOwnButton(props: {
  plan: RequestedPlan<OwnPlan>;
  planning: Planning<OwnPlan>;
  session: Session;
}) {
  const { strategy, exchange, symbol, orders, budget } = props.plan.planned;
  const { base, quote } = pairOf(symbol);
  return (
    <StartPlan
      {...props}
      route={`POST /strategy/declared/${strategy}`}
      kind="declared"
      title={`Start ${strategy} on ${exchange}?`}
      says={`${orders.length} orders are placed now. It can use up to ${amount(budget.quote)} ${quote} and ${amount(budget.base)} ${base}. If the market moves and the plan changes, nothing starts.`}
      yes="Start it"
    />
  );
}
