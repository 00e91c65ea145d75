import { useState } from "hono/jsx/dom";
import { AgreementForm, type AgreementRow } from "./agreement-form.tsx";
import { ask, part } from "./api.ts";
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
  Field,
  NoticeBox,
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
  const watched = useLoad<WatchedPairs>("GET /liquidity/pairs", {}, { live: true });
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

/** Agreements, the report of one, and a form that creates or changes one. */
function Agreements({ session, ...days }: { session: Session; from: string; to: string }) {
  const list = useLoad<AgreementList>("GET /agreements", {}, { live: true });
  const [edited, edit] = useState<string>();
  const [message, setMessage] = useState<string>();
  const [dialog, open] = useConfirmation();
  const mayWrite = session.scope !== "read";
  const done = (text?: string) => {
    edit(undefined);
    setMessage(text);
    reloadAll();
  };
  const actions = actionsColumn(
    ({ agreement }) => edit(agreement),
    (one) => open(endQuestion(one, reloadAll)),
  );
  return (
    <Section title="Agreements">
      <Shown of={list}>
        {({ agreements }) => {
          const changed = agreements.find(({ agreement }) => agreement === edited);
          return (
            <>
              <Table
                label="Agreements"
                columns={mayWrite ? [...AGREEMENT_COLUMNS, actions] : AGREEMENT_COLUMNS}
                rows={agreements}
                keyOf={({ agreement }) => agreement}
                empty="No agreement is stored."
              />
              {message ? <NoticeBox>{message}</NoticeBox> : null}
              <AgreementReport agreements={agreements} {...days} />
              {mayWrite ? (
                <>
                  <h3>{changed ? `Change ${changed.agreement}` : "New agreement"}</h3>
                  <AgreementForm
                    key={changed ? `${changed.agreement} ${changed.version}` : agreements.length}
                    of={changed}
                    agreements={agreements}
                    done={done}
                  />
                </>
              ) : null}
            </>
          );
        }}
      </Shown>
      {dialog}
    </Section>
  );
}

const endQuestion = ({ agreement }: AgreementRow, ended: () => void): Question => ({
  title: `End ${agreement}`,
  says: "Today becomes the last day of the agreement. Its orders stay open, and its reports and history stay.",
  yes: "End it today",
  act: async () => {
    const { until } = await ask<{ until: string }>(`PATCH /agreements/${part(agreement)}`, {
      body: { until: "today" },
    });
    ended();
    return `The last day of ${agreement} is ${until}, UTC.`;
  },
});

/** The report of the chosen agreement, by default the first one. */
function AgreementReport({
  agreements,
  ...days
}: {
  agreements: readonly AgreementRow[];
  from: string;
  to: string;
}) {
  const [chosen, choose] = useState<string>();
  const of = agreements.find(({ agreement }) => agreement === chosen) ?? agreements[0];
  if (!of) return null;
  return (
    <>
      <Field label="Report of">
        <Choice value={of.agreement} choices={agreements.map(({ agreement }) => agreement)} choose={choose} />
      </Field>
      <AgreementRules key={`${of.agreement} ${of.version}`} of={of} {...days} />
    </>
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

type AgreementAct = (of: AgreementRow) => void;

const actionsColumn = (edit: AgreementAct, end: AgreementAct): TableColumn<AgreementRow> => ({
  name: "Actions",
  of: (one) =>
    one.source === "stored" ? (
      <div class="actions">
        <button type="button" aria-label={`Edit ${one.agreement}`} onClick={() => edit(one)}>
          Edit
        </button>
        {one.state === "ended" ? null : (
          <button type="button" aria-label={`End ${one.agreement}`} onClick={() => end(one)}>
            End
          </button>
        )}
      </div>
    ) : (
      "–"
    ),
});

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
