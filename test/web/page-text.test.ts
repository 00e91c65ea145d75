import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import type * as z from "zod";
import { LIMIT_FORMS } from "../../src/limits/texts.ts";
import { createOperations } from "../../src/operations.ts";
import { pageText } from "../../src/web/page-text.ts";
import { trackedSources } from "../check/sources.ts";
import { listOf, type Node, nodeOf, parse, partsOf } from "../mutation/syntax.ts";
import { root } from "../support/bundle.ts";
import { EXCHANGES } from "../support/sandbox.ts";

describe("a message on the page", () => {
  it.each([
    [
      "earns nothing until the price returns; `edgemaker grid edit grid-1 --lower … --upper …` moves it",
      "earns nothing until the price returns; “Edit” moves it",
    ],
    ["nothing new is placed until `edgemaker grid resume grid-1`", "nothing new is placed until “Resume”"],
    [
      "defend moves a side by 2 ticks, which is within the tolerance; use more ticks",
      "“If a side is picked off” moves a side by 2 ticks, which is within the tolerance; use more ticks",
    ],
    ["to exit now, run edgemaker grid stop <id> --sell-base", "to exit now, run “Stop and sell”"],
    ["Run `edgemaker exchange test kraken`", "Run “Test” on the page Access"],
    ["start `edgemaker serve`, or check the log", "start `edgemaker serve`, or check the log"],
  ])("names the action of the page instead of a command: %s", (message, shown) => {
    expect(pageText(message)).toBe(shown);
    expect(JSON.parse(pageText(JSON.stringify({ message, id: 1 })))).toEqual({ message: shown, id: 1 });
  });

  it.each(["src/grid/operations/status.ts", "src/grid/plan/notices.ts", "src/engine/pass/pass.ts"])(
    "names no command of a notice in %s",
    (file) => {
      const commands =
        readFileSync(join(root, file), "utf8")
          .replace(/examples: \[[^\]]*\]/g, "")
          .match(/edgemaker (grid|quote|exchange|kill|limits|notify) [^`\\;]+/g) ?? [];
      expect(commands.length).toBeGreaterThan(0);
      expect(commands.map(pageText).filter((text) => text.includes("edgemaker"))).toEqual([]);
    },
  );
});

/** Names of the input fields of the API, also within a config, that are no plain words. */
const FIELDS = [
  ...new Set(
    createOperations(EXCHANGES)
      .flatMap(({ input, forms = [] }) => [input, ...forms.map((form) => form.config())])
      .flatMap((schema: z.ZodObject) => Object.keys(schema.shape))
      .filter((name) => /[A-Z]/.test(name)),
  ),
];
const FLAG = /--[a-z]+(-[a-z]+)*/g;
const kebab = (name: string) => `--${name.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)}`;

/** Fields and flags that a text names, outside of a command of the terminal. */
function namesIn(text: string): readonly string[] {
  const prose = text.replace(/`[^`]*`/g, "");
  const words = prose.match(/(?<![\w.])[a-z]+[A-Z]\w*/g) ?? [];
  return [...words.filter((word) => FIELDS.includes(word)), ...(prose.match(FLAG) ?? [])];
}

/** Texts of a program with spaces, with … for what a template fills in; without descriptions of fields and examples. */
function textsOf(node: Node): readonly string[] {
  const callee = node.type === "CallExpression" ? nodeOf(node.callee) : undefined;
  if (callee && nodeOf(callee.property)?.name === "describe") return textsOf(callee);
  if (node.type === "Property" && /^(examples?|summary)$/.test(String(nodeOf(node.key)?.name))) return [];
  const inner = partsOf(node).flatMap(textsOf);
  const text =
    node.type === "TemplateLiteral"
      ? listOf(node.quasis)
          .map(({ value }) => (value as { readonly cooked: string }).cooked)
          .join("…")
      : String(node.type === "Literal" || node.type === "JSXText" ? node.value : "");
  return [...inner, ...(text.includes(" ") ? [text] : [])];
}

/** Files whose texts the page does not show, and why. */
const ELSEWHERE = [
  /^src\/transport\/mcp\//, // for agents
  /^src\/grid\/operations\/guide\.ts/, // for agents
  /^src\/compose\/config\.ts/, // settings of a process
  /^src\/candles\//, // files, which a terminal reads
  /^src\/storage\/client\/safe-client\.ts/, // the database of a process
  /^src\/adapters\/libsql\/sandbox-books\.ts/, // flags of a sandbox
  /\/(answer-)?view\.ts$/, // views of a terminal
  /^src\/liquidity\/operations\/proof\.ts/, // proofs, which the page does not have
  /^src\/web\/page-text\.ts/, // the replacements
];
const isStyle = (text: string): boolean => /\{[^}]*:[^}]*\}/.test(text) && text.includes("var(--");
/** A command that stands alone, or the end of one. */
const isCommand = (text: string): boolean => /^( --|--scope |edgemaker |liquidity report )/.test(text);

describe("a field of the API in a message on the page", () => {
  it.each(FIELDS)("has the words of the page: %s", (name) => {
    for (const written of [name, kebab(name)]) {
      const shown = pageText(`set ${written}; ${written} must be a number`);
      expect(shown).toMatch(/^set “[A-Z][^”]*”; “[A-Z][^”]*” must be a number$/);
      expect(namesIn(shown)).toEqual([]);
    }
  });

  it("stays where it is a name of JSON", () => {
    const answer = {
      orderSize: "100",
      changes: [{ field: "orderSize", message: "orderSize must be a number" }],
    };
    expect(JSON.parse(pageText(JSON.stringify(answer)))).toEqual({
      orderSize: "100",
      changes: [{ field: "orderSize", message: "“Per order” must be a number" }],
    });
  });

  it("has a limit's title", () => {
    for (const [name, { title }] of Object.entries(LIMIT_FORMS).filter(([one]) => FIELDS.includes(one)))
      expect(pageText(`the limit ${name} of this token`)).toBe(`the limit “${title}” of this token`);
  });

  it.each([
    ["deposit it, or set initialBuy to buy it", "deposit it, or choose “Buy missing base at once” to buy it"],
    [
      "base that you already own are used; set useOwnBase=false to prevent that",
      "base that you already own are used; clear “Sell base already in the account” to prevent that",
    ],
    ["use fewer levels, or set allowLoss", "use fewer levels"],
    ["the plan of this planHash is out of date", "this plan is out of date"],
    ["symbols lacks BTC/USDT, so it places", "“Allowed pairs” lacks BTC/USDT, so it places"],
    [
      "stay in the grid until you stop it with sellBase",
      "stay in the grid until you stop it with “Stop and sell”",
    ],
    [
      "run `edgemaker serve --tick-interval 5`, or --fixed-price",
      "run `edgemaker serve --tick-interval 5`, or “Fixed price”",
    ],
  ])("is part of a sentence: %s", (message, shown) => {
    expect(pageText(message)).toBe(shown);
  });

  it("is in no message of the server and in no label of the page", () => {
    const sources = [...trackedSources("src")].filter(([path]) => !ELSEWHERE.some((one) => one.test(path)));
    const texts = sources.flatMap(([path, source]) =>
      textsOf(parse(path, source))
        .filter((text) => !isStyle(text) && !isCommand(text))
        .map((text) => ({ path, text, isOfPage: path.startsWith("src/web/") })),
    );
    const naming = texts.filter(({ text }) => namesIn(text).length > 0);
    expect(naming.length).toBeGreaterThan(20);
    const shown = naming.map((one) => ({ ...one, text: one.isOfPage ? one.text : pageText(one.text) }));
    expect(shown.filter(({ text }) => namesIn(text).length > 0)).toEqual([]);
  });
});
