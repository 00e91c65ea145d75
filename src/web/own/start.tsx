import type { Child } from "hono/jsx";
import { useState } from "hono/jsx/dom";
import { endingLabel } from "../endings.ts";
import { pairOf } from "../format.ts";
import { useLoad } from "../live.ts";
import { fieldLabel, pageText } from "../page-text.ts";
import { PlanArea, usePlan } from "../plan-area.tsx";
import { linkTo } from "../route.ts";
import { ById } from "../strategy/parts.tsx";
import { PlanShown, StartPlan } from "../strategy/plan.tsx";
import type { AnyPlan, Definitions, Exchanges, Session, StartDefinition, StatusOfAny } from "../types.ts";
import { Choice, Field, NoticeBox, Section, Shown, useTitle, valueIn } from "../ui.tsx";

interface LoadedProps {
  readonly name: string;
  /** What is impossible while it is not loaded. */
  readonly lost: string;
  readonly children: (definition: StartDefinition) => Child;
}

/** Shows a part for a definition, or that it is not loaded. */
export function WithDefinition({ name, lost, children }: LoadedProps) {
  const list = useLoad<Definitions>("GET /definitions");
  return (
    <Shown of={list} rows={8}>
      {({ definitions }) => {
        const definition = definitions.find((one) => one.name === name);
        if (definition) return children(definition);
        return (
          <NoticeBox>
            The strategy {name} is not loaded{lost}. <a href={linkTo()}>See all strategies</a>
          </NoticeBox>
        );
      }}
    </Shown>
  );
}

/** The page that starts a strategy of the user's own: the form of its config, the plan, and a start of exactly that plan. */
export const StartOwn = ({ name, session }: { name: string; session: Session }) => (
  <WithDefinition name={name} lost="">
    {(definition) => <StartForm definition={definition} session={session} />}
  </WithDefinition>
);

/** The page that starts a strategy with the settings of another one, which the form shows. */
export const Clone = ({ id, session }: { id: string; session: Session }) => (
  <ById<StatusOfAny> id={id}>
    {({ startAgain, definition: name }) => (
      <WithDefinition name={name} lost=", so it cannot be started again">
        {(definition) => <StartForm definition={definition} session={session} again={startAgain} />}
      </WithDefinition>
    )}
  </ById>
);

/** A request of a start. */
type AgainRequest = Readonly<Record<string, unknown>>;

export const typedText = (value: unknown): string =>
  value === undefined ? "" : typeof value === "string" ? value : JSON.stringify(value);

const configOf = ({ config }: AgainRequest) => config as Readonly<Record<string, unknown>>;

/** Returns the value of a field, or of a part of an object: `trail.up`. */
function settingAt(config: Readonly<Record<string, unknown>>, name: string): unknown {
  const [whole = name, part] = name.split(".");
  return part === undefined ? config[name] : (config[whole] as Record<string, unknown> | undefined)?.[part];
}

/** Returns the object of these values. */
function nested(
  values: readonly (readonly [name: string, value: unknown])[],
): Readonly<Record<string, unknown>> {
  const all: Record<string, unknown> = {};
  for (const [name, value] of values) {
    const [whole = name, part] = name.split(".");
    all[whole] = part === undefined ? value : { ...(all[whole] as object | undefined), [part]: value };
  }
  return all;
}

/** Returns the form of a start again. */
function formAgain(
  { config: _, baseBudget, quoteBudget, ...again }: AgainRequest,
  fields: readonly (readonly [name: string, value: unknown])[],
): OwnForm {
  const { base, quote } = pairOf(typedText(again.symbol));
  const given = {
    ...Object.fromEntries(fields),
    ...again,
    [`base ${base}`]: baseBudget,
    [`quote ${quote}`]: quoteBudget,
  };
  return Object.fromEntries(Object.entries(given).map(([name, value]) => [name, typedText(value)]));
}

