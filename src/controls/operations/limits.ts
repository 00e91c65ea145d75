import * as z from "zod";
import { max, mul, text, ZERO } from "../../kernel/decimal.ts";
import { AppError } from "../../kernel/errors.ts";
import { convertedField } from "../../kernel/fields.ts";
import { lazy } from "../../kernel/lazy.ts";
import { changed, limitsOf } from "../../limits/limits.ts";
import { strategiesAtLimits, unusedLosses } from "../../limits/position.ts";
import { EVERY_SCOPE, isScope, ownLimits, scopeOfAccount } from "../../limits/standing.ts";
import { LIMIT_FORMS, LIMIT_NAMES, LIMIT_OFF, readLimit, showLimit } from "../../limits/texts.ts";
import { accountKey } from "../../model/account.ts";
import { byOf } from "../../model/events.ts";
import {
  dateOf,
  type LimitName,
  type LimitSettings,
  type Limits,
  type LimitsRead,
  type StoredLimits,
} from "../../model/limits.ts";
import { type Order, ordersOf } from "../../model/order.ts";
import type { Strategy } from "../../model/strategy.ts";
import { type Operation, operation } from "../../operation.ts";
import type { ConfiguredExchanges } from "../../ports/exchanges.ts";
import type { StoreDeps, StrategyDeps } from "../../ports/kind.ts";

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

const readRunning = async ({ store }: StoreDeps): Promise<readonly Strategy[]> =>
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
      const warnings = await limitWarnings(deps, { scope, limits: limitsOf(withoutAbsent(given)) });
      const { version } = stored;
      const by = byOf(call);
      const change = { version, scope, settings, message: `${message}, by ${by.actor}` };
      if (!(await deps.store.setLimits(change, by)))
        throw new AppError(
          "Conflict",
          "limits were changed at the same time; check them, then set them again",
        );
      return { scope, changes, message: [message, ...warnings].join("; ") };
    },
  }),
];

/** Returns what new limits do not limit, and the running strategies whose orders meet them. */
async function limitWarnings(
  deps: StrategyDeps,
  limits: { readonly scope: string; readonly limits: Limits },
): Promise<string[]> {
  const running = await readRunning(deps);
  const orders = await deps.store.unsettledOrders();
  const limited = running.map((strategy) => {
    const mine = ordersOf(orders, strategy.id);
    const of = (side: Order["side"]) =>
      mine.filter((order) => order.side === side).map(({ price, amount }) => mul(price, amount, "up"));
    const { buy, sell } = deps.kinds(strategy.kind).largestOrders?.(strategy.state) ?? NO_ORDERS;
    return {
      strategy,
      largest: { buy: of("buy").reduce(max, buy), sell: of("sell").reduce(max, sell) },
      open: mine.length,
    };
  });
  return [...unusedLosses(limits, running), ...strategiesAtLimits(limits, limited)];
}

const NO_ORDERS = { buy: ZERO, sell: ZERO };

function checkScope({ exchanges }: ConfiguredExchanges, scope: string, given: object): void {
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
async function checkToken({ store }: StoreDeps, scope: string): Promise<void> {
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
async function readAllLimits({ store, exchanges, venue }: StrategyDeps): Promise<LimitsRead> {
  const nobody = { account: "", actor: "" };
  const { stored } = await store.readLimits({ ...nobody, scopes: [] });
  const tokens = Object.keys(stored.set).filter((scope) => scope.startsWith("token:"));
  const accounts = exchanges.map(({ id }) => scopeOfAccount(accountKey(venue(id).account)));
  return store.readLimits({ ...nobody, scopes: [...accounts, ...tokens] });
}
