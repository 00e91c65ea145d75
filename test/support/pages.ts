import type { CommandDef } from "citty";
import { rootCommand } from "../../cli/commands/root.ts";
import { helpOf } from "../../cli/terminal/help.ts";
import { createOperations } from "../../src/operations.ts";
import { GUIDE } from "../../src/transport/mcp/guide.ts";
import { PROMPTS } from "../../src/transport/mcp/prompts.ts";
import { RESOURCES } from "../../src/transport/mcp/resources.ts";
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
  `Generated from ${what}; \`npm run docs\` writes it anew, and a test compares.`;

/** docs/cli.md */
export function cliPage(): string {
  const root = rootCommand(EXCHANGES);
  const parts = commandsOf(root).map(
    ([path, found]) => `## ${path}\n\n\`\`\`\n${helpOf(found, path.split(" "), 100)}\n\`\`\`\n`,
  );
  return `# Command line

${GENERATED("the commands themselves")}

- Exit codes: 0 done, 1 the operation failed, 2 the command line was wrong, 3 \`grid status\` found a grid that nothing steps.
- \`--json\` prints the answer alone on standard output, and a failure as JSON on standard error.
- A command asks the server of \`--api-url\` or \`EDGEMAKER_API_URL\`, else the running local server of its database, else
  it works on the database itself.
- A flag beats the environment, the environment beats \`edgemaker.json\` in the configuration directory.
- A variable that begins with \`EDGEMAKER_\` and is no setting ends every command with exit 2, naming the nearest one.
- Colours are for terminals; \`NO_COLOR=1\` turns them off. Tables that are wider than the terminal become lines.

\`\`\`
${helpOf(root, [], 100)}
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
  const where = openWorldHint ? "asks an exchange" : "from what is stored";
  const fields = ["| field | type | required | meaning |", "|---|---|---|---|", ...rows].join("\n");
  return `### ${tool.name}\n\n${tool.title}. ${kind}; ${where}.\n\n${rows.length > 0 ? fields : "No fields."}\n`;
}

/** docs/mcp.md */
export function mcpPage(): string {
  const tools = createOperations(EXCHANGES).filter(isTool).map(toolOf);
  return `# Agents: the MCP server

${GENERATED("the operations")}

\`\`\`sh
npx edgemaker mcp install --client claude-desktop --sandbox
\`\`\`

adds edgemaker to the configuration of \`claude-desktop\`, \`claude-code\`, \`cursor\`, \`windsurf\` or \`vscode\`, and keeps a
copy of what was there. The program then starts \`edgemaker mcp\`, which speaks the Model Context Protocol over standard
input and output. \`edgemaker mcp --api-url https://… --token …\` hands everything on to a server elsewhere. A server
itself speaks it at \`/mcp\` (Streamable HTTP), on Node and on Workers.

Give an agent a token that opens \`/mcp\` and nothing else: \`edgemaker token create --scope agent\`. With a token that may
\`trade\`, whoever holds it can also place orders at \`POST /orders\`, past every plan and every limit of agents.

## What an agent may do
- It reads, and nothing else, unless \`EDGEMAKER_MCP_TRADING=1\` is set where it is served; over HTTP its token also has
  to be of scope \`agent\`, \`trade\` or \`admin\`.
- Trading takes two steps. A call without \`planId\` changes nothing: it answers what would happen, what it costs, the worst
  case and the limits it touches, with a \`planId\`. The same call with that \`planId\` does it. A plan lives five minutes, is
  good once, and only for the token, the tool and the parameters that it was made for. A plan to start a grid is
  refused when the market or the account has moved so that other orders would be placed than it has shown.
- With \`EDGEMAKER_MCP_CONFIRM=terminal\` the second call waits until a person approves the plan: \`edgemaker plans list\`,
  \`edgemaker plans approve <id>\`, \`edgemaker plans refuse <id>\`.
- It stops, pauses, resumes and changes only strategies that it has started, and cancels no orders of others;
  \`EDGEMAKER_MCP_STRATEGIES=all\` allows all of them. The plan then names who has started the strategy, and which protection
  goes: a stop price that is removed, lowered or not watched.
- \`EDGEMAKER_MCP_MOST=USDT=500,EUR=400\` is the most that one plan can sell and buy, exits included, before fees.
  \`EDGEMAKER_MCP_MOST_A_DAY\` is the most for all plans of one token in a day of UTC; each of the two holds without the other,
  and without it a day has as much as one plan. Other quote assets are refused then, and so is a plan of which nobody knows
  what it can sell and buy. \`docs/limits.md\` shows what each action counts; the limits of everybody hold beside these.
- A commit is refused if it could sell or buy over 5 % more than its plan has shown.
- A preview says what is sold or bought at once and at which price, by the depth of the book as it is now.
- The first text of an answer is the answer itself, as JSON; a plan's second one says all that a person has to approve.
- Texts of exchanges are data: without control characters, at most 500 characters long, and only in structured fields; of an
  error in its field \`said\`.
- An error says what to do next, in its field \`next\`.

## Resources
${RESOURCES.map(({ uri, description }) => `- \`${uri}\`: ${description}`).join("\n")}
- \`edgemaker://guide/grid\`: ${GUIDE.split("\n")[0]?.replace("# ", "")}, how they work and how to choose one

## Prompts
${PROMPTS.map(({ name, description }) => `- \`${name}\`: ${description}`).join("\n")}

## Tools
Their answers are those of the HTTP API, described in \`/openapi.json\`.

${tools.map(toolPart).join("\n")}`;
}
