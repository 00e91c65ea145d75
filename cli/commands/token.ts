import type { Scope } from "../../src/model/token.ts";
import { LOCAL_DATABASE_ARGS } from "../host/settings.ts";
import { command } from "../terminal/command.ts";
import { UsageError } from "../terminal/usage-error.ts";

const SCOPES: readonly Scope[] = ["read", "trade", "admin", "agent"];

/**
 * Tokens are stored in the database, where the first one is created. Over HTTP an administrator manages them at
 * `/tokens`.
 */
export const tokenCommand = command({
  name: "token",
  description: "Manage API tokens: shown once, stored as hashes",
  subCommands: {
    create: command({
      name: "token create",
      description: "Create a token and show it once",
      args: {
        name: { type: "string", description: "Purpose of the token", valueHint: "text" },
        scope: {
          type: "string",
          description: "read, trade, admin, or agent, which works only at /mcp (default read)",
          valueHint: "scope",
        },
        days: { type: "string", description: "Days until it expires (default: never)", valueHint: "number" },
        ...LOCAL_DATABASE_ARGS,
      },
      run: async (values) => {
        const scope = SCOPES.find((scope) => scope === (values.scope ?? "read"));
        if (!scope) throw new UsageError("--scope must be read, trade, admin or agent");
        const { byCommand, withDatabase, issueToken, numberOf } = await import("../actions/actions.ts");
        const days =
          values.days === undefined
            ? undefined
            : numberOf("--days", values.days, { whole: true, least: 1, most: 36_500 });
        const name = values.name === undefined ? undefined : String(values.name);
        return withDatabase(values, (deps) => issueToken(deps, { name, scope, days }, byCommand()));
      },
    }),
    list: command({
      name: "token list",
      description: "List tokens, newest first, without their text",
      args: {
        limit: {
          type: "string",
          description: "Number of rows, 1 to 1000 (default 100)",
          valueHint: "number",
        },
        before: { type: "string", description: "`next` of the previous page", valueHint: "number" },
        ...LOCAL_DATABASE_ARGS,
      },
      run: async (values) => {
        const { numberOf, withDatabase } = await import("../actions/actions.ts");
        const whole = (name: "limit" | "before", most: number) =>
          values[name] === undefined
            ? undefined
            : numberOf(`--${name}`, values[name], { whole: true, least: 1, most });
        const [limit = 100, before] = [whole("limit", 1000), whole("before", Number.MAX_SAFE_INTEGER)];
        return withDatabase(values, async ({ store }) => {
          const found = await store.tokens({ limit, before });
          const next = found.length < limit ? null : (found.at(-1)?.place ?? null);
          const tokens = found.map(({ place: _place, ...token }) => token);
          return { tokens, count: tokens.length, next };
        });
      },
    }),
    revoke: command({
      name: "token revoke",
      description: "Revoke a token at once",
      args: {
        id: { type: "positional", description: "The token's id", required: false },
        ...LOCAL_DATABASE_ARGS,
      },
      run: async (values) => {
        if (values.id === undefined) throw new UsageError("name the token: edgemaker token revoke <id>");
        const { byCommand, withDatabase } = await import("../actions/actions.ts");
        return withDatabase(values, async ({ store }) => {
          const id = String(values.id);
          if (!(await store.revokeToken(id, byCommand()))) throw new Error(`there is no valid token ${id}`);
          return { id, revoked: true };
        });
      },
    }),
  },
});
