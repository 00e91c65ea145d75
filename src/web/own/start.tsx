import { useState } from "hono/jsx/dom";
import { endingLabel } from "../endings.ts";
import { pairOf } from "../format.ts";
import { useLoad } from "../live.ts";
import { PlanArea, usePlan } from "../plan-area.tsx";
import { linkTo } from "../route.ts";
import { PlanShown, StartPlan } from "../strategy/plan.tsx";
import type { AnyPlan, Definitions, Exchanges, Session, StartDefinition } from "../types.ts";
import { Choice, Field, NoticeBox, Section, Shown, useTitle, valueIn } from "../ui.tsx";

/** The page that starts a strategy of the user's own: the form of its config, the plan, and a start of exactly that plan. */
export function StartOwn({ name, session }: { name: string; session: Session }) {
  const list = useLoad<Definitions>("GET /definitions");
  return (
    <Shown of={list} rows={8}>
      {({ definitions }) => {
        const definition = definitions.find((one) => one.name === name);
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

function StartForm({ definition, session }: { definition: StartDefinition; session: Session }) {
  const { name, summary } = definition;
  useTitle(`Start ${name}`);
  const fields = configFields(definition);
  const exchanges = useLoad<Exchanges>("GET /exchanges");
  const ids = exchanges.data?.exchanges.map(({ id }) => id) ?? [];
  const [typed, setTyped] = useState<OwnForm>({ symbol: "BTC/USDT" });
  const { base, quote } = pairOf(typed.symbol ?? "");
  // A budget belongs to the asset for which it was typed.
  const [baseKey, quoteKey] = [`base ${base}`, `quote ${quote}`];
  const change = ({ baseBudget, quoteBudget, ...changed }: OwnForm) =>
    setTyped((before) => ({
      ...before,
      ...changed,
      ...(baseBudget === undefined ? {} : { [baseKey]: baseBudget }),
      ...(quoteBudget === undefined ? {} : { [quoteKey]: quoteBudget }),
    }));
  const form: OwnForm = {
    ...(ids[0] === undefined ? {} : { exchange: ids[0] }),
    ...typed,
    baseBudget: typed[baseKey] ?? "",
    quoteBudget: typed[quoteKey] ?? "",
  };
  const plan = usePlan<AnyPlan>("POST /strategies/preview", ownBody(name, form, fields));
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
                <PlanShown planned={shown.planned} />
                <StartPlan plan={shown} planning={plan} session={session} title={name} />
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

/** A field of a strategy's config, from its JSON schema. */
export interface ConfigField {
  readonly name: string;
  readonly label: string;
  readonly kind: "number" | "text" | "check" | "json";
  readonly choices: readonly string[];
  readonly isRequired: boolean;
  readonly initial: string;
}

interface PropertySchema {
  readonly type?: string;
  readonly description?: string;
  readonly default?: unknown;
  readonly enum?: readonly unknown[];
}

interface ConfigSchema {
  readonly properties?: Readonly<Record<string, PropertySchema>>;
  readonly required?: readonly string[];
}

const KIND_OF_TYPE: Readonly<Record<string, ConfigField["kind"]>> = {
  number: "number",
  integer: "number",
  boolean: "check",
  string: "text",
};

export function configFields({ config }: Pick<StartDefinition, "config">): readonly ConfigField[] {
  const { properties = {}, required = [] } = config as ConfigSchema;
  return Object.entries(properties).map(
    ([name, { type = "", description, default: initial, enum: choices }]) => ({
      name,
      label: endingLabel(name) ?? description ?? name,
      kind: KIND_OF_TYPE[type] ?? "json",
      choices: (choices ?? []).map(String),
      isRequired: required.includes(name),
      initial: initial === undefined ? "" : typeof initial === "string" ? initial : JSON.stringify(initial),
    }),
  );
}

/** Typed text by field. */
export type OwnForm = Readonly<Record<string, string>>;

/** Returns the body of a preview; undefined while a required field is missing or not readable. */
function ownBody(
  definition: string,
  form: OwnForm,
  fields: readonly ConfigField[],
): Record<string, unknown> | undefined {
  const typed = (name: string) => form[name]?.trim() ?? "";
  const { exchange, symbol } = { exchange: typed("exchange"), symbol: typed("symbol") };
  if (exchange === "" || symbol === "") return undefined;
  const body: Record<string, unknown> = { definition, exchange, symbol };
  const config: Record<string, unknown> = {};
  for (const name of ["baseBudget", "quoteBudget"]) if (typed(name) !== "") body[name] = Number(typed(name));
  if (form.dryRun === "true") body.dryRun = true;
  for (const { name, kind, isRequired, initial } of fields) {
    const text = typed(name) || initial;
    if (text === "" && isRequired && kind !== "check") return undefined;
    if (text !== "") config[name] = kind === "text" ? text : readJson(text);
    else if (kind === "check" && isRequired) config[name] = false;
  }
  return { ...body, config };
}

/** Returns text as a value; text that is not JSON stays text, and the server reports it. */
export function readJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}
