// Our own sources without what only other programs need.
import { readFileSync } from "node:fs";

/** For esbuild: operations without their commands, which a command line alone shows, and fields without what documents tell of them. */
export const OF_OUR_OWN = {
  name: "of-our-own",
  setup({ onLoad }) {
    onLoad({ filter: /[\\/]src[\\/].+\.ts$/ }, async ({ path }) => {
      const text = readFileSync(path, "utf8");
      return /\bcli: \{|\.describe\(/.test(text)
        ? { contents: cut(text, await unneededIn(path, text)), loader: "ts" }
        : undefined;
    });
  },
};

async function unneededIn(path, text) {
  const { parseSync, Visitor } = await import("vite");
  const found = [];
  const visitor = new Visitor({
    CallExpression({ callee, arguments: [given, ...others], end }) {
      if (callee.name === "operation" && given?.type === "ObjectExpression")
        found.push(...given.properties.filter(({ key }) => key?.name === "cli"));
      // ccxt's `describe` takes nothing.
      if (callee.property?.name === "describe" && given && others.length === 0)
        found.push({ start: callee.object.end, end });
    },
  });
  visitor.visit(parseSync(path, text).program);
  return found;
}

/** From the last to the first; what lies within another part goes with it. A property takes its comma along. */
function cut(text, parts) {
  const outer = parts.filter(
    ({ start, end }) => !parts.some((other) => other.start < start && end <= other.end),
  );
  return outer
    .toSorted((a, b) => b.start - a.start)
    .reduce((rest, { start, end, type }) => {
      const after = rest.slice(end);
      return rest.slice(0, start) + (type === "Property" ? after.replace(/^,/, "") : after);
    }, text);
}
