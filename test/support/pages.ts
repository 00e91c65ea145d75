import type { CommandDef } from "citty";
import { helpOf } from "../../cli/command-line.ts";
import { groupsOf, rootCommand } from "../../cli/commands/root.ts";
import twoSided from "../../examples/two-sided.ts";
import { kindsWith } from "../../src/kinds.ts";
import { createOperations } from "../../src/operations.ts";
import { PROMPTS } from "../../src/transport/mcp/prompts.ts";
import { GUIDE, RESOURCES } from "../../src/transport/mcp/server.ts";
import { isTool, toolOf } from "../../src/transport/mcp/tools.ts";
import { EXCHANGES } from "./sandbox.ts";

type Commands = Readonly<Record<string, CommandDef>>;

/** Every command with its words, the groups too. */
export function commandsOf(
  found: CommandDef,
  path: readonly string[] = [],
): (readonly [string, CommandDef])[] {
  const below = Object.entries((found.subCommands ?? {}) as Commands);
  const own = path.length === 0 ? [] : [[path.join(" "), found] as const];
  return [...own, ...below.flatMap(([name, made]) => commandsOf(made, [...path, name]))];
}

const GENERATED = (what: string) =>
  `Generated from ${what}. \`npm run docs\` writes this page, and a test compares it.`;

const fileOf = (group: string): string => `cli-${group.toLowerCase().replaceAll(" ", "-")}.md`;

/** Flags of a part of help, with its title. */
const flagsOf = (part: string): readonly string[] =>
  [...part.matchAll(/^ {2}--([\w-]+)/gm)].map(([, flag]) => flag as string);

/** The part of help with the flags that most commands share. */
function commonFlags(root: CommandDef): string {
  const grid = (root.subCommands as Commands).grid as CommandDef;
  const help = helpOf((grid.subCommands as Commands).status as CommandDef, ["grid", "status"], 80);
  const part = help.split("\n\n").find((text) => text.startsWith("Common flags:"));
  if (!part) throw new Error("the help shows no common flags");
  return part;
}

/** Without the parts that the help of every command repeats. */
function ownHelp(found: CommandDef, path: string, common: readonly string[]): string {
  const repeated = [/^Common flags:/, /^Flags without a value/, /^Guide: /, /^Run edgemaker .* for details/];
  const isCommon = (part: string) =>
    part.startsWith("Flags:") && flagsOf(part).every((flag) => common.includes(flag));
  return helpOf(found, path.split(" "), 80)
    .split("\n\n")
    .filter((part) => !repeated.some((pattern) => pattern.test(part)) && !isCommon(part))
    .join("\n\n");
}

/** The pages of commands by file: docs/cli.md, and one for each group of commands. */
export function cliPages(): ReadonlyMap<string, string> {
  const root = rootCommand(EXCHANGES, [twoSided]);
  const own = commandsOf(root).filter(([, { meta }]) => !(meta as { sameAs?: string } | undefined)?.sameAs);
  const common = flagsOf(commonFlags(root));
  const groups = Object.entries(groupsOf(kindsWith([twoSided])));
  const pages = groups.map(([group, names]) => {
    const parts = own
      .filter(([path]) => names.includes(path.split(" ")[0] as string))
      .map(([path, found]) => `## ${path}\n\n\`\`\`\n${ownHelp(found, path, common)}\n\`\`\`\n`);
    const page = `# Commands: ${group}

This page lists the commands of the group *${group}* with their flags. [Common flags](cli.md#common-flags) are not repeated here.
${GENERATED("the commands")}

${parts.join("\n")}
Next: [all groups](cli.md)
`;
    return [fileOf(group), page] as const;
  });
  return new Map([["cli.md", cliIndex(root, groups)], ...pages]);
}

function cliIndex(root: CommandDef, groups: readonly (readonly [string, readonly string[]])[]): string {
  const rows = groups.map(
    ([group, names]) => `| [${group}](${fileOf(group)}) | ${names.map((name) => `\`${name}\``).join(" ")} |`,
  );
  return `# Command line

This page lists all commands, the flags that most of them share, and exit codes.
${GENERATED("the commands")}

| group | commands |
|---|---|
${rows.join("\n")}

\`edgemaker COMMAND --help\` shows the same in a terminal, and \`edgemaker docs\` the guides.

## Common flags
\`\`\`
${commonFlags(root)}
\`\`\`

- A command calls the server in \`--api-url\` or \`EDGEMAKER_API_URL\`. Otherwise it calls the running local server of its
  database. If none is running, it uses the database directly.
- \`--json\` prints the response on standard output, and an error as JSON on standard error.
- Flags without a value can also be true or false: \`--flag false\` or \`--no-flag\`.
- Flags override environment variables, which override \`edgemaker.json\`: [Settings](settings.md).

## Output
- [Exit codes](errors.md#exit-codes): 0 done, 1 failed, 2 wrong command line, 3 a stalled grid, 130 Ctrl-C.
- In a terminal, a table leaves out columns that do not fit, and lists their names below. \`--columns\` chooses columns. A pipe gets
  all columns.
- \`NO_COLOR=1\` turns off colors.

## Names
- \`grid\`, \`quote\` and \`strategy\` have the commands of every strategy too: \`grid fills ID\` is \`fills ID\`.
- \`two-sided\` stands for [a strategy of your own](strategies.md). Each one gets these commands, with its config as flags.

## All commands
\`\`\`
${helpOf(root, [], 80)}
\`\`\`

Next: [settings](settings.md) · [errors and status codes](errors.md)
`;
}

function toolRow(tool: ReturnType<typeof toolOf>): string {
  const { properties = {}, required = [] } = tool.inputSchema;
  const others = Object.keys(properties).filter((name) => !required.includes(name));
  const listed = (names: readonly string[]) => names.map((name) => `\`${name}\``).join(" ");
  const { readOnlyHint, openWorldHint } = tool.annotations ?? {};
  const kind = `${readOnlyHint ? "reads" : "two steps"}${openWorldHint ? ", calls an exchange" : ""}`;
  return `| \`${tool.name}\` | ${tool.title} | ${kind} | ${listed(required)} | ${listed(others)} |`;
}

/** docs/mcp-tools.md */
export function mcpPage(): string {
  const tools = createOperations(EXCHANGES).filter(isTool).map(toolOf);
  return `# Tools for agents

This page lists every tool, resource and prompt for agents. [Agents](mcp.md) shows how to connect one.
${GENERATED("the operations")}

A client receives the meaning of each field with the list of tools. Responses are the same as in the HTTP API, described in
\`/openapi.json\`, with [the same forms of money](deploy.md#money-in-responses). *Two steps* means a preview, and then the same call with
\`planId\`.

## Tools
| tool | does | kind | required | optional |
|---|---|---|---|---|
${tools.map(toolRow).join("\n")}

## Resources
| resource | content |
|---|---|
${RESOURCES.map(({ uri, description }) => `| \`${uri}\` | ${description} |`).join("\n")}
| \`edgemaker://guide/grid\` | ${GUIDE.split("\n")[0]?.replace("# ", "")}, how they work and how to choose one |

## Prompts
| prompt | does |
|---|---|
${PROMPTS.map(({ name, description }) => `| \`${name}\` | ${description} |`).join("\n")}

Next: [agents](mcp.md) · [HTTP API](http-api.md)
`;
}
