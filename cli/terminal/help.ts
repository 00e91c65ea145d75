import type { CommandDef } from "citty";
import type { Args } from "./arguments.ts";
import type { Meta } from "./command.ts";
import { styled, wrap } from "./style.ts";

type HelpRow = readonly [name: string, description: string];

/** Flags that most commands share; help lists them last. */
const SHARED_FLAGS = new Set(["db", "sandbox", "seed", "venue-url", "json", "api-url", "token"]);

const GUIDES: Readonly<Record<string, string>> = {
  ...{
    grid: "grids",
    quote: "quotes",
    liquidity: "liquidity",
    agreement: "liquidity",
    backtest: "backtest",
    replay: "backtest",
  },
  ...{ suggest: "suggest", candles: "candles", report: "report", disposals: "report", notify: "alerts" },
  ...{ limits: "limits", kill: "reliability", panic: "reliability", exchange: "exchanges", db: "backup" },
  ...{ page: "page", serve: "deploy", mcp: "mcp", plans: "mcp", audit: "security", cost: "scale" },
  ...{ compare: "prices", dex: "prices", trade: "grids", tick: "deploy", token: "security" },
  ...{ strategy: "strategies", deploy: "deploy", quality: "quality" },
};

/** Formats the help of a command in `width` columns: description, usage, arguments, flags and examples. */
export function helpOf(found: CommandDef, path: readonly string[], width: number): string {
  const { description = "", examples = [], groups } = (found.meta ?? {}) as Meta;
  const args = Object.entries((found.args ?? {}) as Args);
  const words = args.filter(([, { type }]) => type === "positional");
  const flags = args.filter(([, { type }]) => type !== "positional");
  const own = flags.filter(([flag]) => !SHARED_FLAGS.has(flag));
  const common = flags.filter(([flag]) => SHARED_FLAGS.has(flag));
  const commands = Object.entries((found.subCommands ?? {}) as Record<string, CommandDef>);
  const name = ["edgemaker", ...path].join(" ");
  const usage = [
    name,
    ...words.map(([word]) => `[${word}]`),
    ...(commands.length > 0 ? [found.run ? "[command]" : "<command>"] : []),
    ...(flags.length > 0 ? ["[flags]"] : []),
  ].join(" ");
  const sections = [
    wrap(description, width).join("\n"),
    `${title("Usage")} ${usage}`,
    section(
      "Arguments",
      words.map(([word, { description: output = "" }]) => [word, output]),
      width,
    ),
    ...commandSections(commands, groups, width),
    section("Flags", own.map(flagRow), width),
    section(own.length > 0 ? "Common flags" : "Flags", common.map(flagRow), width),
    flags.some(([, { type }]) => type === "boolean")
      ? wrap("Flags without a value can also be true or false: --flag false or --no-flag.", width).join("\n")
      : "",
    examples.length > 0
      ? `${title("Examples")}\n${examples.map((example) => exampleLines(example, width)).join("\n")}`
      : "",
    commands.length > 0 ? `Run ${name} <command> --help for details.` : "",
    GUIDES[path[0] ?? ""] ? `Guide: docs/${GUIDES[path[0] ?? ""]}.md` : "",
  ];
  return sections.filter((text) => text !== "").join("\n\n");
}

/** Returns a section for each group, or one for all commands. */
function commandSections(
  commands: readonly (readonly [string, CommandDef])[],
  groups: Meta["groups"],
  width: number,
): string[] {
  if (!groups) return [section("Commands", commands.map(commandRow), width)];
  const rows = new Map(commands.map((entry) => [entry[0], commandRow(entry)]));
  const widest = Math.max(...[...rows.values()].map(([name]) => name.length));
  return Object.entries(groups).map(([head, names]) =>
    section(
      head,
      names.flatMap((name) => {
        const row = rows.get(name);
        return row ? [row] : [];
      }),
      width,
      widest,
    ),
  );
}

/** Formats an example for a shell; a long one continues after a backslash. */
function exampleLines(example: string, width: number): string {
  const parts = example.split(/ (?=--)/);
  const lines: string[] = [];
  for (const part of parts) {
    const last = lines.at(-1);
    if (last !== undefined && last.length + part.length + 5 <= width)
      lines[lines.length - 1] = `${last} ${part}`;
    else lines.push(`${lines.length === 0 ? "  " : "    "}${part}`);
  }
  return lines.join(" \\\n");
}

const title = (text: string): string => styled("bold", `${text}:`);

function commandRow([name, found]: readonly [string, CommandDef]): HelpRow {
  const { alias = [], description = "" } = (found.meta ?? {}) as Meta;
  return [[name, ...[alias].flat()].join(", "), description];
}

function flagRow([name, { type, valueHint, description = "" }]: readonly [string, Args[string]]): HelpRow {
  return [type === "boolean" ? `--${name}` : `--${name} <${valueHint ?? "text"}>`, description];
}

/** Formats two columns; in a narrow terminal, each description is below its name. */
function section(
  head: string,
  rows: readonly HelpRow[],
  width: number,
  widest = Math.max(...rows.map(([name]) => name.length)),
): string {
  if (rows.length === 0) return "";
  const left = width - widest - 4;
  const lines = rows.flatMap(([name, description]) =>
    left >= 30
      ? wrap(description, left).map((line, index) => `  ${(index === 0 ? name : "").padEnd(widest)}  ${line}`)
      : [`  ${name}`, ...wrap(description, width - 6).map((line) => `      ${line}`)],
  );
  return `${title(head)}\n${lines.map((line) => line.trimEnd()).join("\n")}`;
}
