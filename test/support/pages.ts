import type { CommandDef } from "citty";
import { helpOf } from "../../cli/command-line.ts";
import { rootCommand } from "../../cli/commands/root.ts";
import twoSided from "../../examples/two-sided.ts";
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

/** docs/cli.md */
export function cliPage(): string {
  const root = rootCommand(EXCHANGES, [twoSided]);
  const own = commandsOf(root).filter(([, { meta }]) => !(meta as { sameAs?: string } | undefined)?.sameAs);
  const parts = own.map(
    ([path, found]) => `## ${path}\n\n\`\`\`\n${helpOf(found, path.split(" "), 80)}\n\`\`\`\n`,
  );
  return `# Command line

This page lists every command with its flags.
${GENERATED("the commands")}

- [Exit codes](errors.md#exit-codes): 0 done, 1 failed, 2 wrong command line, 3 a stalled grid, 130 Ctrl-C.
- \`--json\` prints the response on standard output, and an error as JSON on standard error.
- A command calls the server in \`--api-url\` or \`EDGEMAKER_API_URL\`. Otherwise it calls the running local server of its
  database. If none is running, it uses the database directly.
- Flags override environment variables, which override \`edgemaker.json\`: [Settings](settings.md).
- In a terminal, a table leaves out columns that do not fit, and lists them below. \`--columns\` chooses columns. A pipe gets
  all columns.
- \`grid\`, \`quote\` and \`strategy\` have the commands of every strategy too: \`grid fills ID\` is \`fills ID\`.
- \`NO_COLOR=1\` turns off colors.
- \`two-sided\` stands for [a strategy of your own](strategies.md). Each one gets these commands, with its config as flags.

\`\`\`
${helpOf(root, [], 80)}
\`\`\`

${parts.join("\n")}`;
}

interface Schema {
  readonly description?: string;
  readonly type?: string;
  readonly enum?: readonly string[];
}

function toolPart(tool: ReturnType<typeof toolOf>): string {
  const { properties = {}, required = [] } = tool.inputSchema;
  const rows = Object.entries(properties as Record<string, Schema>).map(
    ([name, { description = "", type = "string" }]) =>
      `| \`${name}\` | ${type} | ${required.includes(name) ? "yes" : ""} | ${description} |`,
  );
  const { readOnlyHint, openWorldHint } = tool.annotations ?? {};
  const kind = readOnlyHint ? "Reads" : "Trades, in two steps";
  const source = openWorldHint ? "calls an exchange" : "uses stored data";
  const fields = ["| field | type | required | meaning |", "|---|---|---|---|", ...rows].join("\n");
  return `### ${tool.name}\n\n${tool.title}. ${kind}; ${source}.\n\n${rows.length > 0 ? fields : "No fields."}\n`;
}

/** docs/mcp.md */
export function mcpPage(): string {
  const tools = createOperations(EXCHANGES).filter(isTool).map(toolOf);
  return `# Agents

This page shows how to connect an AI agent over the Model Context Protocol (MCP), what it can do, and every tool.
${GENERATED("the operations")}

\`\`\`sh
npx edgemaker mcp install --client claude-desktop --sandbox
\`\`\`

This command adds edgemaker to the configuration of \`claude-desktop\`, \`claude-code\`, \`cursor\`, \`windsurf\` or \`vscode\`,
and keeps a copy of the old configuration. The client then starts \`edgemaker mcp\`, which uses standard input and output.
\`edgemaker mcp --api-url https://… --token …\` connects it to a remote server. A server also offers MCP at \`/mcp\`
(Streamable HTTP), on Node and on Workers.

\`mcp install --trading --max-notional USDT=500\` lets the agent trade with your approval, up to this cap in each plan. With
\`--api-url\`, the settings of that server apply: set \`EDGEMAKER_MCP_TRADING\` there.

Give an agent a token that works only at \`/mcp\`: \`edgemaker token create --scope agent\`. A token with scope \`trade\` can also
place orders at \`POST /orders\`, without plans and without the limits of agents.

## What an agent can do
- **Read.** That is all, unless \`EDGEMAKER_MCP_TRADING=1\` is set on the server. Over HTTP its token also needs scope
  \`agent\`, \`trade\` or \`admin\`.
- **Trade in two steps.** A call without \`planId\` is a preview. It changes nothing, and returns the effect, the cost, the worst
  case, the limits and a \`planId\`. The same call with \`planId\` executes it. A plan works once, for five minutes, with the same
  token, tool and parameters. If the market has moved so that a start would place other orders, the server refuses it.
- **With your approval.** On live exchanges the second call waits until a person runs \`edgemaker plans approve <id>\` or
  \`edgemaker plans refuse <id>\`. \`edgemaker plans list\` shows waiting plans. With \`EDGEMAKER_MCP_CONFIRM=plan\` the agent
  confirms its own plans; with \`terminal\` a person approves plans on simulated exchanges too. A dry run needs no approval.
- **Only what it made.** An agent can stop, pause, resume and change the strategies that it started, change the agreements that it
  created, and cancel the orders that its token placed or that edgemaker did not place. It cannot give a strategy the name of a
  running one of another caller. \`EDGEMAKER_MCP_STRATEGIES=all\` allows all of this. A plan then names who started or made it. It also shows if a stop price is
  removed, lowered or no longer watched.
- **Within limits.** \`EDGEMAKER_MCP_MAX_NOTIONAL=USDT=500,EUR=400\` limits what one plan can buy and sell, including exits, before fees.
  \`EDGEMAKER_MCP_MAX_NOTIONAL_PER_DAY\` limits all plans of one token in one UTC day; the default is the limit of one plan. Other quote
  assets are then refused, and so are plans with unknown amounts. \`docs/limits.md\` shows what each action counts. The general
  limits apply too.
- The server refuses a commit that could buy or sell over 5 % more than its preview showed.
- A preview shows what would execute at once and at which price, from the order book.
- The first text of a response is JSON. The second text of a plan is a summary for the person who approves it.
- Text from exchanges is data. It has at most 500 characters, no control characters, and appears only in structured fields; in
  errors, in \`said\`.
- An error has the next step in \`next\`.

## Resources
${RESOURCES.map(({ uri, description }) => `- \`${uri}\`: ${description}`).join("\n")}
- \`edgemaker://guide/grid\`: ${GUIDE.split("\n")[0]?.replace("# ", "")}, how they work and how to choose one

## Prompts
${PROMPTS.map(({ name, description }) => `- \`${name}\`: ${description}`).join("\n")}

## Tools
Responses are the same as in the HTTP API, described in \`/openapi.json\`, with [the same forms of money](deploy.md#money-in-responses).

${tools.map(toolPart).join("\n")}`;
}
