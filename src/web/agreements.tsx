import { useState } from "hono/jsx/dom";
import { type ApiError, ask } from "./api.ts";
import { useLoad } from "./load.ts";
import { agreementCosts, CostTable } from "./markets/costs.tsx";
import { figureOf, VERDICT_COLUMNS } from "./markets/watched.tsx";
import { SaveButton } from "./save.tsx";
import { Table, type TableColumn } from "./table.tsx";
import type { AgreementList, AgreementReportView, Session } from "./types.ts";
import { Choice, Failed, Field, Section, Shown, useAsk, valueIn } from "./ui.tsx";

type AgreementRow = AgreementList["agreements"][number];

/** Agreements, a form for a new one, and the report of the chosen one. */
export function Agreements({ session, from, to }: { session: Session; from: string; to: string }) {
  const list = useLoad<AgreementList>("GET /agreements");
  const [chosen, choose] = useState<string>();
  const mayWrite = session.scope !== "read";
  return (
    <Section title="Agreements">
      <Shown of={list}>
        {({ agreements }) => {
          const name = chosen ?? agreements[0]?.agreement;
          const agreement = agreements.find((one) => one.agreement === name);
          return (
            <>
              <Table
                label="Agreements"
                columns={AGREEMENT_COLUMNS}
                rows={agreements}
                keyOf={({ agreement: key }) => key}
                empty="No agreement is stored."
              />
              {agreement ? (
                <>
                  <Field label="Report of">
                    <Choice
                      value={agreement.agreement}
                      choices={agreements.map((one) => one.agreement)}
                      choose={choose}
                    />
                  </Field>
                  <AgreementRules
                    key={`${agreement.agreement} ${agreement.version}`}
                    of={agreement}
                    from={from}
                    to={to}
                  />
                  {mayWrite && agreement.source === "stored" ? (
                    <EndButton of={agreement} changed={list.again} />
                  ) : null}
                </>
              ) : null}
              {mayWrite ? (
                <AgreementForm key={agreements.length} agreements={agreements} changed={list.again} />
              ) : null}
            </>
          );
        }}
      </Shown>
    </Section>
  );
}

const AGREEMENT_COLUMNS: readonly TableColumn<AgreementRow>[] = [
  { name: "Name", isHead: true, of: ({ agreement }) => agreement },
  { name: "State", of: ({ state }) => state },
  { name: "Made with", of: ({ counterparty }) => counterparty ?? "" },
  { name: "First day", of: ({ from }) => from ?? "" },
  { name: "Last day", of: ({ until }) => until ?? "no end" },
  {
    name: "Markets",
    of: ({ markets }) => markets.map(({ symbol, exchange }) => `${symbol} on ${exchange}`).join(", "),
  },
];

function AgreementRules({ of: { agreement }, from, to }: { of: AgreementRow; from: string; to: string }) {
  const report = useLoad<AgreementReportView>(`GET /agreements/${agreement}/report`, {
    from,
    to,
    details: "false",
  });
  const save = (format: "html" | "csv", label: string, cost: { cost?: boolean } = {}) => (
    <SaveButton
      label={label}
      route={`GET /agreements/${agreement}/report`}
      query={{ from, to, ...cost }}
      format={format}
      file={`agreement-${agreement}-${from}-${to}`}
    />
  );
  return (
    <Shown of={report}>
      {(data) => (
        <>
          <p>
            {data.from} to {data.to}, UTC: {data.counts.kept} kept, {data.counts.missed} missed,{" "}
            {data.counts.unknown} unknown
          </p>
          <Table
            label={`Rules of ${agreement}`}
            columns={AGREEMENT_RULES}
            rows={data.rules}
            keyOf={({ exchange, symbol, rule }) => `${exchange} ${symbol} ${rule}`}
            empty="No rules."
          />
          <CostTable label={`What ${agreement} cost`} rows={agreementCosts(data)} />
          <div class="actions">
            {save("html", "Save report")}
            {save("html", "Save report to send, without P&L", { cost: false })}
            {save("csv", "Save rules as CSV")}
          </div>
        </>
      )}
    </Shown>
  );
}

type AgreedRule = AgreementReportView["rules"][number];

const AGREEMENT_RULES: readonly TableColumn<AgreedRule>[] = [
  { name: "Market", isHead: true, of: ({ symbol, exchange }) => `${symbol} on ${exchange ?? "all markets"}` },
  { name: "Rule", of: ({ rule }) => rule },
  ...VERDICT_COLUMNS,
  { name: "Before", isNumber: true, of: ({ before, unit }) => (before ? figureOf(before.value, unit) : "") },
];

function EndButton({ of: { agreement }, changed }: { of: AgreementRow; changed: () => void }) {
  const [dialog, open] = useAsk();
  const end = async () => {
    const { until } = await ask<{ until: string }>(`POST /agreements/${agreement}/end`, { body: {} });
    changed();
    return `The last day of ${agreement} is ${until}, UTC.`;
  };
  return (
    <>
      <button
        type="button"
        onClick={() =>
          open({
            title: `End ${agreement}`,
            says: "Today becomes the last day of the agreement. Its orders stay open, and its reports and history stay.",
            yes: "End it today",
            act: end,
          })
        }
      >
        End {agreement}
      </button>
      {dialog}
    </>
  );
}

const FIELDS = [
  ["agreement", "Name", "snek"],
  ["markets", "Markets with their rules", "mexc:SNEK/USDT spread=2 depth=500, gateio:SNEK/USDT depth=300"],
  ["total", "Rules in total", "uptime=95 depth=1000"],
  ["counterparty", "Made with", "Snek Foundation"],
  ["from", "First day, UTC", "2026-01-01"],
  ["until", "Last day, UTC", "2026-12-31"],
] as const;

/** Creates an agreement, or changes the one with the same name; an empty field stays as it is. */
function AgreementForm({
  agreements,
  changed,
}: {
  agreements: readonly AgreementRow[];
  changed: () => void;
}) {
  const [values, setValues] = useState<Readonly<Record<string, string>>>({});
  const [error, setError] = useState<ApiError>();
  const isKnown = agreements.some(({ agreement }) => agreement === values.agreement?.trim());
  const submit = (event: Event) => {
    event.preventDefault();
    const given = Object.entries(values).map(([name, value]) => [name, value.trim()] as const);
    const { agreement, ...terms } = Object.fromEntries(given.filter(([, value]) => value !== ""));
    const sent = isKnown
      ? ask(`PATCH /agreements/${agreement}`, { body: terms })
      : ask("POST /agreements", { body: { agreement, ...terms } });
    sent
      .then(() => {
        setError(undefined);
        changed();
      })
      .catch(setError);
  };
  return (
    <form class="fields" aria-label="Terms of an agreement" onSubmit={submit}>
      {FIELDS.map(([name, label, example]) => (
        <Field key={name} label={label} wide={name === "markets"}>
          <input
            value={values[name] ?? ""}
            placeholder={example}
            onInput={(event: Event) => setValues((before) => ({ ...before, [name]: valueIn(event) }))}
          />
        </Field>
      ))}
      <button type="submit">{isKnown ? "Change agreement" : "Create agreement"}</button>
      {error ? <Failed error={error} /> : null}
    </form>
  );
}
