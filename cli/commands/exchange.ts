import { DATABASE_ARGS } from "../host/settings.ts";
import type { Args, Values } from "../terminal/arguments.ts";
import { command } from "../terminal/command.ts";
import { UsageError } from "../terminal/usage-error.ts";

const COMMON = {
  db: DATABASE_ARGS.db,
  "venue-url": DATABASE_ARGS["venue-url"],
  json: { type: "boolean", description: "Print as JSON" },
} as const satisfies Args;

const ONE_EXCHANGE = {
  exchange: { type: "positional", description: "Exchange id, for example kraken", required: false },
  ...COMMON,
} as const satisfies Args;

function exchangeOf({ exchange }: Values): string {
  if (exchange === undefined)
    throw new UsageError("name the exchange, for example: edgemaker exchange add kraken");
  return String(exchange);
}

const actions = () => import("../actions/actions.ts");

/** Exchange keys live in the database, encrypted, so they are managed there and not over HTTP. */
export const exchangeCommand = command({
  name: "exchange",
  description: "Exchange keys, stored encrypted with EDGEMAKER_KEK",
  subCommands: {
    add: command({
      name: "exchange add",
      description:
        "Store keys: asked for at the terminal, or read as lines (key, secret, passphrase) from a pipe, or with --from-env from the environment",
      args: {
        ...ONE_EXCHANGE,
        "from-env": {
          type: "boolean",
          description: "Take them from <ID>_API_KEY, <ID>_SECRET and <ID>_PASSPHRASE",
        },
        "allow-withdrawal": {
          type: "boolean",
          description: "Store them although they may withdraw; nothing here ever does",
        },
      },
      run: async (values) => (await actions()).addKeys(values, exchangeOf(values)),
    }),
    list: command({
      name: "exchange list",
      description: "For which exchanges there are keys, without the keys",
      args: COMMON,
      run: async (values) => (await actions()).listKeys(values),
    }),
    remove: command({
      name: "exchange remove",
      description: "Forget stored keys",
      args: ONE_EXCHANGE,
      run: async (values) => (await actions()).removeKeys(values, exchangeOf(values)),
    }),
    test: command({
      name: "exchange test",
      description: "Ask the exchange whether the keys open it, and what they may do",
      args: ONE_EXCHANGE,
      run: async (values) => (await actions()).testKeys(values, exchangeOf(values)),
    }),
    rotate: command({
      name: "exchange rotate",
      description: "Encrypt stored keys under the first key of EDGEMAKER_KEK=new,old",
      args: COMMON,
      run: async (values) => (await actions()).rotateKeys(values),
    }),
  },
});
