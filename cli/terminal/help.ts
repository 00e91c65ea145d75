import type { CommandDef } from "citty";
import type { Args } from "./arguments.ts";
import type { Meta } from "./command.ts";
import { styled, wrap } from "./style.ts";

type HelpRow = readonly [name: string, description: string];

/** What a command is for, its words and flags, and examples; in `width` columns. */
export function helpOf(found: CommandDef, path: readonly string[], width: number): string {
  const { description = "", examples = [] } = (found.meta ?? {}) as Meta;
  const args = Object.entries((found.args ?? {}) as Args);
  const words = args.filter(([, { type }]) => type === "positional");
  const flags = args.filter(([, { type }]) => type !== "positional");
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
      "Words",
      words.map(([word, { description: told = "" }]) => [word, told]),
      width,
    ),
    section("Commands", commands.map(commandRow), width),
    section("Flags", flags.map(flagRow), width),
    flags.some(([, { type }]) => type === "boolean")
      ? wrap("A flag without a value also takes true or false, and no- before its name.", width).join("\n")
      : "",
    examples.length > 0 ? `${title("Examples")}\n${examples.map((one) => `  ${one}`).join("\n")}` : "",
    commands.length > 0 ? `${name} <command> --help tells more about a command.` : "",
  ];
  return sections.filter((text) => text !== "").join("\n\n");
}

const title = (text: string): string => styled("bold", `${text}:`);

function commandRow([name, found]: readonly [string, CommandDef]): HelpRow {
  const { alias = [], description = "" } = (found.meta ?? {}) as Meta;
  return [[name, ...[alias].flat()].join(", "), description];
}

function flagRow([name, { type, valueHint, description = "" }]: readonly [string, Args[string]]): HelpRow {
  return [type === "boolean" ? `--${name}` : `--${name} <${valueHint ?? "text"}>`, description];
}

/** Two columns; where they do not fit, each description below its name. */
function section(head: string, rows: readonly HelpRow[], width: number): string {
  if (rows.length === 0) return "";
  const widest = Math.max(...rows.map(([name]) => name.length));
  const left = width - widest - 6;
  const lines = rows.flatMap(([name, description]) =>
    left >= 30
      ? wrap(description, left).map((line, place) => `  ${(place === 0 ? name : "").padEnd(widest)}  ${line}`)
      : [`  ${name}`, ...wrap(description, width - 6).map((line) => `      ${line}`)],
  );
  return `${title(head)}\n${lines.map((line) => line.trimEnd()).join("\n")}`;
}
