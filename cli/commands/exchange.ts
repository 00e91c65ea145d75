import { DATABASE_ARGS } from "../host/settings.ts";
import { type Args, switchFlag, type Values } from "../terminal/arguments.ts";
import { command } from "../terminal/command.ts";
import { UsageError } from "../terminal/usage-error.ts";

const COMMON = {
  db: DATABASE_ARGS.db,
  "venue-url": DATABASE_ARGS["venue-url"],
  json: switchFlag("Print as JSON"),
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

/** Exchange keys are stored encrypted in the database, so they are managed there and not over HTTP. */
export const exchangeCommand = command({
  name: "exchange",
  description: "Manage exchange keys, stored encrypted in the database",
  subCommands: {
    add: command({
      name: "exchange add",
      description:
        "Store keys from a prompt, from a pipe (one line each: key, secret, passphrase), or from the environment",
      args: {
        ...ONE_EXCHANGE,
        "from-env": switchFlag("Read the keys from <ID>_API_KEY, <ID>_SECRET and <ID>_PASSPHRASE"),
        "allow-withdrawal": switchFlag("Store keys that can withdraw; edgemaker never withdraws"),
      },
      run: async (values) => (await actions()).addKeys(values, exchangeOf(values)),
    }),
    import: command({
      name: "exchange import",
      description: "Move keys from edgemaker.json into the database",
      args: COMMON,
      run: async (values) => (await actions()).moveKeys(values),
    }),
    list: command({
      name: "exchange list",
      description: "List exchanges with keys, without the keys",
      args: COMMON,
      run: async (values) => (await actions()).listKeys(values),
    }),
    remove: command({
      name: "exchange remove",
      description: "Remove stored keys",
      args: ONE_EXCHANGE,
      run: async (values) => (await actions()).removeKeys(values, exchangeOf(values)),
    }),
    test: command({
      name: "exchange test",
      description: "Test the keys at the exchange, and show their permissions",
      args: ONE_EXCHANGE,
      run: async (values) => (await actions()).testKeys(values, exchangeOf(values)),
    }),
    rotate: command({
      name: "exchange rotate",
      description: "Encrypt stored keys with the first key of EDGEMAKER_KEK=new,old",
      args: COMMON,
      run: async (values) => (await actions()).rotateKeys(values),
    }),
  },
});
