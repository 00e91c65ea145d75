import type { CommandDef } from "citty";
import { type Config, parseConfig } from "../../src/compose/config.ts";
import { SettingsError } from "../../src/kernel/errors.ts";
import { kindsWith } from "../../src/kinds.ts";
import { ALERT_LEVELS, CHANNEL_KINDS } from "../../src/model/channel.ts";
import type { Operation } from "../../src/operation.ts";
import { createOperations } from "../../src/operations.ts";
import type { StrategyDefinitions } from "../../src/ports/definition.ts";
import { DEFAULT_TICK_INTERVAL_MS } from "../../src/ports/deps.ts";
import type { Kind } from "../../src/ports/kind.ts";
import { DATABASE_ARGS, environmentWithFile, LOCAL_DATABASE_ARGS } from "../host/settings.ts";
import { switchFlag, textFlag, UsageError } from "../terminal/arguments.ts";
import { command } from "../terminal/command.ts";
import type { FormCommand } from "../terminal/forms.ts";
import { backtestCommands, overFile } from "./backtest.ts";
import { candlesCommand, exchangeCommand, mcpCommand } from "./candles.ts";
import { editCommands } from "./edit.ts";
import { CALL_ARGS, fieldArgs, operationCommand, PROFILE_ARGS, YES_ARGS } from "./operation.ts";
import { sandboxCommand } from "./sandbox.ts";
import { SERVE_ARGS, serveCommand } from "./serve.ts";
import { cloneCommands, formCommands, startCommands } from "./start.ts";
import { dbCommand, deployCommand, strategyFileCommands, strategyTestCommand } from "./strategy.ts";

const SUB_COMMANDS: Readonly<Record<string, string>> = {
  orders: "List, place and cancel orders",
  backtest: "Test a strategy on historical prices",
  start: "Start a strategy",
  preview: "Show orders, cost and worst case of a strategy",
  test: "Run a strategy of your own in the sandbox with crashes and lost responses",
  kill: "Turn the kill switch on or off: no new orders anywhere",
  limits: "Limit orders, volume and losses",
  dex: "Show prices and pools of Cardano tokens",
  plans: "Approve or refuse plans of AI agents",
  token: "Manage API tokens: shown once, stored as hashes",
  notify: "Send alerts to webhooks, Telegram, Discord, ntfy or email",
  liquidity: "Report the spread, depth and uptime of your orders",
  agreement: "Store liquidity agreements, and report what was kept",
};

/** Returns the top-level commands as help groups them. */
export const groupsOf = (kinds: readonly Kind[]): Readonly<Record<string, readonly string[]>> => ({
  "Get started": ["demo", "setup", "doctor", "page", "docs"],
  "Market data": ["ticker", "orderbook", "trades", "ohlcv", "exchanges", "compare", "dex"],
  Trade: ["balance", "orders", ...kinds.map(({ group }) => group), "rename", "trade"],
  "Every strategy": [
    "definitions",
    "preview",
    "start",
    "clone",
    "list",
    "status",
    "edit",
    "pause",
    "resume",
    "stop",
    "fills",
    "orders-of",
    "events",
  ],
  Analyze: [
    "backtest",
    "suggest",
    "replay",
    "report",
    "quality",
    "disposals",
    "liquidity",
    "agreement",
    "proof",
    "status-page",
    "candles",
  ],
  Control: ["kill", "panic", "limits", "plans", "notify", "audit"],
  Run: [
    "serve",
    "tick",
    "deploy",
    "db",
    "token",
    "exchange",
    "mcp",
    "cost",
    "sandbox",
    "verify",
    "completion",
  ],
});

