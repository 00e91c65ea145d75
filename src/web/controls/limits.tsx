import { useState } from "hono/jsx/dom";
import { ask } from "../api.ts";
import { money } from "../format.ts";
import { useLoad } from "../load.ts";
import { Table } from "../table.tsx";
import type { LimitChange, LimitsAnswer } from "../types.ts";
import { Choice, Field, Section, Shown, useAsk, valueIn } from "../ui.tsx";
import { limitForm, limitTitle, limitValue, scopeText } from "./limit-text.ts";

/** The page of limits and their usage. */
export function LimitsPage() {
  const limits = useLoad<LimitsAnswer>("GET /limits");
  return (
    <>
      <h1>Limits</h1>
      <Shown of={limits} rows={10}>
        {(data) => (
          <>
            <LimitsInUse data={data} />
            <SetLimit data={data} again={limits.again} />
            <Section title="Used">
              <Table
                label="Daily use of limits"
                columns={[
                  { name: "Scope", isHead: true, of: ({ scope }) => scopeText(scope) },
                  { name: "Day, UTC", of: ({ day }) => day },
                  { name: "Orders", isNumber: true, of: ({ orders }) => orders },
                  {
                    name: "Notional",
                    isNumber: true,
                    of: ({ notional, asset }) => `${money(Number(notional))} ${asset}`,
                  },
                ]}
                rows={data.used}
                keyOf={({ scope, day, asset }) => `${scope} ${day} ${asset}`}
                empty="No order has used a limit yet."
              />
            </Section>
          </>
        )}
      </Shown>
    </>
  );
}

function LimitsInUse({ data }: { data: LimitsAnswer }) {
  const rows = [
    ...Object.entries(data.settings).map(([name, value]) => ({
      scope: "the server's settings",
      name,
      value,
    })),
    ...data.limits.flatMap(({ scope, limits }) =>
      Object.entries(limits).map(([name, value]) => ({ scope, name, value })),
    ),
  ];
  return (
    <Section title="Current limits">
      {data.warnings.map((warning) => (
        <p key={warning} class="warn">
          {warning.replace(/^\w+/, limitTitle)}
        </p>
      ))}
      <Table
        label="Limits"
        columns={[
          {
            name: "Limit",
            isHead: true,
            of: ({ name }) => limitTitle(name),
            by: ({ name }) => limitTitle(name),
          },
          { name: "Value", of: ({ name, value }) => limitValue(name, value) },
          { name: "Scope", of: ({ scope }) => scopeText(scope), by: ({ scope }) => scope },
        ]}
        rows={rows}
        keyOf={({ scope, name }) => `${scope} ${name}`}
        empty="No limits are set."
      />
    </Section>
  );
}

function SetLimit({ data, again }: { data: LimitsAnswer; again: () => void }) {
  const names = Object.keys(data.limits.find(({ scope }) => scope === "every")?.limits ?? {});
  const [form, setForm] = useState({ scope: "every", name: names[0] ?? "", value: "" });
  const [question, put] = useAsk();
  const type = (field: "scope" | "name" | "value") => (event: Event) =>
    setForm({ ...form, [field]: valueIn(event) });
  const set = (event: Event) => {
    event.preventDefault();
    put({
      title: "Change this limit?",
      says: `${limitTitle(form.name)}, ${scopeText(form.scope)}: ${limitValue(form.name, form.value)}. It applies to every order from now on. Slots that it blocked are retried at once.`,
      yes: "Change it",
      act: async () => {
        const body = { scope: form.scope, [form.name]: form.value };
        const { message } = await ask<LimitChange>("PUT /limits", { body });
        again();
        return message;
      },
    });
  };
  return (
    <Section title="Change a limit">
      <form class="fields line" onSubmit={set}>
        <Field label="Limit">
          <Choice
            value={form.name}
            choices={names.map((name) => [name, limitTitle(name)] as const)}
            choose={(name: string) => setForm({ ...form, name })}
          />
        </Field>
        <Field label="New value" hint={limitForm(form.name)}>
          <input value={form.value} autocomplete="off" onInput={type("value")} />
        </Field>
        <Field label="Scope">
          <input value={form.scope} placeholder="every, account:kraken, token:ID" onInput={type("scope")} />
        </Field>
        <button type="submit" disabled={form.value.trim() === ""}>
          Change
        </button>
      </form>
      {question}
    </Section>
  );
}
