import { useState } from "hono/jsx/dom";
import { pluralize } from "../../kernel/plain-text.ts";
import { LIMIT_OFF } from "../../limits/texts.ts";
import type { Scope } from "../../model/token.ts";
import { type ApiError, ask, part } from "../api.ts";
import { capitalized, inPercent, money } from "../format.ts";
import { useLoad } from "../live.ts";
import { areRight, type TextRows } from "../row-checks.ts";
import { RowsField } from "../rows.tsx";
import { Table, type TableColumn, usePages } from "../table.tsx";
import type {
  Exchanges,
  KeysAnswer,
  LimitChange,
  LimitsAnswer,
  Session,
  TestedKeys,
  TokenAnswer,
  TokenList,
} from "../types.ts";
import { Choice, Failed, Field, NoticeBox, Section, Shown, Time, useConfirmation, valueIn } from "../ui.tsx";
import {
  isList,
  limitColumns,
  limitTitle,
  limitValue,
  lowestDayLimit,
  scopeText,
  writeLimit,
} from "./limit-text.ts";

/** The page of API tokens and exchange keys; the secrets are never shown. */
export function AccessPage({ session }: { session: Session }) {
  return (
    <>
      <h1>Access</h1>
      <Tokens actor={session.actor} />
      <ExchangeKeys />
    </>
  );
}

function ExchangeKeys() {
  const keys = useLoad<{ exchanges: readonly KeysAnswer[] }>("GET /keys");
  const [question, put] = useConfirmation();
  const test = (exchange: string) =>
    put({
      title: `Test the keys of ${exchange}?`,
      says: "This reads balances and the permissions of these keys.",
      yes: "Test them",
      act: async () =>
        describeTested(await ask<TestedKeys>(`POST /keys/${part(exchange)}/test`, { body: {} })),
    });
  return (
    <Section title="Exchange keys">
      <Shown of={keys}>
        {({ exchanges }) => (
          <Table
            label="Source of exchange keys"
            columns={[
              { name: "Exchange", isHead: true, of: ({ exchange }) => exchange, by: (one) => one.exchange },
              {
                name: "Keys",
                of: ({ from, trouble }) => (
                  <>
                    {from === "nowhere" ? "none" : `from the ${from}`}
                    {trouble ? <small class="todo">{trouble}</small> : null}
                  </>
                ),
              },
              {
                name: "Stored",
                of: ({ storedAt }) => (storedAt === null ? "–" : <Time at={storedAt} />),
              },
              {
                name: "Actions",
                of: ({ exchange, from }) =>
                  from === "nowhere" ? (
                    "–"
                  ) : (
                    <button type="button" aria-label={`Test ${exchange}`} onClick={() => test(exchange)}>
                      Test
                    </button>
                  ),
              },
            ]}
            rows={exchanges}
            keyOf={({ exchange }) => exchange}
            empty="These exchanges are simulated: they need no keys."
          />
        )}
      </Shown>
      {keys.data && keys.data.exchanges.length > 0 ? (
        <AddKeys exchanges={keys.data.exchanges.map(({ exchange }) => exchange)} again={keys.again} />
      ) : null}
      {question}
    </Section>
  );
}

const EMPTY = { key: "", secret: "", passphrase: "" };
type KeyTexts = typeof EMPTY;

const KEY_LABELS: Readonly<Record<keyof KeyTexts, string>> = {
  key: "API key",
  secret: "Secret",
  passphrase: "Passphrase (only some exchanges)",
};

/** A form for an exchange's keys: the server checks them at the exchange, and stores them encrypted. */
function AddKeys({ exchanges, again }: { exchanges: readonly string[]; again: () => void }) {
  const [exchange, setExchange] = useState(exchanges[0] ?? "");
  const [texts, setTexts] = useState<KeyTexts>(EMPTY);
  const [state, setState] = useState<{ done?: string; error?: ApiError; isBusy?: boolean }>({});
  const store = async (event: Event) => {
    event.preventDefault();
    setState({ isBusy: true });
    const { passphrase, ...body } = texts;
    try {
      const tested = await ask<TestedKeys>(`PUT /keys/${part(exchange)}`, {
        body: { ...body, ...(passphrase === "" ? {} : { passphrase }) },
      });
      setTexts(EMPTY);
      setState({ done: `Stored. ${describeTested(tested)}` });
      again();
    } catch (error) {
      setState({ error: error as ApiError });
    }
  };
  return (
    <form onSubmit={(event: Event) => void store(event)}>
      <h3>Store keys</h3>
      <p class="quiet">
        Create keys that can read and trade, but not withdraw. The server tests them at the exchange, and
        stores them encrypted.
      </p>
      <div class="fields line">
        <Field label="Exchange">
          <Choice value={exchange} choices={exchanges} choose={setExchange} />
        </Field>
        {(Object.keys(KEY_LABELS) as (keyof KeyTexts)[]).map((name) => (
          <Field key={name} label={KEY_LABELS[name]}>
            <input
              type="password"
              autocomplete="off"
              spellcheck={false}
              value={texts[name]}
              onInput={(event: Event) => setTexts({ ...texts, [name]: valueIn(event).trim() })}
            />
          </Field>
        ))}
        <button
          type="submit"
          class="primary"
          disabled={state.isBusy === true || texts.key === "" || texts.secret === ""}
        >
          {state.isBusy ? "Testing…" : "Test and store"}
        </button>
      </div>
      {state.error ? <Failed error={state.error} /> : null}
      {state.done ? <NoticeBox>{state.done}</NoticeBox> : null}
    </form>
  );
}

