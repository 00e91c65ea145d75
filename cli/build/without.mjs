// Our own sources without what only other programs need.
import { readFileSync } from "node:fs";

/** Of an operation, what a command line alone shows, and what documents alone tell: those are made when a worker is built. */
const UNNEEDED = new Set(["cli", "summary", "output"]);

/** For esbuild: operations without that, and fields without what documents tell of them. */
export const OF_OUR_OWN = {
  name: "of-our-own",
  setup({ onLoad }) {
    onLoad({ filter: /[\\/]src[\\/].+\.ts$/ }, async ({ path }) => {
      const text = readFileSync(path, "utf8");
      return /\b(?:operation|lazy)\(|\.describe\(/.test(text)
        ? { contents: cut(text, await unneededIn(path, text)), loader: "ts" }
        : undefined;
    });
  },
};

async function unneededIn(path, text) {
  const { parseSync, Visitor } = await import("vite");
  const found = [];
  const objects = new Map();
  const spread = new Set();
  const visitor = new Visitor({
    VariableDeclarator({ id, init }) {
      const made = init?.type === "TSAsExpression" ? init.expression : init;
      if (made?.type === "ObjectExpression") objects.set(id.name, made);
    },
    CallExpression({ callee, arguments: [given, ...others], start, end }) {
      // It makes nothing until it is asked: what nobody asks for is left out.
      if (callee.name === "lazy") found.push({ start, end: start, instead: "/* @__PURE__ */ " });
      if (callee.name === "operation" && given?.type === "ObjectExpression") {
        found.push(...unneededOf(given));
        for (const { argument } of given.properties) if (argument?.name) spread.add(argument.name);
      }
      // ccxt's `describe` takes nothing.
      if (callee.property?.name === "describe" && given && others.length === 0)
        found.push({ start: callee.object.end, end });
    },
  });
  visitor.visit(parseSync(path, text).program);
  return [...found, ...[...spread].flatMap((name) => unneededOf(objects.get(name)))];
}

const unneededOf = (object) => object?.properties.filter(({ key }) => UNNEEDED.has(key?.name)) ?? [];

/** From the last to the first; what lies within another part goes with it. A property takes its comma along. */
function cut(text, parts) {
  const outer = parts.filter(
    ({ start, end }) => !parts.some((other) => other.start < start && end <= other.end),
  );
  return outer
    .toSorted((a, b) => b.start - a.start)
    .reduce((rest, { start, end, type, instead = "" }) => {
      const after = rest.slice(end);
      return rest.slice(0, start) + instead + (type === "Property" ? after.replace(/^,/, "") : after);
    }, text);
}
