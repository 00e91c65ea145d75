// Our own sources without what only another program needs.
import { readFileSync } from "node:fs";

/** For esbuild: operations without their commands, whose words, views and examples only a command line shows. */
export const WITHOUT_COMMANDS = {
  name: "without-commands",
  setup({ onLoad }) {
    onLoad({ filter: /[\\/]src[\\/].+\.ts$/ }, async ({ path }) => {
      const text = readFileSync(path, "utf8");
      return text.includes("cli: {")
        ? { contents: cut(text, await commandsIn(path, text)), loader: "ts" }
        : undefined;
    });
  },
};

/** Where an operation's literal says what its command is. */
async function commandsIn(path, text) {
  const { parseSync, Visitor } = await import("vite");
  const found = [];
  const visitor = new Visitor({
    CallExpression({ callee, arguments: [given] }) {
      if (callee.name !== "operation" || given?.type !== "ObjectExpression") return;
      found.push(...given.properties.filter(({ key }) => key?.name === "cli"));
    },
  });
  visitor.visit(parseSync(path, text).program);
  return found;
}

/** Each part is followed by a comma: all of them are literals of several lines. */
const cut = (text, parts) =>
  parts
    .toSorted((a, b) => b.start - a.start)
    .reduce((rest, { start, end }) => rest.slice(0, start) + rest.slice(end).replace(/^,/, ""), text);
