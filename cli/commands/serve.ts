import { pluralize } from "../../src/kernel/plain-text.ts";
import { DEFAULT_TICK_INTERVAL_MS } from "../../src/ports/deps.ts";
import { onEndSignal } from "../host/end-signals.ts";
import { DATABASE_ARGS, SANDBOX_ARGS, STRATEGIES_ARG } from "../host/settings.ts";
import { switchFlag, textFlag } from "../terminal/arguments.ts";
import { command } from "../terminal/command.ts";

export const SERVE_ARGS = {
  port: textFlag("Port (default 3000; 0 picks a free one)", "number"),
  host: textFlag("Address to listen on (default 127.0.0.1)", "address"),
  ...DATABASE_ARGS,
  ...SANDBOX_ARGS,
  ...STRATEGIES_ARG,
  "tick-interval": textFlag(
    `Milliseconds between two passes (default ${DEFAULT_TICK_INTERVAL_MS})`,
    "number",
  ),
  stream: switchFlag(
    "Start passes early when the exchange reports a fill or a stop price (default; --no-stream turns it off)",
  ),
} as const;

/** Milliseconds between two reads of new events. */
const SIGN_INTERVAL = 1000;

export const serveCommand = command({
  name: "serve",
  description: "Start the server and run your strategies",
  args: SERVE_ARGS,
  run: async (values) => {
    const { restingOrders, signsOfLife, startServer } = await import("../actions/serve.ts");
    const { deps, url, boundText, newLink, other, stopped, stop } = await startServer(values);
    const signs = signsOfLife(deps, SIGN_INTERVAL, (line) => process.stdout.write(`${line}\n`));
    const leave = async () => {
      // Not awaited, because a database that does not respond must not block the command.
      void signs.stop();
      const running = await other().catch(() => undefined);
      process.stdout.write(
        running
          ? `Your strategies go on: another server of this database runs at ${running}.\n`
          : await restingOrders(deps, values),
      );
      stop();
    };
    // Before the message that it serves, because a reader of it can stop the server immediately.
    onEndSignal(() => void leave());
    const count = deps.exchanges.length;
    const kind = deps.exchanges[0]?.kind === "sandbox" ? "simulated" : "live";
    process.stdout.write(`Serving ${pluralize(count, `${kind} exchange`)} at ${url} (docs at ${url}/docs)\n`);
    if (boundText) process.stdout.write(`Listening on ${boundText}\n`);
    // Not in a log, where somebody else could read it first.
    if (process.stdout.isTTY) process.stdout.write(`Page: ${await newLink()} (this link works once)\n`);
    await stopped;
    return 0;
  },
});