/** Returns every command, for these exchanges and the user's own strategies. */
export function rootCommand(
  ids: readonly string[],
  definitions: StrategyDefinitions = [],
  kinds: readonly Kind[] = kindsWith(definitions),
): CommandDef {
  const commands: Record<string, CommandDef> = {
    setup: setupCommand,
    cost: costCommand,
    doctor: doctorCommand,
    serve: serveCommand,
    page: pageCommand,
    demo: demoCommand,
  };
  const operations = createOperations(ids, definitions, kinds);
  const forms = formCommands(operations, ids, kinds);
  for (const [name, made] of Object.entries(strategyFileCommands)) addTo(commands, "strategy", name, made);
  for (const definition of definitions)
    addTo(subCommandsOf(commands, "strategy"), "test", definition.name, strategyTestCommand(definition, ids));
  for (const operation of operations) addCommand(commands, operation, operations, forms);
  for (const operation of operations) addWords(commands, operation);
  for (const [path, made] of [
    ...backtestCommands(operations, ids, definitions),
    ...cloneCommands(operations, forms),
    ...startCommands(forms),
    ...editCommands(operations, kinds),
  ])
    addAt(commands, path, made);
  for (const { group, summary } of kinds) {
    for (const operation of operations) addVerb(commands, group, operation, operations);
    commands[group] = { ...commands[group], meta: { name: group, description: summary } };
  }
  addTo(commands, "notify", "add", addChannelCommand);
  const centered = forms.find(({ form }) => form.takesProfile);
  if (centered) commands.trade = tradeCommand(operations, centered);
  return command({
    name: "edgemaker",
    description: "Run grid and market-making strategies on crypto exchanges",
    groups: groupsOf(kinds),
    subCommands: {
      ...commands,
      mcp: mcpCommand,
      exchange: exchangeCommand,
      candles: candlesCommand,
      db: dbCommand,
      deploy: deployCommand,
      audit: auditCommand,
      proof: proofCommand,
      "status-page": statusPageCommand,
      sandbox: sandboxCommand,
      verify: verifyCommand,
      docs: docsCommand,
      completion: completionCommand(() => rootCommand(ids, definitions, kinds)),
    },
  });
}

/** Adds a command: `grid start` is the command `start` of the group `grid`. */
function addCommand(
  commands: Record<string, CommandDef>,
  operation: Operation,
  operations: readonly Operation[],
  forms: readonly FormCommand[],
): void {
  if (!operation.cli) return;
  const { path, words = {} } = operation.cli;
  if (Object.keys(words).some((word) => word.startsWith(`${path} `))) return;
  const made =
    operation.name === "guide_grid"
      ? guidedCommand(operation, operations, forms)
      : operation.name === "suggest_grid"
        ? overFile(operation)
        : operationCommand(operation, undefined, operations);
  addAt(commands, path, made);
}

/** Adds a command at a path of one, two or three words. */
function addAt(commands: Record<string, CommandDef>, path: string, made: CommandDef): void {
  const [group = "", name, below] = path.split(" ");
  if (name === undefined) commands[group] = made;
  else if (below === undefined) addTo(commands, group, name, made);
  else addTo(subCommandsOf(commands, group), name, below, made);
}

/** Adds the other commands for an operation: `agreement end` is an edit. */
function addWords(commands: Record<string, CommandDef>, operation: Operation): void {
  for (const [path, word] of Object.entries(operation.cli?.words ?? {})) {
    const [group = "", name] = path.split(" ");
    const made = operationCommand(operation, { path, ...word });
    if (name === undefined) commands[group] = made;
    else addTo(commands, group, name, made);
  }
}

/**
 * Adds an operation on any strategy to the group of a kind too, for its strategies: `quote fills` is `fills`. A group's
 * own command stays.
 */
function addVerb(
  commands: Record<string, CommandDef>,
  group: string,
  operation: Operation,
  operations: readonly Operation[],
): void {
  const { verb, path = "" } = operation.cli ?? {};
  if (verb === undefined || subCommandsOf(commands, group)[verb]) return;
  const input = { definition: group };
  const word = { path: `${group} ${verb}`, summary: operation.summary, input, sameAs: path };
  addTo(commands, group, verb, operationCommand(operation, word, operations));
}

