import type { CommandDef } from "citty";
import { lazy } from "../../src/kernel/lazy.ts";
import type { Args, Values } from "./arguments.ts";

interface Definition {
  readonly name: string;
  readonly description: string;
  readonly alias?: string | undefined;
  /** Path of the command that this one is another name of. */
  readonly sameAs?: string | undefined;
  readonly examples?: readonly string[] | undefined;
  /** Can be a function if creating them takes time, because most commands are only named. */
  readonly args?: Args | (() => Args);
  readonly subCommands?: Readonly<Record<string, CommandDef>>;
  /** Titles and names of subcommands that help lists together. */
  readonly groups?: Readonly<Record<string, readonly string[]>>;
  /** Runs with the values from `readValues`; returns the exit code. */
  readonly run?: (values: Values) => Promise<number>;
}

/** Description, aliases and examples of a command, for its help. */
export type Meta = Partial<Omit<Definition, "args" | "subCommands" | "run">>;

/** Creates a citty command whose arguments we parse: see arguments.ts. */
export function command({ args, subCommands, run, ...meta }: Definition): CommandDef {
  const made: CommandDef = {
    meta: meta as NonNullable<CommandDef["meta"]>,
    ...(subCommands ? { subCommands } : {}),
    ...(run ? { run: ({ data }: { data?: unknown }) => run(data as Values) } : {}),
  };
  const once = typeof args === "function" ? lazy(args) : () => args;
  return args ? Object.defineProperty(made, "args", { get: once, enumerable: true }) : made;
}
