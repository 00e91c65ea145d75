import * as z from "zod";
import { text } from "../../kernel/decimal.ts";
import { digest } from "../../kernel/digest.ts";
import { AppError, conflictOf } from "../../kernel/errors.ts";
import {
  convertedField,
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
import { changed, limitsOf } from "../../limits/limits.ts";
import { EVERY_SCOPE, isScope, ownLimits, scopeOfAccount } from "../../limits/standing.ts";
import { LIMIT_FORMS, LIMIT_NAMES, LIMIT_OFF, readLimit, showLimit } from "../../limits/texts.ts";
import { unusedLosses } from "../../limits/unused-losses.ts";
import { accountKey } from "../../model/account.ts";
import { type ActorAndRequest, byOf } from "../../model/events.ts";
import {
  dateOf,
  type LimitName,
  type LimitSettings,
  type Limits,
  type LimitsRead,
  type StoredLimits,
} from "../../model/limits.ts";
import type { Strategy } from "../../model/strategy.ts";
import { newToken, type Scope } from "../../model/token.ts";
import { type Operation, operation } from "../../operation.ts";
import type { Deps } from "../../ports/deps.ts";

const Texts = lazy(() => z.record(z.string(), z.string()));
export const LimitsShape = lazy(() =>
  z.object({
    /** Limits from the operator's settings, which always apply. */
    settings: Texts(),
    limits: z.array(z.object({ scope: z.string(), limits: Texts() })),
    warnings: z
      .array(z.string())
      .describe("Loss limits in assets that no running strategy has as its quote asset"),
    /** Notional and number of the newest days' orders (UTC), by account and quote asset. */
    used: z.array(
      z.object({
        scope: z.string(),
        day: z.string(),
        asset: z.string(),
        notional: z.string(),
        orders: z.number(),
      }),
    ),
  }),
);
export const SetShape = lazy(() =>
  z.object({
    scope: z.string(),
    changes: z.array(z.object({ name: z.string(), was: z.string(), is: z.string() })),
    message: z.string(),
  }),
);

const settingText = (given: string | number | Record<string, number>): string =>
  typeof given === "object"
    ? Object.entries(given)
        .map(([asset, amount]) => `${asset}=${amount}`)
        .join(",")
    : String(given);

/** One limit: text as a user writes it, or a number, or amounts by asset, depending on the limit. */
const limitField = (name: LimitName) =>
  convertedField(
    z.union([z.string(), z.number(), z.record(z.string(), z.number())]),
    `Invalid request: ${name} is ${LIMIT_FORMS[name].form}, or ${LIMIT_OFF}`,
    (given) => readLimit(name, settingText(given)),
  )
    .optional()
    .describe(`${LIMIT_FORMS[name].describe}; ${LIMIT_OFF} for none`);

const limitsInput = lazy(() =>
  z.object({
    scope: z
      .string()
      .refine(isScope, "Invalid request: scope is every, account:EXCHANGE or token:ID")
      .default(EVERY_SCOPE)
      .describe("Scope: every, account:EXCHANGE or token:ID"),
    ...(Object.fromEntries(LIMIT_NAMES.map((name) => [name, limitField(name)])) as Record<
      LimitName,
      ReturnType<typeof limitField>
    >),
  }),
);

const LIMITS_OPERATION = { effect: "admin", access: "token", failure: "Internal error" } as const;

const readRunning = async ({ store }: Deps): Promise<readonly Strategy[]> =>
  (await store.strategies({ stopped: false })).map(({ strategy }) => strategy);

/** Actors of callers without a token in the database. */
const OTHER_CALLERS = ["admin", "local", "mcp"];
const TOKENS_PER_PAGE = 1000;

const withoutAbsent = (given: object): LimitSettings =>
  Object.fromEntries(Object.entries(given).filter(([, value]) => value !== undefined));

/**
 * Returns all limits for the scope of every account, so users see which ones exist; for others, only those that are
 * set.
 */
const limitTexts = (limits: Limits, all: boolean): Record<string, string> =>
  Object.fromEntries(
    LIMIT_NAMES.filter((name) => all || limits[name] !== undefined).map((name) => [
      name,
      showLimit(limits[name]),
    ]),
  );

/** Operations of limits that apply to all orders. */
export const limitsOperations: readonly Operation[] = [
  operation({
    ...LIMITS_OPERATION,
    name: "get_limits",
    summary: "Show limits and their current use",
    http: { route: "GET /limits", from: "query" },
    cli: { path: "limits show", examples: ["edgemaker limits show"] },
    input: () => z.object({}),
    output: LimitsShape,
    async run(deps) {
      const { stored, uses } = await readAllLimits(deps);
      const scopes = [EVERY_SCOPE, ...Object.keys(stored.set).filter((scope) => scope !== EVERY_SCOPE)];
      const own = scopes.map((scope) => ({ scope, limits: ownLimits(stored, scope) }));
      const settings = { scope: EVERY_SCOPE, limits: deps.limits ?? {} };
      const running = await readRunning(deps);
      return {
        settings: limitTexts(settings.limits, false),
        limits: own.map(({ scope, limits }) => ({
          scope,
          limits: limitTexts(limits, scope === EVERY_SCOPE),
        })),
        warnings: [...new Set([settings, ...own].flatMap((limits) => unusedLosses(limits, running)))],
        used: uses.map(({ scope, day, asset, notional, orders }) => ({
          scope,
          day: dateOf(day),
          asset,
          notional: text(notional),
          orders,
        })),
      };
    },
  }),
  operation({
    ...LIMITS_OPERATION,
    name: "set_limits",
    summary: "Set limits for all new orders",
    http: { route: "PUT /limits", from: "body" },
    cli: {
      path: "limits set",
      examples: [
        "edgemaker limits set --order-notional USDT=500 --day-notional USDT=5000",
        "edgemaker limits set --scope account:kraken --symbols BTC/USDT,ETH/USDT",
      ],
    },
    input: limitsInput,
    output: SetShape,
    async run(deps, { scope, ...given }, call) {
      checkScope(deps, scope, given);
      const { stored } = await readAllLimits(deps);
      if (!(scope in stored.set)) await checkToken(deps, scope);
      const settings = changed(stored.set[scope] ?? {}, withoutAbsent(given));
      const changes = settingChanges(stored, { scope, settings });
      const description = changes.map(({ name, was, is }) => `${name} is ${is}, was ${was}`).join("; ");
      const message = `${scope}: ${description || "nothing changed"}`;
      const unused = unusedLosses({ scope, limits: limitsOf(withoutAbsent(given)) }, await readRunning(deps));
      const { version } = stored;
      const by = byOf(call);
      const change = { version, scope, settings, message: `${message}, by ${by.actor}` };
      if (!(await deps.store.setLimits(change, by)))
        throw new AppError(
          "Conflict",
          "limits were changed at the same time; check them, then set them again",
        );
      return { scope, changes, message: [message, ...unused].join("; ") };
    },
  }),
];

function checkScope({ exchanges }: Deps, scope: string, given: object): void {
  const [kind, whose] = scope.split(/:(.*)/);
  if (kind === "account" && !exchanges.some(({ id }) => id === whose))
    throw new AppError(
      "Invalid request",
      `${whose} is not a configured exchange; choose from ${exchanges.map(({ id }) => id).join(", ")}`,
    );
  const losses = Object.keys(withoutAbsent(given)).filter((name) => /loss$/i.test(name));
  if (kind === "token" && losses.length > 0)
    throw new AppError(
      "Invalid request",
      `${losses.join(", ")}: loss limits apply to strategies and accounts, not to a token`,
    );
  if (Object.keys(withoutAbsent(given)).length === 0)
    throw new AppError("Invalid request", `name a limit to set: ${LIMIT_NAMES.join(", ")}`);
}

/** Throws AppError if the scope is of a token that does not exist, because its limits would limit nothing. */
async function checkToken({ store }: Deps, scope: string): Promise<void> {
  const [kind, id = ""] = scope.split(/:(.*)/);
  if (kind !== "token" || OTHER_CALLERS.includes(id)) return;
  for (let before: number | undefined; ; ) {
    const page = await store.tokens({ limit: TOKENS_PER_PAGE, before });
    // A server's token acts as "local".
    if (page.some((token) => token.id === id && token.server === null)) return;
    if (page.length < TOKENS_PER_PAGE) break;
    before = page.at(-1)?.place;
  }
  throw new AppError(
    "Invalid request",
    `there is no token ${id}; choose an id from the list of tokens (\`edgemaker token list\`)`,
  );
}

function settingChanges(
  stored: StoredLimits,
  { scope, settings }: { scope: string; settings: LimitSettings },
) {
  const before = ownLimits(stored, scope);
  const after = ownLimits({ ...stored, set: { ...stored.set, [scope]: settings } }, scope);
  return LIMIT_NAMES.map((name) => ({
    name,
    was: showLimit(before[name]),
    is: showLimit(after[name]),
  })).filter(({ was, is }) => was !== is);
}

/** Reads the limits, and their usage by configured accounts and by tokens with limits. */
async function readAllLimits({ store, exchanges, venue }: Deps): Promise<LimitsRead> {
  const nobody = { account: "", actor: "" };
  const { stored } = await store.readLimits({ ...nobody, scopes: [] });
  const tokens = Object.keys(stored.set).filter((scope) => scope.startsWith("token:"));
  const accounts = exchanges.map(({ id }) => scopeOfAccount(accountKey(venue(id).account)));
  return store.readLimits({ ...nobody, scopes: [...accounts, ...tokens] });
}

const TOKEN_SCOPES = ["read", "trade", "admin", "agent"] as const;

interface TokenRequest {
  readonly name?: string | undefined;
  readonly scope: Scope;
  /** Days until it expires; absent, it does not expire. */
  readonly days?: number | undefined;
}

/** Creates a token and returns its text, which is never shown again. */
async function issueToken(
  { store, local }: Pick<Deps, "store" | "local">,
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