/** Describes the result of a test of keys. */
function describeTested({ exchange, assets, mayWithdraw }: TestedKeys): string {
  const rights =
    mayWithdraw === null
      ? "The exchange does not show whether they can withdraw."
      : mayWithdraw
        ? "They can withdraw. Create keys that can only read and trade."
        : "They cannot withdraw.";
  return `${exchange} accepts them; the account has ${assets} assets. ${rights}`;
}

/** API tokens: created and shown once here, and revoked immediately. */
function Tokens({ actor }: { actor: string }) {
  const { before, pager } = usePages<number>();
  const page = useLoad<TokenList>("GET /tokens", { before });
  const [question, put] = useConfirmation();
  const revoke = ({ id, name, scope }: TokenAnswer) =>
    put({
      title: `Revoke ${name}?`,
      says: `${scope === "link" ? "Nobody can sign in with it any more" : "Requests with it are refused from now on, and its sign-in links and sessions end"}. You cannot undo this.`,
      yes: "Revoke it",
      dangerous: true,
      act: async () => {
        await ask(`DELETE /tokens/${part(id)}`);
        page.again();
        return `${name} is revoked.`;
      },
    });
  return (
    <Section title="API tokens">
      <NewTokenForm put={put} again={page.again} />
      <Shown of={page}>
        {({ tokens, next }) => (
          <>
            <Table
              label="API tokens, newest first"
              columns={tokenColumns(revoke, actor)}
              rows={tokens}
              keyOf={({ id }) => id}
              empty="No stored tokens yet. Tokens from the server's settings are not listed."
            />
            {pager(next)}
          </>
        )}
      </Shown>
      {question}
    </Section>
  );
}

const tokenState = ({ revokedAt, expiresAt }: TokenAnswer) => {
  if (revokedAt !== null)
    return (
      <>
        revoked <Time at={revokedAt} />
      </>
    );
  if (expiresAt === null) return "never";
  return (
    <>
      {expiresAt < Date.now() ? "expired" : "until"} <Time at={expiresAt} />
    </>
  );
};

const tokenColumns = (
  revoke: (token: TokenAnswer) => void,
  actor: string,
): readonly TableColumn<TokenAnswer>[] => [
  {
    name: "Token",
    isHead: true,
    of: ({ id, name, server }) => (
      <>
        <span class="break">{name === id ? "no name" : name}</span>
        <small>{server ? `for the server at ${server}` : id}</small>
        {id === actor ? <small>You are signed in with it</small> : null}
      </>
    ),
    by: ({ name }) => name,
  },
  { name: "Scope", of: ({ scope }) => (scope === "link" ? "sign in once" : scope), by: ({ scope }) => scope },
  { name: "Created", of: ({ createdAt }) => <Time at={createdAt} />, by: ({ createdAt }) => createdAt },
  { name: "Expires", of: tokenState },
  {
    name: "Actions",
    of: (token) =>
      token.revokedAt === null ? (
        <button type="button" aria-label={`Revoke ${token.name}`} onClick={() => revoke(token)}>
          Revoke
        </button>
      ) : (
        "–"
      ),
  },
];

const MAY: Readonly<Record<Scope, string>> = {
  read: "see everything and change nothing",
  trade: "start, change and stop grids, and place and cancel orders",
  admin: "do everything, and create tokens for others",
  agent: "use the tools at /mcp only",
};

