import * as z from "zod";
import { AppError, conflictOf } from "../../kernel/errors.ts";
import { exchangeField, flagField } from "../../kernel/fields.ts";
import { lazy } from "../../kernel/lazy.ts";
import { byOf } from "../../model/events.ts";
import { type Operation, operation } from "../../operation.ts";
import type { Deps } from "../../ports/deps.ts";

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

const keyStore = ({ keys }: Deps): NonNullable<Deps["keys"]> => {
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
