import { useState } from "hono/jsx/dom";
import { useLoad } from "../live.ts";
import { EditSection } from "../strategy/edit.tsx";
import type { Definitions, OwnStatus } from "../types.ts";
import { Choice, Field, NoticeBox, Shown, valueIn } from "../ui.tsx";
import { type ConfigField, configFields, flat, nested, type OwnForm, readJson, typedText } from "./start.tsx";

/** A form for new settings of a running strategy, from its definition's schema. */
export function EditOwn({ one }: { one: OwnStatus }) {
  const list = useLoad<Definitions>("GET /definitions");
  return (
    <Shown of={list} rows={4}>
      {({ definitions }) => {
        const definition = definitions.find(({ name }) => name === one.definition);
        return definition ? (
          <EditForm one={one} fields={configFields(definition)} />
        ) : (
          <NoticeBox>The strategy {one.definition} is not loaded, so it cannot be changed.</NoticeBox>
        );
      }}
    </Shown>
  );
}

interface EditFormProps {
  readonly one: OwnStatus;
  readonly fields: readonly ConfigField[];
}

function EditForm({ one, fields }: EditFormProps) {
  const [typed, setTyped] = useState<OwnForm>({});
  return (
    <EditSection
      title="Change this strategy"
      id={one.id}
      config={typedConfig(one, fields, typed)}
      fields={
        <OwnEditFields
          now={one.config}
          fields={fields}
          typed={typed}
          change={(changed) => setTyped((before) => ({ ...before, ...changed }))}
        />
      }
      names={Object.fromEntries(fields.map(({ name, label }) => [name, label]))}
      empty="Change a setting. The orders to cancel and to place appear here."
      changed={() => setTyped({})}
    />
  );
}

interface OwnEditProps {
  readonly now: OwnStatus["config"];
  readonly fields: readonly ConfigField[];
  readonly typed: OwnForm;
  readonly change: (changed: OwnForm) => void;
}

function OwnEditFields({ now, fields, typed, change }: OwnEditProps) {
  return (
    <div class="fields">
      {fields.map(({ name, label, kind, choices }) => {
        const value = typed[name] ?? typedText(flat(now)[name]);
        const words = kind === "check" ? ["true", "false"] : choices;
        return (
          <Field key={name} label={label}>
            {words.length > 0 ? (
              <Choice value={value} choices={words} choose={(choice: string) => change({ [name]: choice })} />
            ) : (
              <input
                autocomplete="off"
                spellcheck={false}
                value={value}
                onInput={(event: Event) => change({ [name]: valueIn(event) })}
              />
            )}
          </Field>
        );
      })}
    </div>
  );
}

/** Returns the fields that differ from the running config; undefined while none does. */
function typedConfig(
  { config }: Pick<OwnStatus, "config">,
  fields: readonly ConfigField[],
  typed: OwnForm,
): Readonly<Record<string, unknown>> | undefined {
  const changed = fields.flatMap(({ name, kind }) => {
    const text = typed[name]?.trim();
    if (text === undefined || text === "" || text === typedText(flat(config)[name])) return [];
    return [[name, kind === "text" ? text : readJson(text)] as const];
  });
  return changed.length === 0 ? undefined : nested(changed, config);
}
