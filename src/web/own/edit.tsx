import { useState } from "hono/jsx/dom";
import { EditSection } from "../strategy/edit.tsx";
import type { OwnStatus } from "../types.ts";
import {
  type ConfigField,
  ConfigInput,
  configFields,
  type OwnForm,
  readJson,
  typedText,
  WithDefinition,
} from "./start.tsx";

/** A form for new settings of a running strategy, from its definition's schema. */
export const EditOwn = ({ one }: { one: OwnStatus }) => (
  <WithDefinition name={one.definition} lost=", so it cannot be changed">
    {(definition) => <EditForm one={one} fields={configFields(definition)} />}
  </WithDefinition>
);

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
        <div class="fields">
          {fields.map(({ name, label, kind, choices }) => (
            <ConfigInput
              key={name}
              label={label}
              value={typed[name] ?? typedText(one.config[name])}
              choices={kind === "check" ? ["true", "false"] : choices.length > 0 ? choices : undefined}
              change={(text) => setTyped((before) => ({ ...before, [name]: text }))}
            />
          ))}
        </div>
      }
      names={Object.fromEntries(fields.map(({ name, label }) => [name, label]))}
      empty="Change a setting. The orders to cancel and to place appear here."
      changed={() => setTyped({})}
    />
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
    if (text === undefined || text === "" || text === typedText(config[name])) return [];
    return [[name, kind === "text" ? text : readJson(text)] as const];
  });
  return changed.length === 0 ? undefined : Object.fromEntries(changed);
}