/** Returns the fields of a start again. A check box could not show that a flag is absent. */
const fieldsAgain = (definition: StartDefinition, again: AgainRequest): readonly ConfigField[] =>
  configFields(definition, configOf(again)).map((field) => ({
    ...field,
    ...(field.kind === "check" ? ({ kind: "json", choices: ["true", "false"] } as const) : {}),
    isFolded: settingAt(configOf(again), field.name) === undefined,
  }));

interface StartFormProps {
  readonly definition: StartDefinition;
  readonly session: Session;
  readonly again?: AgainRequest;
}

function StartForm({ definition, session, again }: StartFormProps) {
  const { name, summary } = definition;
  const title = again ? `Start the same ${name} again` : `Start ${name}`;
  useTitle(title);
  const fields = again ? fieldsAgain(definition, again) : configFields(definition);
  const exchanges = useLoad<Exchanges>("GET /exchanges");
  const ids = exchanges.data?.exchanges.map(({ id }) => id) ?? [];
  const [typed, setTyped] = useState<OwnForm>(
    again
      ? formAgain(
          again,
          fields.map(({ name: field }) => [field, settingAt(configOf(again), field)]),
        )
      : { symbol: "BTC/USDT" },
  );
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
  const plan = usePlan<AnyPlan>("POST /strategies/preview", ownBody(name, form, fields, again === undefined));
  return (
    <>
      <h1>{title}</h1>
      {summary ? <p>{summary}</p> : null}
      <div class="columns">
        <Section title="The strategy">
          <OwnFields
            form={form}
            change={change}
            fields={fields}
            ids={ids}
            hasBudget={again === undefined || again.quoteBudget !== undefined}
          />
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

/** A field of a config: text, or one of some choices. */
export const ConfigInput = ({
  label,
  hint = "",
  value,
  choices,
  change,
}: {
  label: string;
  hint?: string;
  value: string;
  choices?: readonly string[] | undefined;
  change: (text: string) => void;
}) => (
  <Field label={label} hint={hint}>
    {choices ? (
      <Choice value={value} choices={choices} choose={change} />
    ) : (
      <input
        autocomplete="off"
        spellcheck={false}
        value={value}
        onInput={(event: Event) => change(valueIn(event))}
      />
    )}
  </Field>
);

interface OwnFieldsProps {
  readonly form: OwnForm;
  readonly change: (changed: OwnForm) => void;
  readonly fields: readonly ConfigField[];
  /** The exchanges to choose from; none while they load. */
  readonly ids: readonly string[];
  readonly hasBudget: boolean;
}

function OwnFields({ form, change, fields, ids, hasBudget }: OwnFieldsProps) {
  const { base, quote } = pairOf(form.symbol ?? "");
  const input = (name: string, label: string, hint = "", choices?: readonly string[]) => (
    <ConfigInput
      key={name}
      label={label}
      hint={hint}
      choices={choices}
      value={form[name] ?? ""}
      change={(text) => change({ [name]: text })}
    />
  );
  const boxes = fields.filter(({ kind }) => kind !== "check" && kind !== "form");
  const box = ({ name, label, choices, isRequired, initial, hint }: ConfigField) =>
    input(
      name,
      label,
      hint ?? (isRequired ? "Required" : initial === "" ? "Optional" : `Default ${initial}`),
      choices.length === 0 ? undefined : isRequired ? choices : ["", ...choices],
    );
  const folded = boxes.filter(({ isFolded }) => isFolded);
  return (
    <>
      <div class="fields">
        {input("exchange", "Exchange", "", ids)}
        {input("symbol", "Pair")}
        {boxes.filter(({ isFolded }) => !isFolded).map(box)}
        {hasBudget ? input("baseBudget", `Base budget, ${base}`, "Default: all free base") : null}
        {hasBudget ? input("quoteBudget", `Quote budget, ${quote}`, "Default: all free quote") : null}
      </div>
      {folded.length === 0 ? null : (
        <details>
          <summary>Other settings</summary>
          <div class="fields">{folded.map(box)}</div>
        </details>
      )}
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
  /** `form` says which of several forms it is, and cannot change. */
  readonly kind: "number" | "text" | "check" | "json" | "form";
  readonly choices: readonly string[];
  readonly isRequired: boolean;
  readonly initial: string;
  /** What it means, if the label does not say it. */
  readonly hint?: string;
  /** Whether it stands below the others, behind a click. */
  readonly isFolded?: boolean;
}

interface PropertySchema {
  readonly type?: string;
  readonly description?: string;
  readonly default?: unknown;
  readonly enum?: readonly unknown[];
  readonly properties?: Readonly<Record<string, PropertySchema>>;
}

interface ConfigSchema {
  /** One for each form of the definition. */
  readonly anyOf?: readonly ConfigSchema[];
  readonly properties?: Readonly<Record<string, PropertySchema>>;
  readonly required?: readonly string[];
}

const KIND_OF_TYPE: Readonly<Record<string, ConfigField["kind"]>> = {
  number: "number",
  integer: "number",
  boolean: "check",
  string: "text",
};

/** Returns the fields of an object of the config, or the field itself. */
const withParts = ([name, schema]: [string, PropertySchema]): [string, PropertySchema][] =>
  schema.properties
    ? Object.entries(schema.properties).map(([part, one]) => [`${name}.${part}`, one])
    : [[name, schema]];

/** Field whose value says which of several forms a config has. */
const FORM_FIELD = "geometry";

/** Returns the fields of a config; of several forms, that of `given`, whose choice of a form is no field. */
export function configFields(
  { config, builtIn }: Pick<StartDefinition, "config" | "builtIn">,
  given: Readonly<Record<string, unknown>> = {},
): readonly ConfigField[] {
  const { anyOf = [], ...schema } = config as ConfigSchema;
  const isOfForm = ({ properties = {} }: ConfigSchema) =>
    properties[FORM_FIELD]?.default === given[FORM_FIELD];
  const { properties = {}, required = [] } = anyOf.find(isOfForm) ?? schema;
  return Object.entries(properties)
    .flatMap((field) => (builtIn ? withParts(field) : [field]))
    .map(([name, { type = "", description, default: initial, enum: choices }]) => ({
      name,
      label: builtIn ? fieldLabel(name) : (endingLabel(name) ?? description ?? name),
      ...(builtIn && description ? { hint: pageText(description).replaceAll("`", "") } : {}),
      kind: name === FORM_FIELD && anyOf.length > 0 ? "form" : (KIND_OF_TYPE[type] ?? "json"),
      choices: (choices ?? []).map(String),
      isRequired: required.includes(name),
      isFolded: !builtIn && endingLabel(name) !== undefined,
      initial: initial === undefined ? "" : typeof initial === "string" ? initial : JSON.stringify(initial),
    }));
}

/** Typed text by field. */
export type OwnForm = Readonly<Record<string, string>>;

/** Returns the body of a preview; undefined while a required field is missing or not readable. */
function ownBody(
  definition: string,
  form: OwnForm,
  fields: readonly ConfigField[],
  fillsDefaults: boolean,
): Record<string, unknown> | undefined {
  const typed = (name: string) => form[name]?.trim() ?? "";
  const { exchange, symbol } = { exchange: typed("exchange"), symbol: typed("symbol") };
  if (exchange === "" || symbol === "") return undefined;
  const body: Record<string, unknown> = { definition, exchange, symbol };
  const values: [string, unknown][] = [];
  for (const name of ["baseBudget", "quoteBudget"]) if (typed(name) !== "") body[name] = Number(typed(name));
  if (form.dryRun === "true") body.dryRun = true;
  for (const { name, kind, isRequired, initial } of fields) {
    const text = typed(name) || (fillsDefaults ? initial : "");
    if (text === "" && isRequired && kind !== "check") return undefined;
    if (text !== "") values.push([name, kind === "text" ? text : readJson(text)]);
    else if (kind === "check" && isRequired) values.push([name, false]);
  }
  return { ...body, config: nested(values) };
}

/** Returns text as a value; text that is not JSON stays text, and the server reports it. */
export function readJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}
