import type { CommandDef } from "citty";
import * as z from "zod";
import { pastDefinitions } from "../../src/backtest/operations/backtest.ts";
import { READS_PAST } from "../../src/backtest/operations/past.ts";
import { flatInput, type PastForm, replayInput } from "../../src/backtest/schema/input.ts";
import { type Operation, operation } from "../../src/operation.ts";
import type { StrategyDefinitions } from "../../src/ports/definition.ts";
import { type Args, switchFlag, textFlag } from "../terminal/arguments.ts";
import { command } from "../terminal/command.ts";
import { VOLUME_COLUMN } from "./candles.ts";
import { fieldArgs, PROFILE_ARGS } from "./operation.ts";

/** Flags that name files on this machine; their content is read here, not by a server. */
const FILES = {
  data: textFlag(
    "File with candles, trades or order books, instead of the exchange's candles (csv, json, .gz, .zip)",
    "file",
  ),
  "skip-refused": switchFlag("Skip and count invalid rows of --data; otherwise the first one is an error"),
  "volume-column": VOLUME_COLUMN,
  report: textFlag("Also write an HTML report with charts to this file", "file"),
} as const satisfies Args;

const DATA = {
  data: {
    ...FILES.data,
    description:
      "File with candles (csv, json, .gz, .zip, or stored candles), instead of the exchange's candles",
  },
  "volume-column": VOLUME_COLUMN,
} as const satisfies Args;

const SWEEP = {
  sweep: {
    ...textFlag(
      "Compare values of a field, such as size=50,100; repeat it to combine fields, at most 300 runs",
      "field=values",
    ),
    repeatable: true,
  },
} as const satisfies Args;

/** Builds a command over a file's data, or over an operation's own. */
export const overFile = (operation: Operation, target?: Operation): CommandDef =>
  command({
    name: operation.cli?.path ?? operation.name,
    description: operation.summary,
    examples: operation.cli?.examples,
    args: () => ({ ...DATA, ...fieldArgs(operation) }),
    run: async (values) => {
      const { runBacktest, runReplay } = await import("../actions/backtest.ts");
      return target ? runReplay(operation, values, target) : runBacktest(operation, values);
    },
  });

/** Builds the command that compares a stored grid with its backtest. */
const replayCommand = (target: Operation): CommandDef =>
  overFile(
    operation({
      ...READS_PAST,
      name: target.name,
      summary: "Compare a grid's real fills with a backtest, and show the cause of each difference",
      http: target.http,
      cli: {
        path: "replay",
        positional: ["strategy"],
        flags: { strategy: "id", fills: "limit" },
        columns: ["time", "slot", "side", "price", "amount", "where", "cause", "text"],
        examples: [
          "edgemaker replay grid-kraken-BTC-USDT-1767225600000",
          "edgemaker replay grid-kraken-BTC-USDT-1767225600000 --set size=80,levels=20",
          "edgemaker replay grid-kraken-BTC-USDT-1767225600000 --data btc-usdt.csv.gz",
        ],
      },
      input: replayInput,
      output: () => z.unknown(),
      run: async () => undefined,
    }),
    target,
  );

/**
 * Returns the commands that backtest a form of a definition, by path: `backtest` tests the first form, and its words
 * and their synonyms each one. Their flags are the fields of the config and of every backtest.
 */
export function backtestCommands(
  operations: readonly Operation[],
  ids: readonly string[],
  own: StrategyDefinitions,
): readonly (readonly [path: string, made: CommandDef])[] {
  const target = operations.find(({ name }) => name === "backtest");
  if (!target) return [];
  const madeFor = (form: PastForm, place: number) => {
    const path = `backtest ${form.word}`;
    const first = place === 0 ? "backtest" : path;
    const names = new Set([first, path, form.synonym?.("backtest") ?? path]);
    return [...names].map((name) => {
      const sameAs = name === first ? undefined : first;
      const summary = name === "backtest" ? target.summary : `Test ${form.what} on historical prices`;
      return [name, backtestCommand(target, form, ids, { path: name, sameAs, summary })] as const;
    });
  };
  return [
    ["replay", replayCommand(target)],
    ...pastDefinitions(own)
      .flatMap(({ forms }) => forms)
      .flatMap(madeFor),
  ];
}

function backtestCommand(
  target: Operation,
  form: PastForm,
  ids: readonly string[],
  {
    path,
    sameAs,
    summary,
  }: { readonly path: string; readonly sameAs: string | undefined; readonly summary: string },
): CommandDef {
  const { word, defaults = {}, flags = {}, parts = {}, examples, takesProfile } = form;
  const flat = operation({
    ...READS_PAST,
    name: target.name,
    summary,
    http: target.http,
    cli: { ...target.cli, flags, parts, defaults, path: form.synonym?.("backtest") ?? `backtest ${word}` },
    csv: target.csv as NonNullable<Operation["csv"]>,
    stored: Object.keys(defaults),
    input: () => flatInput(form, ids),
    output: () => z.unknown(),
    run: async () => undefined,
  });
  return command({
    name: path,
    description: summary,
    sameAs,
    examples: sameAs === undefined ? examples : undefined,
    args: () => ({ ...FILES, ...SWEEP, ...(takesProfile ? PROFILE_ARGS : {}), ...fieldArgs(flat) }),
    run: async (values) =>
      (await import("../actions/backtest.ts")).runBacktest(flat, values, { form, target }),
  });
}