function addTo(commands: Record<string, CommandDef>, group: string, name: string, made: CommandDef): void {
  subCommandsOf(commands, group)[name] = made;
}

function subCommandsOf(commands: Record<string, CommandDef>, group: string): Record<string, CommandDef> {
  commands[group] ??= command({ name: group, description: SUB_COMMANDS[group] ?? group, subCommands: {} });
  commands[group].subCommands ??= {};
  return commands[group].subCommands as Record<string, CommandDef>;
}

/** Returns the settings; the defaults if they are invalid, because the command itself reports that. */
export function settingsForCommands(env: NodeJS.ProcessEnv): Pick<Config, "exchanges" | "strategies"> {
  try {
    return parseConfig(environmentWithFile(env));
  } catch (error) {
    if (error instanceof SettingsError) return parseConfig({});
    throw error;
  }
}

/** Works on the database itself, whichever process serves it. */
const auditCommand = command({
  name: "audit",
  description: "Verify, export and sign the event log",
  subCommands: {
    verify: command({
      name: "audit verify",
      description: "Check whether events were changed, deleted, moved or inserted; exit code 1 if so",
      args: LOCAL_DATABASE_ARGS,
      run: async (values) => (await import("../actions/actions.ts")).verifyEvents(values),
    }),
    export: command({
      name: "audit export",
      description: "Print every event as one line of JSON, oldest first, with the input of its hash",
      args: {
        after: textFlag("Only events after this id", "id"),
        ...LOCAL_DATABASE_ARGS,
      },
      run: async (values) => (await import("../actions/actions.ts")).exportEvents(values),
    }),
    checkpoint: command({
      name: "audit checkpoint",
      description: "Sign the newest events with EDGEMAKER_KEK; older events can then be deleted",
      args: {
        "keep-days": textFlag("Delete events older than this many days (default: none)", "days"),
        ...LOCAL_DATABASE_ARGS,
      },
      run: async (values) => (await import("../actions/actions.ts")).signEvents(values),
    }),
  },
});

/** Command that prints shell completion scripts for the commands of `root`. */
function completionCommand(root: () => CommandDef): CommandDef {
  const shell = (name: string, example: string) =>
    command({
      name: `completion ${name}`,
      description: `Print the script for ${name}`,
      examples: [example],
      run: async () => {
        const { completion } = await import("../actions/actions.ts");
        process.stdout.write(completion(name, root()));
        return 0;
      },
    });
  return command({
    name: "completion",
    description: "Print a script for shell completion",
    subCommands: {
      bash: shell("bash", 'eval "$(edgemaker completion bash)"'),
      zsh: shell("zsh", 'eval "$(edgemaker completion zsh)"'),
      fish: shell("fish", "edgemaker completion fish | source"),
    },
  });
}

const docsCommand = command({
  name: "docs",
  description: "Read the guides that are installed with the program, or what an error means",
  examples: ["edgemaker docs", "edgemaker docs tutorial", 'edgemaker docs "Order unknown"'],
  args: {
    topic: {
      type: "positional",
      description: "Guide, guide#section, error label, reason or notice; without one, all guides are listed",
      required: false,
    },
    json: switchFlag("Print as JSON"),
  },
  run: async (values) => (await import("../actions/actions.ts")).showGuide(values),
});

const costCommand = command({
  name: "cost",
  description: "Estimate the monthly cost of running your strategies on Workers and Turso",
  examples: ["edgemaker cost", "edgemaker cost --passes 4 --json"],
  args: {
    passes: textFlag("Passes per minute (default 1)", "number"),
    ...CALL_ARGS,
    ...DATABASE_ARGS,
  },
  run: async (values) => (await import("../actions/actions.ts")).estimateCost(values),
});

const { db, "venue-url": venueUrl } = DATABASE_ARGS;