function NewTokenForm({ put, again }: { put: ReturnType<typeof useConfirmation>[1]; again: () => void }) {
  const [form, setForm] = useState({ name: "", scope: "read" as Scope, days: "" });
  const type = (field: "name" | "scope" | "days") => (event: Event) =>
    setForm({ ...form, [field]: valueIn(event) });
  const make = (event: Event) => {
    event.preventDefault();
    const { name, scope, days } = form;
    put({
      title: "Create a token?",
      says: `Its holder can ${MAY[scope]}${days === "" ? ", until it is revoked" : `, for ${pluralize(days, "day")}`}. It is shown once.`,
      yes: "Create token",
      act: async () => {
        const body = {
          scope,
          ...(name.trim() === "" ? {} : { name: name.trim() }),
          ...(days === "" ? {} : { days: Number(days) }),
        };
        const { token } = await ask<{ token: string }>("POST /tokens", { body });
        again();
        return (
          <>
            Copy it now. It is shown only once: <code class="break">{token}</code>
          </>
        );
      },
    });
  };
  return (
    <form class="fields line" onSubmit={make}>
      <Field label="Purpose">
        <input value={form.name} autocomplete="off" onInput={type("name")} />
      </Field>
      <Field label="Scope">
        <Choice
          value={form.scope}
          choices={["read", "trade", "admin", "agent"]}
          choose={(scope: Scope) => setForm({ ...form, scope })}
        />
      </Field>
      <Field label="Days until it expires; empty for never">
        <input value={form.days} inputMode="numeric" autocomplete="off" onInput={type("days")} />
      </Field>
      <button type="submit">Create a token</button>
    </form>
  );
}

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
                    of: (use) => {
                      const most = lowestDayLimit(data, use);
                      const share =
                        most === undefined
                          ? ""
                          : ` of ${money(most)} (${inPercent((100 * Number(use.notional)) / most, 0)})`;
                      return `${money(use.notional)}${share} ${use.asset}`;
                    },
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
          {warning}
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

/** Names the orders to which a limit can apply: all, those of an account, or those of a token. */
function useScopes(data: LimitsAnswer): readonly (readonly [string, string])[] {
  const exchanges = useLoad<Exchanges>("GET /exchanges").data?.exchanges ?? [];
  const tokens = useLoad<TokenList>("GET /tokens").data?.tokens ?? [];
  const named = new Map([
    ...data.limits.map(({ scope }) => [scope, scopeText(scope)] as const),
    ...exchanges.map(({ id }) => [`account:${id}`, `account ${id}`] as const),
    ...tokens
      .filter(({ revokedAt, scope }) => revokedAt === null && scope !== "link")
      .map(({ id, name }) => [`token:${id}`, `token ${name}`] as const),
  ]);
  return [...named];
}

function SetLimit({ data, again }: { data: LimitsAnswer; again: () => void }) {
  const names = Object.keys(data.limits.find(({ scope }) => scope === "every")?.limits ?? {});
  const [{ scope, name, rows, isOff }, setForm] = useState(() => limitForm(names[0] ?? ""));
  const [isChecked, setChecked] = useState(false);
  const [question, put] = useConfirmation();
  const scopes = useScopes(data);
  const columns = limitColumns(name);
  const change = (more: Partial<ReturnType<typeof limitForm>>) => setForm((now) => ({ ...now, ...more }));
  const value = isOff ? LIMIT_OFF : writeLimit(name, rows);
  const set = (event: Event) => {
    event.preventDefault();
    setChecked(true);
    if (!isOff && (rows.length === 0 || !areRight(columns, rows))) return;
    put({
      title: "Change this limit?",
      says: `${limitTitle(name)}, ${new Map(scopes).get(scope)}: ${limitValue(name, value)}. It applies to every order from now on. Slots that it blocked are retried at once.`,
      yes: "Change it",
      act: async () => {
        const { message } = await ask<LimitChange>("PUT /limits", { body: { scope, [name]: value } });
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
            value={name}
            choices={names.map((one) => [one, limitTitle(one)] as const)}
            choose={(one: string) => change({ ...limitForm(one), scope })}
          />
        </Field>
        <Field label="Scope">
          <Choice
            value={scope}
            choices={scopes.map(([one, text]) => [one, capitalized(text)] as const)}
            choose={(one: string) => change({ scope: one })}
          />
        </Field>
        {isOff ? null : (
          <RowsField
            label={limitTitle(name)}
            columns={columns}
            rows={rows}
            change={(typed) => change({ rows: typed })}
            isChecked={isChecked}
            maximum={isList(name) ? undefined : 1}
            error={isChecked && rows.length === 0 ? "Add a value, or turn the limit off." : ""}
            hint={columns.length > 1 ? "Assets that are not in these rows keep their amounts." : ""}
          />
        )}
        <label class="check">
          <input type="checkbox" checked={isOff} onClick={() => change({ isOff: !isOff })} /> Turn this limit
          off
        </label>
        <button type="submit">Change</button>
      </form>
      {question}
    </Section>
  );
}

/** Returns the form for a limit, with an empty row. */
const limitForm = (name: string) => ({
  scope: "every",
  name,
  rows: [limitColumns(name).map(({ initial }) => initial)] as TextRows,
  isOff: false,
});
