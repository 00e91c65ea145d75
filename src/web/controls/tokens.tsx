import { useState } from "hono/jsx/dom";
import type { Scope } from "../../model/token.ts";
import { ask, part } from "../api.ts";
import { useLoad } from "../load.ts";
import { Table, type TableColumn, usePages } from "../table.tsx";
import type { TokenAnswer, TokenList } from "../types.ts";
import { Choice, Field, Section, Shown, Time, useAsk, valueIn } from "../ui.tsx";

/** API tokens: created and shown once here, and revoked immediately. */
export function Tokens() {
  const { before, pager } = usePages<number>();
  const page = useLoad<TokenList>("GET /tokens", { before });
  const [question, put] = useAsk();
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
              columns={tokenColumns(revoke)}
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

const tokenColumns = (revoke: (token: TokenAnswer) => void): readonly TableColumn<TokenAnswer>[] => [
  {
    name: "Token",
    isHead: true,
    of: ({ id, name, server }) => (
      <>
        <span class="break">{name}</span>
        <small>{server ? `for the server at ${server}` : id}</small>
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

function NewTokenForm({ put, again }: { put: ReturnType<typeof useAsk>[1]; again: () => void }) {
  const [form, setForm] = useState({ name: "", scope: "read" as Scope, days: "" });
  const type = (field: "name" | "scope" | "days") => (event: Event) =>
    setForm({ ...form, [field]: valueIn(event) });
  const make = (event: Event) => {
    event.preventDefault();
    const { name, scope, days } = form;
    put({
      title: "Create a token?",
      says: `Its holder can ${MAY[scope]}${days === "" ? ", until it is revoked" : `, for ${days} days`}. It is shown once.`,
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
