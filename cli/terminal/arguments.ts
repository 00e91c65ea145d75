/**
 * Parses the raw arguments strictly. citty drops unknown flags, words and everything before a subcommand, and keeps
 * only the last of a repeated flag; here each of those is an error.
 */
import type { ArgDef, CommandDef } from "citty";
import { didYouMean } from "../../src/kernel/plain-text.ts";

export type Args = Readonly<Record<string, ArgDef & ReadAs>>;

/** Options that citty does not have. */
interface ReadAs {
  readonly repeatable?: boolean;
  /** Another full name of the flag, not shown in help. */
  readonly aka?: string;
  /** A flag that sets the switch to false. */
  readonly opposite?: string;
  /** Its old name, which this release still reads, with a notice. */
  readonly was?: string;
  /** Whether the command does not create a missing database. */
  readonly isOnlyRead?: boolean;
}

/** A flag with a value; `valueHint` names the value in help. */
export const textFlag = (description: string, valueHint: string) =>
  ({ type: "string", description, valueHint }) as const;

/** A flag without a value. */
export const switchFlag = (description: string) => ({ type: "boolean", description }) as const;

type Commands = Readonly<Record<string, CommandDef>>;

interface FoundCommand {
  readonly command: CommandDef;
  /** Its words, for messages and help. */
  readonly path: readonly string[];
  readonly rest: readonly string[];
  readonly help: boolean;
}

const isHelp = (word: string): boolean => word === "--help" || word === "-h";

/** Finds the command that the words name. Only --help is allowed before a subcommand. */
export function findCommand(root: CommandDef, argv: readonly string[]): FoundCommand {
  let command = root;
  const path: string[] = [];
  for (const [index, word] of argv.entries()) {
    const commands = command.subCommands as Commands | undefined;
    // A command with subcommands can have flags if it also runs itself.
    const isFlagOfItsOwn = command.run !== undefined && word.startsWith("-") && !isHelp(word);
    if (!commands || isFlagOfItsOwn)
      return { command, path, rest: argv.slice(index), help: argv.slice(index).some(isHelp) };
    if (isHelp(word)) return { command, path, rest: [], help: true };
    if (word.startsWith("-")) {
      const isBefore = argv.slice(index).some((later) => commandName(later, commands) !== undefined);
      if (isBefore) throw new UsageError(beforeCommand(word, path));
      return { command, path, rest: [], help: argv.slice(index).some(isHelp) };
    }
    const name = commandName(word, commands);
    if (name === undefined)
      throw new UsageError(
        `unknown command: ${[...path, word].join(" ")}${didYouMean(word, Object.keys(commands)) || seeHelp(path, "the commands")}`,
      );
    command = commands[name] as CommandDef;
    path.push(name);
  }
  return { command, path, rest: [], help: false };
}

const seeHelp = (path: readonly string[], what: string): string =>
  `; \`edgemaker ${[...path, "--help"].join(" ")}\` lists ${what}`;

function beforeCommand(word: string, path: readonly string[]): string {
  const where = path.length === 0 ? "before the command" : `before the sub-command of ${path.join(" ")}`;
  return `${word} comes ${where}, where it has no effect; move it after`;
}

const aliasesOf = (command: CommandDef | undefined): string[] => {
  const { alias = [] } = (command?.meta ?? {}) as { alias?: string | string[] };
  return [alias].flat();
};

const commandName = (word: string, commands: Commands): string | undefined =>
  Object.hasOwn(commands, word)
    ? word
    : Object.keys(commands).find((name) => aliasesOf(commands[name]).includes(word));

export type Values = Readonly<Record<string, string | boolean | readonly string[]>>;

/** Returns the values of a command's flags and words by argument name; a word's name works as a flag too. */
export function readValues(args: Args, words: readonly string[], path: readonly string[]): Values {
  const flags = flagNames(args);
  const positional = Object.keys(args).filter((name) => args[name]?.type === "positional");
  const values: Record<string, string | boolean | string[]> = {};
  const set = (name: string, flag: string, value: string | boolean) => {
    if (args[name]?.repeatable) values[name] = [...((values[name] as string[]) ?? []), String(value)];
    else if (Object.hasOwn(values, name)) throw new UsageError(`${flag} is set twice`);
    else values[name] = value;
  };
  for (let index = 0; index < words.length; index++) {
    const word = words[index] as string;
    if (!isFlag(word)) {
      const name = positional.find((one) => args[one]?.repeatable || !Object.hasOwn(values, one));
      if (name === undefined) throw new UsageError(`unexpected word: ${word}${seeHelp(path, "the flags")}`);
      set(name, word, word);
      continue;
    }
    const [flag, inline] = splitFlag(word);
    const known = flags.get(flag);
    if (!known) {
      const advice = didYouMean(flag, [...flags.keys()]) || seeHelp(path, "the flags");
      throw new UsageError(`unknown flag: ${flag}${advice}`);
    }
    if (known.now)
      process.stderr.write(`${flag} is now ${known.now}; the next release does not read the old name\n`);
    if (known.type === "boolean") {
      const next = words[index + 1];
      const isReported = inline === undefined && !known.negative && (next === "true" || next === "false");
      if (isReported) index++;
      set(known.name, flag, switchValue(known, flag, isReported ? next : inline));
      continue;
    }
    const value = inline ?? words[++index];
    if (value === undefined || value === "" || (inline === undefined && isFlag(value)))
      throw new UsageError(`${flag} needs a value`);
    set(known.name, flag, value);
  }
  return values;
}

const isFlag = (word: string): boolean => word.startsWith("-") && word !== "-" && !/^-\.?\d/.test(word);

function splitFlag(word: string): [string, string | undefined] {
  const at = word.indexOf("=");
  return at < 0 ? [word, undefined] : [word.slice(0, at), word.slice(at + 1)];
}

interface KnownFlag {
  readonly name: string;
  /** The flag's name now, if this is its old one. */
  readonly now?: string;
  readonly type: string;
  readonly negative: boolean;
}

function flagNames(args: Args): Map<string, KnownFlag> {
  const names = new Map<string, KnownFlag>();
  for (const [name, { type = "boolean", aka, was, opposite }] of Object.entries(args)) {
    if (was !== undefined) names.set(`--${was}`, { name, type, negative: false, now: `--${name}` });
    if (opposite !== undefined) names.set(`--${opposite}`, { name, type, negative: true });
    for (const word of [name, ...(aka === undefined ? [] : [aka])]) {
      names.set(`--${word}`, { name, type, negative: false });
      if (type === "boolean") names.set(`--no-${word}`, { name, type, negative: true });
    }
  }
  return names;
}

function switchValue({ negative }: KnownFlag, flag: string, inline: string | undefined): boolean {
  if (inline === undefined) return !negative;
  if (negative || (inline !== "true" && inline !== "false"))
    throw new UsageError(`${flag} takes no value except true or false`);
  return inline === "true";
}

/** Error for a wrong command line: nothing was done, exit code 2. */
export class UsageError extends Error {
  /** Help to print with it. */
  readonly usage: string | undefined;

  constructor(message: string, usage?: string) {
    super(message);
    this.name = "UsageError";
    this.usage = usage;
  }
}
