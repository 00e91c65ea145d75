import { useState } from "hono/jsx/dom";
import { type ApiError, ask } from "./api.ts";
import { timeNow } from "./clock.ts";
import { useEffect } from "./effect.ts";
import { duration } from "./format.ts";
import { link, reloadAll, useLoad } from "./live.ts";
import {
  agreementCosts,
  CostTable,
  eachPair,
  figureOf,
  Offers,
  VERDICT_COLUMNS,
} from "./markets/watched-pairs.tsx";
import { isKillSwitchOn, useValue } from "./session.ts";
import { sendChange } from "./strategy/parts.tsx";
import { Table, type TableColumn } from "./table.tsx";
import type { AgreementList, KillAnswer, LiquidityReportView, Session, WatchedPairs } from "./types.ts";
import {
  Choice,
  Failed,
  Field,
  type Question,
  SaveButton,
  type SaveProps,
  Section,
  Shown,
  useConfirmation,
  valueIn,
} from "./ui.tsx";

/** The page of liquidity reports: what was offered in some days, and a report to send. */
export function LiquidityPage({ session }: { session: Session }) {
  const watched = useLoad<WatchedPairs>("GET /liquidity/pairs");
  return (
    <>
      <h1>Liquidity</h1>
      <Shown of={watched}>
        {(data) => (
          <>
            {data.count === 0 ? (
              <p class="empty">
                No pair is sampled. Create an agreement, or name the pairs in the setting EDGEMAKER_LIQUIDITY
                and restart the server.
              </p>
            ) : (
              <Days pairs={eachPair(data)} day={data.day} />
            )}
            <Agreements session={session} from={`${data.day.slice(0, 8)}01`} to={data.day} />
          </>
        )}
      </Shown>
    </>
  );
}

function Days({ pairs, day }: Pick<WatchedPairs, "pairs" | "day">) {
  const [at, setAt] = useState(0);
  const [from, setFrom] = useState(`${day.slice(0, 8)}01`);
  const [to, setTo] = useState(day);
  const { exchange = "", symbol = "" } = pairs[at] ?? {};
  const [maker, setMaker] = useState("");
  const query = { exchange, symbol, from, to };
  const file = `liquidity-${exchange}-${symbol.replace("/", "-")}-${from}-${to}`;
  return (
    <>
      <div class="fields line">
        <Field label="Pair">
          <Choice
            value={String(at)}
            choices={pairs.map((one, index) => [String(index), `${one.symbol} on ${one.exchange}`] as const)}
            choose={(index: string) => setAt(Number(index))}
          />
        </Field>
        <Field label="First day, UTC">
          <input type="date" value={from} max={to} onInput={(event: Event) => setFrom(valueIn(event))} />
        </Field>
        <Field label="Last day, UTC">
          <input type="date" value={to} max={day} onInput={(event: Event) => setTo(valueIn(event))} />
        </Field>
        <Field label="Your name in the report">
          <input value={maker} maxLength={80} onInput={(event: Event) => setMaker(valueIn(event))} />
        </Field>
      </div>
      <Section title="Offers and obligations">
        <Offers key={file} {...query} days={`from ${from} to ${to}, UTC`} cost />
        <ReportButtons
          route="GET /liquidity/report"
          query={{ ...query, maker: maker.trim() }}
          file={file}
          table="Save days as CSV"
        />
      </Section>
    </>
  );
}

/** The report to send and the maker's own, under two names: one of them has P&L. */
const ReportButtons = ({
  table,
  file,
  ...request
}: Pick<SaveProps, "route" | "query" | "file"> & { table: string }) => (
  <div class="actions">
    <SaveButton
      {...request}
      label="Save report to send, without P&L"
      query={{ ...request.query, cost: false }}
      format="html"
      file={`${file}-to-send`}
    />
    <SaveButton {...request} label="Save internal report, with P&L" format="html" file={`${file}-internal`} />
    <SaveButton {...request} label={table} format="csv" file={file} />
  </div>
);

type AgreementRow = AgreementList["agreements"][number];

/** Agreements, a form for a new one, and the report of the chosen one. */
function Agreements({ session, from, to }: { session: Session; from: string; to: string }) {
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
  const report = useLoad<LiquidityReportView>("GET /liquidity/report", {
    agreement,
    from,
    to,
    details: "false",
  });
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
          <ReportButtons
            route="GET /liquidity/report"
            query={{ agreement, from, to }}
            file={`agreement-${agreement}-${from}-${to}`}
            table="Save rules as CSV"
          />
        </>
      )}
    </Shown>
  );
}