const { db: _db, sandbox: _sandbox, "venue-url": _venueUrl, ...ARGS } = SERVE_ARGS;

const demoCommand = command({
  name: "demo",
  description: "Watch a grid trade on simulated exchanges, with a new database",
  args: {
    ...ARGS,
    seconds: textFlag("Stop after this many seconds (default: run until Ctrl-C)", "number"),
  },
  run: async (values) => (await import("../actions/demo.ts")).runDemo(values),
});

const doctorCommand = command({
  name: "doctor",
  description: "Check the runtime, settings, database, port and exchanges",
  examples: ["edgemaker doctor", "edgemaker doctor --sandbox --json", "edgemaker doctor --exchanges"],
  args: {
    port: textFlag("Port that serve would use (default 3000)", "number"),
    exchanges: switchFlag(
      "Only compare the exchanges' public responses with their known fields (exit code 1: a field differs, 3: a response cannot be read)",
    ),
    ...DATABASE_ARGS,
    db: { ...DATABASE_ARGS.db, isOnlyRead: true },
    json: switchFlag("Print as JSON"),
  },
  run: async (values) => (await import("../actions/actions.ts")).runDoctor(values),
});

/** Asks for values without a flag, shows the resulting plan, and starts it. */
const guidedCommand = (
  operation: Operation,
  operations: readonly Operation[],
  [range]: readonly FormCommand[],
): CommandDef =>
  command({
    name: "grid new",
    description: "Start a grid by answering five questions",
    examples: operation.cli?.examples,
    args: () => ({ ...fieldArgs(operation), ...YES_ARGS }),
    run: async (values) => {
      if (!range) throw new Error("there is no grid");
      return (await import("../actions/actions.ts")).runGuided(operations, range, values);
    },
  });

/** Prompts for the secrets of a channel; the other commands of channels are operations. */
const addChannelCommand = command({
  name: "notify add",
  description: "Add a channel; prompts for its address and secrets, or reads them from a pipe",
  args: {
    name: { type: "positional", description: "Name of the channel", required: false },
    ...LOCAL_DATABASE_ARGS,
    kind: { type: "string", description: CHANNEL_KINDS.join(", "), valueHint: "kind" },
    level: textFlag(
      `Lowest level to send: ${ALERT_LEVELS.join(", ")} (default info, with every fill)`,
      "level",
    ),
    quiet: textFlag(
      'Quiet hours with alerts only, in UTC or a time zone: "22:00-07:00 Europe/Berlin"',
      "hours",
    ),
    daily: switchFlag("Also send each day's report"),
  },
  examples: [
    "edgemaker notify add phone --kind ntfy --level warning",
    "printf '%s\\n' https://hooks.example/edgemaker | edgemaker notify add ops --kind webhook",
  ],
  run: async (values) => (await import("../actions/actions.ts")).addChannel(values),
});

const pageCommand = command({
  name: "page",
  description: "Print a link that signs your browser in, once",
  args: LOCAL_DATABASE_ARGS,
  run: async (values) => {
    const { newPageLink } = await import("../actions/actions.ts");
    const url = await newPageLink(values);
    process.stdout.write(`${values.json ? JSON.stringify({ url }) : url}\n`);
    return 0;
  },
});

