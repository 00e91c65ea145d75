import type { CommandDef } from "citty";
import type { Operation } from "../../src/operation.ts";
import { type Args, switchFlag, textFlag } from "../terminal/arguments.ts";
import { command } from "../terminal/command.ts";
import { fieldArgs, PROFILE_ARGS } from "./operation.ts";

/** Flags that name files on this machine; their content is read here, not by a server. */
const FILES = {
  data: textFlag(
    "File with candles, trades or order books, instead of the exchange's candles (csv, json, .gz, .zip)",
    "file",
  ),
  "skip-refused": switchFlag("Skip and count invalid rows of --data; otherwise the first one is an error"),
  report: textFlag("Also write an HTML report with charts to this file", "file"),
} as const satisfies Args;

const DATA = {
  ...FILES.data,
  description:
    "File with candles (csv, json, .gz, .zip, or stored candles), instead of the exchange's candles",
} as const;

/** Builds a command over a file's data, or over an operation's own. */
const overFile =
  (name: string, more: Args, action: "runBacktest" | "runReplay" = "runBacktest") =>
  (operation: Operation): CommandDef =>
    command({
      name,
      description: operation.summary,
      examples: operation.cli?.examples,
      args: () => ({ ...more, ...fieldArgs(operation) }),
      run: async (values) => (await import("../actions/backtest.ts"))[action](operation, values),
    });

export const suggestCommand = overFile("suggest", { data: DATA });
export const quoteBacktestCommand = overFile("backtest", { data: DATA });
export const backtestCommand = overFile("backtest", FILES);
export const centeredBacktestCommand = overFile("centered", { ...FILES, ...PROFILE_ARGS });
export const replayCommand = overFile("replay", { data: DATA }, "runReplay");
