import * as z from "zod";
import { digest } from "../../kernel/digest.ts";
import { AppError, conflictOf } from "../../kernel/errors.ts";
import {
  countField,
  exchangeField,
  flagField,
  idField,
  rowsField,
  textField,
  wordField,
} from "../../kernel/fields.ts";
import { lazy } from "../../kernel/lazy.ts";
import { DAY } from "../../kernel/time.ts";
import { type ActorAndRequest, byOf } from "../../model/events.ts";
import { newToken, type Scope } from "../../model/token.ts";
import { type Operation, operation } from "../../operation.ts";
import type { KeyDeps, ProcessDeps, ServerKeys } from "../../ports/deps.ts";
import type { StoreDeps } from "../../ports/kind.ts";

const TOKEN_SCOPES = ["read", "trade", "admin", "agent"] as const;

interface TokenRequest {
  readonly name?: string | undefined;
  readonly scope: Scope;
  /** Days until it expires; absent, it does not expire. */
  readonly days?: number | undefined;
}

/** Creates a token and returns its text, which is never shown again. */
async function issueToken(
  { store, local }: StoreDeps & Pick<ProcessDeps, "local">,
  { name, scope, days }: TokenRequest,
  by: ActorAndRequest,
) {
  const token = newToken(local);
  const id = `tok_${local.randomText(10)}`;
  const expiresAt = days === undefined ? null : (await store.now()) + days * DAY;
  await store.addToken({ id, name: name ?? id, scope, expiresAt, hash: await digest(token) }, by);
  return { id, scope, token };
}

const TokenShape = lazy(() =>
  z.object({
    id: z.string(),
    name: z.string(),
    scope: z.enum([...TOKEN_SCOPES, "link"]),
    createdAt: z.number(),
    expiresAt: z.number().nullable(),
    revokedAt: z.number().nullable(),
    server: z.string().nullable().describe("Address of the server, for the token of its local commands"),
  }),
);

export const TokenListShape = lazy(() =>
  z.object({ tokens: z.array(TokenShape()), count: z.number(), next: z.number().nullable() }),
);

const OF_TOKENS = { effect: "admin", access: "token", failure: "Internal error" } as const;

/** Operations of API tokens, which are shown once and stored as hashes. */
export const tokenOperations: readonly Operation[] = [
  operation({
    ...OF_TOKENS,
    name: "list_tokens",
    summary: "List API tokens, newest first, without their text",
    http: { route: "GET /tokens", from: "query" },
    cli: { path: "token list", isLocal: true },
    input: () =>
      z.object({
        limit: rowsField(),
        before: countField("Invalid request", { min: 1, max: Number.MAX_SAFE_INTEGER })
          .optional()
          .describe("`next` of the previous page"),
      }),
    output: TokenListShape,
    async run({ store }, { limit, before }) {
      const found = await store.tokens({ limit, before });
      const next = found.length < limit ? null : (found.at(-1)?.place ?? null);
      return { tokens: found.map(({ place: _place, ...token }) => token), count: found.length, next };
    },
  }),
  operation({
    ...OF_TOKENS,
    name: "create_token",
    summary: "Create an API token and show it once",
    http: { route: "POST /tokens", from: "body" },
    cli: { path: "token create", isLocal: true },
    input: () =>
      z.object({
        name: textField("Invalid request", /^[^\p{Cc}]{1,100}$/u, "a name is 1 to 100 characters")
          .optional()
          .describe("Purpose of the token"),
        scope: wordField("Invalid request", TOKEN_SCOPES)
          .default("read")
          .describe("read, trade, admin, or agent, which works only at /mcp"),
        days: countField("Invalid request", { min: 1, max: 36_500 })
          .optional()
          .describe("Days until it expires; default: never"),
      }),
    output: () => z.object({ id: z.string(), scope: z.enum(TOKEN_SCOPES), token: z.string() }),
    run: (deps, request, call) => issueToken(deps, request, byOf(call)),
  }),
  operation({
    ...OF_TOKENS,
    name: "revoke_token",
    summary: "Revoke an API token at once",
    http: { route: "DELETE /tokens/:id", from: "query" },
    cli: { path: "token revoke", positional: ["id"], isLocal: true },
    input: () => z.object({ id: idField("Invalid request").describe("The token's id") }),
    output: () => z.object({ id: z.string(), revoked: z.boolean() }),
    async run({ store }, { id }, call) {
      if (!(await store.revokeToken(id, byOf(call))))
        throw new AppError("Not found", `there is no valid token ${id}`);
      return { id, revoked: true };
    },
  }),
];

