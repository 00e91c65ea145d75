import * as z from "zod";
import type { Need } from "../../engine/reserves.ts";
import { mul, text, ZERO } from "../../kernel/decimal.ts";
import { AppError, VenueError } from "../../kernel/errors.ts";
import { exchangeField, flagField, textField } from "../../kernel/fields.ts";
import { lazy } from "../../kernel/lazy.ts";
import { ASSET, isPair } from "../../kernel/pair.ts";
import { midOf } from "../../kernel/spread.ts";
import { type Balance, balanceIn, unreadBalance } from "../../model/account.ts";
import { calledBy } from "../../model/strategy.ts";
import { type Operation, operation } from "../../operation.ts";
import { forAnyone } from "../../ports/kill-permit.ts";
import type { Venue } from "../../ports/venue.ts";
import { readUnreserved, type Withdrawable } from "./withdrawable.ts";

export const BalanceShape = lazy(() =>
  z.object({
    asset: z.string(),
    free: z.string(),
    used: z.string(),
    total: z.string(),
    worth: z
      .string()
      .nullable()
      .optional()
      .describe("Total in the requested quote asset, at current mid prices; null without prices"),
    kept: z.string().optional().describe("Free balance that strategies need"),
    canWithdraw: z
      .string()
      .optional()
      .describe("Amount that you can withdraw without leaving an order unfunded"),
    missing: z.string().optional().describe("Amount that strategies already lack"),
  }),
);

export const BalancesShape = lazy(() =>
  z.object({
    exchange: z.string(),
    balances: z.array(BalanceShape()),
    unreadable: z
      .array(z.object({ asset: z.string(), reason: z.string() }))
      .optional()
      .describe("Balances that the exchange returned in a form that cannot be read; they are unknown"),
    needs: z
      .array(
        z.object({
          id: z.string(),
          name: z.string().nullable(),
          symbol: z.string(),
          quote: z.string(),
          base: z.string(),
        }),
      )
      .optional()
      .describe("What each strategy still needs of the free balance"),
    warnings: z.array(z.object({ code: z.string(), message: z.string() })).optional(),
    timestamp: z.number(),
  }),
);
type ShownBalances = z.output<ReturnType<typeof BalancesShape>>;

export const accountOperations = (ids: readonly string[]): Operation[] => [
  operation({
    name: "get_balance",
    summary: "Show balances of an account",
    effect: "read",
    access: "token",
    http: { route: "GET /balance", from: "query", keys: true },
    cli: {
      path: "balance",
      watch: true,
      words: {
        "grid withdraw-plan": {
          summary: "Show how much you can withdraw without leaving an order unfunded",
          input: { withdrawable: true },
          fields: ["exchange"],
        },
      },
      view: withdrawView,
      columns: ["asset", "can go", "total", "free", "used", "needed by strategies", "missing", "in orders"],
      examples: ["edgemaker balance --exchange kraken --asset BTC"],
    },
    mcp: { summarize: describeWithdraw },
    input: () =>
      z.object({
        exchange: exchangeField(ids),
        asset: textField(
          "Invalid request",
          ASSET,
          "asset must be upper-case letters and digits, for example BTC",
        )
          .optional()
          .describe("Only this asset, even if it is zero"),
        quote: textField("Invalid request", ASSET, "quote must be an asset, for example USDT")
          .optional()
          .describe("Also value each asset in this quote asset; uses at most 30 prices"),
        withdrawable: flagField("Invalid request", "withdrawable")
          .optional()
          .describe("Also show what strategies need of each asset, and how much you can withdraw"),
      }),
    output: BalancesShape,
    failure: "Exchange error",
    async run(deps, { exchange, asset, quote, withdrawable }, { keys }) {
      const { venue, store, marketTime } = deps;
      const place = venue(exchange, keys);
      const unreserved = withdrawable ? await readUnreserved(deps, place) : undefined;
      const balances = unreserved?.balances ?? (await place.balances());
      const rows: readonly (Balance | Withdrawable)[] = unreserved?.assets ?? balances.filter(isNotEmpty);
      const shown =
        asset === undefined
          ? rows
          : unreadBalance(balances, asset)
            ? []
            : [rows.find((row) => row.asset === asset) ?? balanceIn(balances, asset)];
      const unreadable = (balances.unreadable ?? []).filter(
        (unread) => asset === undefined || unread === unreadBalance(balances, asset),
      );
      const worthAt = (at: number, balance: Balance) =>
        at < MAX_PRICED_ASSETS ? worthOf(forAnyone(venue(exchange)), balance, quote ?? "") : null;
      return {
        exchange,
        ...(unreadable.length > 0 ? { unreadable } : {}),
        balances: await Promise.all(
          shown.map(async (balance, at) => ({
            ...balanceOut(balance),
            ...(quote === undefined ? {} : { worth: await worthAt(at, balance) }),
          })),
        ),
        ...(unreserved ? { needs: unreserved.needs.map(needOut), warnings: [...unreserved.warnings] } : {}),
        timestamp: marketTime(place.account, await store.now()),
      };
    },
  }),
];

