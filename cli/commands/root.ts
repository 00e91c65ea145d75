import type { CommandDef } from "citty";
import { type Config, parseConfig } from "../../src/compose/config.ts";
import { SettingsError } from "../../src/kernel/errors.ts";
import { STRATEGY_KINDS, type StrategyKind } from "../../src/kinds.ts";
import type { Operation } from "../../src/operation.ts";
import { createOperations } from "../../src/operations.ts";
import type { StrategyDefinitions } from "../../src/ports/definition.ts";
import { environmentWithFile } from "../host/settings.ts";
import { command } from "../terminal/command.ts";
import { auditCommand } from "./audit.ts";
import {
  backtestCommand,
  centeredBacktestCommand,
  quoteBacktestCommand,
  replayCommand,
  suggestCommand,
} from "./backtest.ts";
import { candlesCommand } from "./candles.ts";
import { completionCommand } from "./completion.ts";
import { costCommand } from "./cost.ts";
import { dbCommand } from "./db.ts";
import { demoCommand } from "./demo.ts";
import { doctorCommand } from "./doctor.ts";
import { exchangeCommand } from "./exchange.ts";
import { guidedCommand } from "./guided.ts";
import { mcpCommand } from "./mcp.ts";
import { addChannelCommand } from "./notify.ts";
import { operationCommand } from "./operation.ts";
import { pageCommand } from "./page.ts";
import { proofCommand } from "./proof.ts";
import { sandboxCommand } from "./sandbox.ts";
import { serveCommand } from "./serve.ts";
import { setupCommand } from "./setup.ts";
import { statusPageCommand } from "./status-page.ts";
import { deployCommand, strategyFileCommands, strategyTestCommand } from "./strategy.ts";
import { tradeCommand } from "./trade.ts";

const SUB_COMMANDS: Readonly<Record<string, string>> = {
  orders: "List, place and cancel orders",
  start: "Start a strategy of your own",
  backtest: "Test a strategy of your own on historical prices",
  test: "Run a strategy of your own in the sandbox with crashes and lost responses",
  preview: "Show the orders and worst case of a strategy of your own",
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
export const groupsOf = (kinds: readonly StrategyKind[]): Readonly<Record<string, readonly string[]>> => ({
  "Get started": ["demo", "setup", "doctor", "page"],
  "Market data": ["ticker", "orderbook", "trades", "ohlcv", "exchanges", "compare", "dex"],
  Trade: ["balance", "orders", ...kinds.map(({ group }) => group), "rename", "trade"],
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
  Run: ["serve", "tick", "deploy", "db", "token", "exchange", "mcp", "cost", "sandbox", "completion"],
});

/** Returns every command, for these exchanges and the user's own strategies. */
export function rootCommand(
  ids: readonly string[],
  definitions: StrategyDefinitions = [],
  kinds: readonly StrategyKind[] = STRATEGY_KINDS,
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
  for (const [name, made] of Object.entries(strategyFileCommands)) addTo(commands, "strategy", name, made);
  for (const definition of definitions)
    addTo(subCommandsOf(commands, "strategy"), "test", definition.name, strategyTestCommand(definition, ids));
  for (const operation of operations) addCommand(commands, operation, operations);
  for (const { group, summary } of kinds)
    commands[group] = { ...commands[group], meta: { name: group, description: summary } };
  addTo(commands, "notify", "add", addChannelCommand);
  commands.trade = tradeCommand(operations);
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
      ...{ proof: proofCommand, "status-page": statusPageCommand },
      sandbox: sandboxCommand,
      completion: completionCommand(() => rootCommand(ids, definitions, kinds)),
    },
  });
}

/** Commands that read candles from a file on this machine. */
const OVER_FILES: Readonly<Record<string, (operation: Operation) => CommandDef>> = {
  backtest_grid: backtestCommand,
  backtest_centered_grid: centeredBacktestCommand,
  backtest_quote: quoteBacktestCommand,
  replay_grid: replayCommand,
  suggest_grid: suggestCommand,
};

const overFilesOf = ({ name, cli }: Operation) =>
  OVER_FILES[name] ?? (cli?.path.startsWith("strategy backtest ") ? quoteBacktestCommand : undefined);

/** Adds a command: `grid start` is the command `start` of the group `grid`. */
function addCommand(
  commands: Record<string, CommandDef>,
  operation: Operation,
  operations: readonly Operation[],
): void {
  if (!operation.cli) return;
  const { path, words } = operation.cli;
  const [group = "", name, below] = path.split(" ");
  if (words) {
    for (const [word, { summary, input }] of Object.entries(words))
      addTo(commands, group, word, operationCommand(operation, { path: `${path} ${word}`, summary, input }));
    return;
  }
  if (name === undefined) {
    commands[group] = (overFilesOf(operation) ?? operationCommand)(operation);
    return;
  }
  const preview = operations.find((one) => one !== operation && one.name === previewNameOf(operation));
  const made =
    operation.name === "guide_grid"
      ? guidedCommand(operation, operations)
      : (overFilesOf(operation)?.(operation) ?? operationCommand(operation, undefined, preview));
  if (below === undefined) addTo(commands, group, name, made);
  else addTo(subCommandsOf(commands, group), name, below, made);
}

function addTo(commands: Record<string, CommandDef>, group: string, name: string, made: CommandDef): void {
  subCommandsOf(commands, group)[name] = made;
}

function subCommandsOf(commands: Record<string, CommandDef>, group: string): Record<string, CommandDef> {
  commands[group] ??= command({ name: group, description: SUB_COMMANDS[group] ?? group, subCommands: {} });
  commands[group].subCommands ??= {};
  return commands[group].subCommands as Record<string, CommandDef>;
}

/** Returns the operation that a terminal shows and confirms before a command. */
const previewNameOf = ({ name, cli }: Operation): string =>
  cli?.final?.shows ??
  (name.startsWith("edit_") ? `${name}_edit` : name).replace(/^(start|edit)_/, "preview_");

/** Returns the settings; the defaults if they are invalid, because the command itself reports that. */
export function settingsForCommands(env: NodeJS.ProcessEnv): Pick<Config, "exchanges" | "strategies"> {
  try {
    return parseConfig(environmentWithFile(env));
  } catch (error) {
    if (error instanceof SettingsError) return parseConfig({});
    throw error;
  }
}