export const KeyShape = lazy(() =>
  z.object({
    exchange: z.string(),
    from: z
      .enum(["environment", "file", "database", "nowhere"])
      .describe("file: edgemaker.json; `edgemaker exchange import` moves its keys into the database"),
    storedAt: z.number().nullable(),
    trouble: z.string().nullable().describe("Why stored keys cannot be used"),
  }),
);

export const RightsShape = lazy(() =>
  z.object({
    exchange: z.string(),
    assets: z.number().describe("Number of assets in the account"),
    mayWithdraw: z.boolean().nullable().describe("null if the exchange does not show it"),
  }),
);

const keyField = (name: string) => {
  const error = `Invalid request: ${name} is a text of 1 to 1000 characters`;
  return z.string({ error }).min(1, { error }).max(1000, { error });
};

const OF_KEYS = { effect: "admin", access: "token", failure: "Fetch failed" } as const;

const keyStore = ({ keys }: KeyDeps): ServerKeys => {
  if (!keys) throw new AppError("Not found", "simulated exchanges need no keys");
  return keys;
};

/** Operations of exchange keys: where they come from and what they allow, never the keys themselves. */
export const keyOperations = (ids: readonly string[]): readonly Operation[] => [
  operation({
    ...OF_KEYS,
    name: "list_keys",
    summary: "List exchanges with keys, and the source of the keys",
    http: { route: "GET /keys", from: "query" },
    input: () => z.object({}),
    output: () =>
      z.object({
        exchanges: z.array(KeyShape()),
        count: z.number(),
      }),
    async run({ keys }) {
      const exchanges = (await keys?.list()) ?? [];
      return { exchanges: [...exchanges], count: exchanges.length };
    },
  }),
  operation({
    ...OF_KEYS,
    name: "test_keys",
    summary: "Test the server's keys at an exchange, and show their permissions",
    http: { route: "POST /keys/:exchange/test", from: "body" },
    input: () => z.object({ exchange: exchangeField(ids) }),
    output: RightsShape,
    async run(deps, { exchange }) {
      const { assets, mayWithdraw } = await keyStore(deps).check(exchange);
      return { exchange, assets, mayWithdraw: mayWithdraw ?? null };
    },
  }),
  operation({
    ...OF_KEYS,
    name: "put_keys",
    summary: "Check keys at an exchange and store them encrypted; they are never shown",
    http: { route: "PUT /keys/:exchange", from: "body", isPrivate: true },
    input: () =>
      z.object({
        exchange: exchangeField(ids),
        key: keyField("key").describe("API key of the exchange"),
        secret: keyField("secret").describe("Its secret"),
        passphrase: keyField("passphrase").optional().describe("Only for exchanges that use one"),
        allowWithdrawal: flagField("Invalid request", "allowWithdrawal")
          .default(false)
          .describe("true also stores keys that can withdraw; edgemaker never withdraws"),
      }),
    output: RightsShape,
    async run(deps, { exchange, key, secret, passphrase, allowWithdrawal }, call) {
      const keys = { key, secret, passphrase };
      const how = { by: byOf(call), allowsWithdrawal: allowWithdrawal };
      const { assets, mayWithdraw } = await keyStore(deps).put(exchange, keys, how).catch(conflictOf);
      return { exchange, assets, mayWithdraw: mayWithdraw ?? null };
    },
  }),
];