const MAX_PRICED_ASSETS = 30;

/** Returns the value of the whole balance; null if no price is known. */
async function worthOf(
  market: Pick<Venue, "ticker">,
  { asset, free, used }: Balance,
  quote: string,
): Promise<string | null> {
  if (asset === quote) return text(free + used);
  const pair = `${asset}/${quote}`;
  const ticker = isPair(pair) ? await market.ticker(pair).catch(priceless) : undefined;
  return ticker ? text(mul(free + used, midOf(ticker), "down")) : null;
}

/** Ignores errors of an exchange without a price, whose value is unknown; rethrows programming errors. */
function priceless(error: unknown): undefined {
  if (error instanceof VenueError || error instanceof AppError) return undefined;
  throw error;
}

const isNotEmpty = ({ free, used }: Balance): boolean => free + used !== ZERO;

const balanceOut = (balance: Balance | Withdrawable): z.input<ReturnType<typeof BalanceShape>> => ({
  asset: balance.asset,
  free: text(balance.free),
  used: text(balance.used),
  total: text(balance.free + balance.used),
  ...("most" in balance
    ? { kept: text(balance.kept), canWithdraw: text(balance.most), missing: text(balance.missing) }
    : {}),
});

const needOut = ({ strategy, reserve }: Need) => ({
  id: strategy.id,
  name: strategy.name ?? null,
  symbol: strategy.symbol,
  quote: text(reserve.quote),
  base: text(reserve.base),
});

/** Formats what can be withdrawn first, then why the rest cannot; a response without it stays as it is. */
export function withdrawView(answer: unknown): unknown {
  const { balances, needs, warnings = [] } = answer as ShownBalances;
  if (!needs) return answer;
  const notes = warnings.map(({ message }) => message);
  return {
    ...(notes.length > 0 ? { "but note": notes.join("; ") } : {}),
    assets: balances.map(({ asset, canWithdraw, kept, used, total, missing }) => ({
      asset,
      "can go": canWithdraw,
      "needed by strategies": kept,
      "in orders": used,
      total,
      ...(balances.some((one) => one.missing !== "0") ? { missing } : {}),
    })),
    ...(needs.length > 0
      ? { "kept for": needs.map(({ quote, base, ...named }) => ({ strategy: calledBy(named), quote, base })) }
      : {}),
  };
}

function describeWithdraw(answer: unknown): string {
  const { balances, needs } = answer as ShownBalances;
  const lines = balances.map(({ asset, canWithdraw, total }) => `${canWithdraw} of ${total} ${asset}`);
  return needs ? `You can withdraw without leaving an order unfunded: ${lines.join(", ") || "nothing"}.` : "";
}
