import { FAULT_KINDS } from "../../src/model/venue-fault.ts";
import { DATABASE_ARGS, SANDBOX_ARGS } from "../host/settings.ts";
import { type Args, switchFlag, textFlag, UsageError, type Values } from "../terminal/arguments.ts";
import { command } from "../terminal/command.ts";

const COMMON = {
  db: DATABASE_ARGS.db,
  // These commands act on the sandbox with it and without it.
  sandbox: DATABASE_ARGS.sandbox,
  json: switchFlag("Print as JSON"),
} as const satisfies Args;
const required = (values: Values, flag: string): string => {
  const value = values[flag];
  if (value === undefined) throw new UsageError(`--${flag} is missing`);
  return String(value);
};

/** Simulated venues are changed in their database, which every process that serves them reads. */
export const sandboxCommand = command({
  name: "sandbox",
  description: "Change the simulated exchanges",
  subCommands: {
    reset: command({
      name: "sandbox reset",
      description: "Reset the sandbox: delete its strategies, orders and tokens",
      args: { ...COMMON, seed: DATABASE_ARGS.seed, ...SANDBOX_ARGS },
      run: async (values) => (await import("../actions/actions.ts")).resetSandbox(values),
    }),
    deposit: command({
      name: "sandbox deposit",
      description: "Add to a simulated balance; a negative amount withdraws",
      args: {
        exchange: textFlag("Exchange id", "id"),
        asset: textFlag("Asset, for example USDT", "asset"),
        amount: textFlag("Amount; negative to withdraw", "number"),
        ...COMMON,
      },
      run: async (values) => {
        const [exchange, asset, amount] = ["exchange", "asset", "amount"].map((flag) =>
          required(values, flag),
        ) as [string, string, string];
        return (await import("../actions/actions.ts")).depositInSandbox(values, { exchange, asset, amount });
      },
    }),
    shock: command({
      name: "sandbox shock",
      description: "Change a simulated price at once, for example by -10 percent",
      args: {
        symbol: textFlag("Trading pair", "pair"),
        percent: textFlag("Change in percent, above -100", "number"),
        ...COMMON,
      },
      run: async (values) => {
        const [symbol, percent] = ["symbol", "percent"].map((flag) => required(values, flag)) as [
          string,
          string,
        ];
        return (await import("../actions/actions.ts")).shockSandbox(values, { symbol, percent });
      },
    }),
    fault: command({
      name: "sandbox fault",
      description: "Give a simulated exchange a fault, or list faults",
      args: {
        exchange: textFlag("Exchange id", "id"),
        kind: textFlag(`Kind of fault: ${FAULT_KINDS.join(", ")}`, "kind"),
        for: textFlag("Length, for example 10m; by default, until --clear", "span"),
        clear: switchFlag("End the fault of --exchange, or of all exchanges"),
        ...COMMON,
      },
      run: async (values) => (await import("../actions/actions.ts")).faultInSandbox(values),
    }),
  },
});
