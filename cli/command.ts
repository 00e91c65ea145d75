import type { ArgsDef, CommandDef } from "citty";
import type { Args, Values } from "./arguments.ts";

export interface Definition {
  readonly name: string;
  readonly description: string;
  readonly alias?: string | undefined;
  readonly examples?: readonly string[] | undefined;
  readonly args?: Args;
  readonly subCommands?: Readonly<Record<string, CommandDef>>;
  /** Gets the values as `readValues` has read them; returns the exit code. */
  readonly run?: (values: Values) => Promise<number>;
}

/** What a command tells of itself. */
export interface Meta {
  readonly name?: string;
  readonly description?: string;
  readonly alias?: string | string[];
  readonly examples?: readonly string[];
}

/** A citty command whose arguments are read by us: see arguments.ts. */
export function command({
  name,
  description,
  alias,
  examples,
  args,
  subCommands,
  run,
}: Definition): CommandDef {
  const meta: Meta = { name, description, ...(alias ? { alias } : {}), ...(examples ? { examples } : {}) };
  return {
    meta: meta as NonNullable<CommandDef["meta"]>,
    ...(args ? { args: args as ArgsDef } : {}),
    ...(subCommands ? { subCommands } : {}),
    ...(run ? { run: ({ data }: { data?: unknown }) => run(data as Values) } : {}),
  };
}
