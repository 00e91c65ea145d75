import * as z from "zod";
import { mul, text, ZERO } from "../../kernel/decimal.ts";
import { AppError, VenueError } from "../../kernel/errors.ts";
import { exchangeField, textField } from "../../kernel/fields.ts";
import { lazy } from "../../kernel/lazy.ts";
import { ASSET, isPair } from "../../kernel/pair.ts";
import { midOf } from "../../kernel/spread.ts";
import { type Balance, balanceIn, unreadBalance } from "../../model/account.ts";
import { type Operation, operation } from "../../operation.ts";
import { forAnyone } from "../../ports/kill-permit.ts";
import type { Venue } from "../../ports/venue.ts";

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
  }),
);

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
      columns: ["asset", "total", "free", "used"],
      examples: ["edgemaker balance --exchange kraken --asset BTC"],
    },
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
      }),
    output: () =>
      z.object({
        exchange: z.string(),
        balances: z.array(BalanceShape()),
        unreadable: z
          .array(z.object({ asset: z.string(), reason: z.string() }))
          .optional()
          .describe("Balances that the exchange returned in a form that cannot be read; they are unknown"),
        timestamp: z.number(),
      }),
    failure: "Exchange error",
    async run({ venue, store, marketTime }, { exchange, asset, quote }, { keys }) {
      const place = venue(exchange, keys);
      const balances = await place.balances();
      const shown =
        asset === undefined
          ? balances.filter(isNotEmpty)
          : unreadBalance(balances, asset)
            ? []
            : [balanceIn(balances, asset)];
      const unreadable = (balances.unreadable ?? []).filter(
        (unread) => asset === undefined || unread === unreadBalance(balances, asset),
      );
      return {
        exchange,
        ...(unreadable.length > 0 ? { unreadable } : {}),
        balances:
          quote === undefined
            ? shown.map(balanceOut)
            : await Promise.all(
                shown.map(async (balance, at) => ({
                  ...balanceOut(balance),
                  worth:
                    at < MAX_PRICED_ASSETS ? await worthOf(forAnyone(venue(exchange)), balance, quote) : null,
                })),
              ),
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

const balanceOut = ({ asset, free, used }: Balance): z.input<ReturnType<typeof BalanceShape>> => ({
  asset,
  free: text(free),
  used: text(used),
  total: text(free + used),
});