type AgreedRule = LiquidityReportView["rules"][number];

const AGREEMENT_RULES: readonly TableColumn<AgreedRule>[] = [
  { name: "Market", isHead: true, of: ({ symbol, exchange }) => `${symbol} on ${exchange ?? "all markets"}` },
  { name: "Rule", of: ({ rule }) => rule },
  ...VERDICT_COLUMNS,
  { name: "Before", isNumber: true, of: ({ before, unit }) => (before ? figureOf(before.value, unit) : "") },
];

function EndButton({ of: { agreement }, changed }: { of: AgreementRow; changed: () => void }) {
  const [dialog, open] = useConfirmation();
  const end = async () => {
    const { until } = await ask<{ until: string }>(`PATCH /agreements/${agreement}`, {
      body: { until: "today" },
    });
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

export const killQuestion = (on: boolean): Question => ({
  title: on ? "Turn the kill switch on?" : "Turn the kill switch off?",
  says: on
    ? "No new order is placed on any exchange. Open orders stay and can fill. You can still cancel."
    : "Strategies place missing orders in their next pass. Manual orders work again.",
  yes: on ? "Turn it on" : "Turn it off",
  dangerous: on,
  act: () => sendChange("POST /kill", { on }),
});

/** The kill switch and the panic button; each needs a confirmation. */
export function Safety({ session }: { session: Session }) {
  const kill = useLoad<KillAnswer>("GET /kill", {}, { live: true });
  const [question, put] = useConfirmation();
  const isUnknown = kill.error !== undefined;
  const isOn = isUnknown ? undefined : kill.data?.on;
  useEffect(() => {
    isKillSwitchOn.set(isOn);
    return undefined;
  }, [isOn]);
  const panic = (sell: boolean) =>
    put({
      title: "Panic: stop everything?",
      says: <PanicSays sell={sell} choose={panic} />,
      yes: sell ? "Stop all and sell" : "Stop all",
      dangerous: true,
      act: () => sendChange("POST /kill", { on: true, stop: true, sell }),
    });
  if (session.scope !== "admin")
    return (
      <div class="safety">
        {isUnknown ? <b class="tag warn">Kill switch: unknown</b> : null}
        {isOn ? <b class="tag down">Kill switch on</b> : null}
      </div>
    );
  return (
    <>
      <div class="safety" role="group" aria-label="Safety">
        <button
          type="button"
          class={isOn ? "danger" : ""}
          aria-pressed={isUnknown ? "mixed" : isOn === true ? "true" : "false"}
          // It can be turned on without knowing its state.
          disabled={isOn === undefined && !isUnknown}
          onClick={() => put(killQuestion(!isOn))}
        >
          {isUnknown ? "Kill switch: unknown" : isOn ? "Kill switch is on" : "Kill switch"}
        </button>
        <button type="button" class="danger" onClick={() => panic(false)}>
          Panic
        </button>
      </div>
      {question}
    </>
  );
}

const PanicSays = ({ sell, choose }: { sell: boolean; choose: (sell: boolean) => void }) => (
  <>
    <p>
      This turns on the kill switch, stops every strategy and cancels every edgemaker order on every exchange.
      Base that they bought stays in your account unless you sell it.
    </p>
    <label class="check">
      <input type="checkbox" checked={sell} onClick={() => choose(!sell)} /> Also sell the base of every
      strategy, at most 10 % below the mid price
    </label>
  </>
);

const WORDS = {
  connecting: ["", "connecting"],
  live: ["up", "connected"],
  polling: ["warn", "every 5 s"],
  offline: ["down", "offline"],
} as const;

/** Time in milliseconds without updates after which the data are marked as old. */
const STALE_AFTER_MS = 60_000;

/** Shows whether the data are current. */
export function Link() {
  const { how, at } = useValue(link);
  useValue(timeNow);
  useEffect(() => {
    // Loads missed changes when the tab becomes visible.
    const refresh = () => document.hidden || reloadAll();
    document.addEventListener("visibilitychange", refresh);
    return () => document.removeEventListener("visibilitychange", refresh);
  }, []);
  const [tone, word] = WORDS[how];
  const age = Date.now() - at;
  const isOld = how === "offline" || age > STALE_AFTER_MS;
  return (
    <span class={`link ${isOld ? "down" : tone}`} role="status">
      {isOld ? `${word}; as of ${duration(age)} ago` : word}
    </span>
  );
}
