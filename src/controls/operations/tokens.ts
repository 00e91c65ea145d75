import * as z from "zod";
import { digest } from "../../kernel/digest.ts";
import { AppError } from "../../kernel/errors.ts";
import { countField, idField, rowsField, textField, wordField } from "../../kernel/fields.ts";
import { lazy } from "../../kernel/lazy.ts";
import { DAY } from "../../kernel/time.ts";
import { type By, byOf } from "../../model/events.ts";
import { newToken, type Scope } from "../../model/token.ts";
import { type Operation, operation } from "../../operation.ts";
import type { Deps } from "../../ports/deps.ts";

const TOKEN_SCOPES = ["read", "trade", "admin", "agent"] as const;

interface TokenRequest {
  readonly name?: string | undefined;
  readonly scope: Scope;
  /** Days until it expires; absent, it does not expire. */
  readonly days?: number | undefined;
}

/** Creates a token and returns its text, which is never shown again. */
export async function issueToken(
  { store, local }: Pick<Deps, "store" | "local">,
  { name, scope, days }: TokenRequest,
  by: By,
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
        before: countField("Invalid request", { least: 1, most: Number.MAX_SAFE_INTEGER })
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
        days: countField("Invalid request", { least: 1, most: 36_500 })
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
