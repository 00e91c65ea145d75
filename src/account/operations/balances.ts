import * as z from "zod";
import { text, ZERO } from "../../kernel/decimal.ts";
import { exchangeField, textField } from "../../kernel/fields.ts";
import { lazy } from "../../kernel/lazy.ts";
import type { Balance } from "../../model/account.ts";
import { type Operation, operation } from "../../operation.ts";

const BalanceShape = lazy(() =>
  z.object({ asset: z.string(), free: z.string(), used: z.string(), total: z.string() }),
);

export const accountOperations = (ids: readonly string[]): Operation[] => [
  operation({
    name: "get_balance",
    summary: "Balances of the account",
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
          /^[A-Z0-9]{1,20}$/,
          "asset must be upper-case letters and digits, for example BTC",
        )
          .optional()
          .describe("Only this asset, also when it is zero"),
      }),
    output: () =>
      z.object({ exchange: z.string(), balances: z.array(BalanceShape()), timestamp: z.number() }),
    failure: "Exchange error",
    async run({ venue, store, marketTime }, { exchange, asset }, { keys }) {
      const place = venue(exchange, keys);
      const balances = await place.balances();
      const shown = asset === undefined ? balances.filter(isSomething) : [of(asset, balances)];
      return {
        exchange,
        balances: shown.map(balanceOut),
        timestamp: marketTime(place.account, await store.now()),
      };
    },
  }),
];

const isSomething = ({ free, used }: Balance): boolean => free + used !== ZERO;

const of = (asset: string, balances: readonly Balance[]): Balance =>
  balances.find((balance) => balance.asset === asset) ?? { asset, free: ZERO, used: ZERO };

const balanceOut = ({ asset, free, used }: Balance): z.input<ReturnType<typeof BalanceShape>> => ({
  asset,
  free: text(free),
  used: text(used),
  total: text(free + used),
});