/** Works on the database itself: the key never leaves it. */
const proofCommand = command({
  name: "proof",
  description: "Sign, publish and verify the samples of a liquidity report",
  subCommands: {
    key: command({
      name: "proof key",
      description: "Show the public key that signs finished days; create the key pair on first use",
      args: LOCAL_DATABASE_ARGS,
      run: async (values) => (await import("../actions/actions.ts")).showProofKey(values),
    }),
    publish: command({
      name: "proof publish",
      description: "Print signed days as JSON Lines, for anyone to verify",
      args: {
        exchange: textFlag("Exchange id", "id"),
        symbol: textFlag("Trading pair, BASE/QUOTE", "pair"),
        from: textFlag("First day, in UTC (default: the first signed)", "date"),
        to: textFlag("Last day, in UTC (default: the last signed)", "date"),
        ...LOCAL_DATABASE_ARGS,
      },
      run: async (values) => (await import("../actions/actions.ts")).publishProof(values),
    }),
    verify: command({
      name: "proof verify",
      description: "Verify a published file; exit code 1 if it was changed after signing",
      args: {
        file: { type: "positional", description: "File of `proof publish` (or --file)", required: false },
        key: textFlag("Public key that must have signed it", "hex"),
        hash: textFlag("Hash of a day that you received earlier: the file must continue it", "hex"),
        json: LOCAL_DATABASE_ARGS.json,
      },
      run: async (values) => (await import("../actions/actions.ts")).verifyProof(values),
    }),
  },
});

const setupCommand = command({
  name: "setup",
  description: "Enter exchange keys, test them, and store them encrypted in the database",
  examples: ["edgemaker setup"],
  args: { db, "venue-url": venueUrl },
  run: async (values) => (await import("../actions/setup.ts")).runSetup(values),
});

const statusPageCommand = command({
  name: "status-page",
  description: "Build a public status page of your liquidity",
  subCommands: {
    build: command({
      name: "status-page build",
      description: "Write a page with today's obligations and 90 days of uptime, to publish on any host",
      args: {
        out: textFlag("Folder of the page (default status-page)", "folder"),
        maker: textFlag("Name of the market maker", "name"),
        amounts: switchFlag("Also show rules with amounts in quote, as depths"),
        ...LOCAL_DATABASE_ARGS,
      },
      run: async (values) => (await import("../actions/actions.ts")).buildStatusPage(values),
    }),
  },
});

/** Command of the market-making strategy. Its flags are the fields of a centered grid; a profile contains lists. */
const NOT_FLAGS = { planHash: "", customSpacings: [], sizeWeights: [] };

function tradeCommand(operations: readonly Operation[], centered: FormCommand): CommandDef {
  return command({
    name: "trade",
    description: "Run a centered grid in this terminal, and watch it until Ctrl-C",
    examples: [
      "edgemaker trade --strategy grid --exchange kraken --symbol BTC/USDT --sandbox",
      "edgemaker trade --strategy grid --exchange kraken --symbol BTC/USDT --levels 8 --size-model pyramidal --preview",
      "edgemaker trade --strategy grid --exchange mexc --symbol ADA/USDT --grid-profile calm.json --detach",
    ],
    args: () => ({
      strategy: textFlag("grid", "name"),
      ...fieldArgs(centered.flat, NOT_FLAGS),
      ...PROFILE_ARGS,
      preview: switchFlag("Show the plan and place nothing"),
      detach: switchFlag("Start it on the running server, and return at once"),
      "tick-interval": textFlag(
        `Milliseconds between two passes, if this process runs the grid (default ${DEFAULT_TICK_INTERVAL_MS})`,
        "number",
      ),
      ...YES_ARGS,
      ...DATABASE_ARGS,
      ...CALL_ARGS,
    }),
    run: async (values) => {
      if (values.strategy !== "grid") throw new UsageError("--strategy must be grid");
      return (await import("../actions/actions.ts")).runTrade(operations, centered, values);
    },
  });
}

const verifyCommand = command({
  name: "verify",
  description: "Compare the installed files with the release's manifest; exit code 1 if one differs",
  examples: ["edgemaker verify --key MCowBQYDK2VwAyEA…"],
  args: {
    folder: { type: "positional", description: "Folder of a package (default: this one)", required: false },
    key: textFlag("Public key of the release, in base64: its signature is checked too", "key"),
    manifest: textFlag("Manifest to compare with (default: the one in the folder)", "file"),
    json: LOCAL_DATABASE_ARGS.json,
  },
  run: async (values) => (await import("../actions/actions.ts")).verifyInstall(values),
});
