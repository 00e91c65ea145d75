import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { listOf, type Node, parse } from "../mutation/syntax.ts";
import { root } from "../support/bundle.ts";

const filesOf = (...patterns: readonly string[]): readonly string[] =>
  execFileSync("git", ["ls-files", "--cached", "--others", "--exclude-standard", "--", ...patterns], {
    cwd: root,
    encoding: "utf8",
  })
    .trim()
    .split("\n");

const read = (name: string): string => readFileSync(join(root, name), "utf8");

const SOURCES = filesOf("src/*.ts", "src/*.tsx", "cli/*.ts");

/** Retired words in texts that people read, and what to write instead. */
const DICTIONARY: readonly (readonly [retired: RegExp, write: string])[] = [
  [/\b(?:is|are|was|were|be|been|being) told\b/, "gets a message, is reported, is shown"],
  [/\b(?:tells?|told)\b/, "reports, shows, returns"],
  [/\b(?:is|are|was|were) asked(?: for)?\b/, "is requested, is called"],
  [/\banew\b/, "again, rebuilt"],
  [/\bby hand\b/, "manually"],
  [/\bheld against\b/, "checked against, compared with"],
  [/\b(?:what|orders?|that|all of them|none|nothing) rests?(?: on)?\b/, "open orders, stays open"],
  [/\bgo(?:es)? on resting\b/, "stay open"],
  [/\bnobody (?:knows|steps|tells|watches|asks?|asked|was|has|could)\b/, "unknown, no server"],
  [/\ball the same\b/, "anyway"],
  [/\bof its own accord\b|\bby itself alone\b/, "automatically"],
  [/\bon paper\b/, "paper trading"],
  [/\bin place of\b/, "instead of"],
  [/\b(?:un)?realised\b|\bbehaviours?\b|\bcolours?\b|\bneighbour\w*|\blicences?\b/, "American spelling"],
  [/\blaid out\b|\blaid anew\b/, "placed, rebuilt"],
  [/\bis let go\b|\bis taken from\b/, "is released, loses"],
  [/\bgreatest fall\b|\bdeepest fall\b/, "max drawdown"],
  [/\bas much as it may\b|\bmay withdraw\b/, "can"],
  [/\basked again\b/, "retries"],
];

/** Retired words in identifiers of src and cli, with the number that is left. Lower a number after a rename; never raise one. */
const LEFT: Readonly<Record<string, number>> = {
  told: 0,
  asked: 19,
  held: 1,
  seen: 1,
  sight: 0,
  world: 1,
  taken: 0,
  wanted: 0,
};

const TOKENS = /\/\*[\s\S]*?\*\/|\/\/[^\n]*|"(?:[^"\\\n]|\\.)*"|'(?:[^'\\\n]|\\.)*'|[A-Za-z_$][\w$]*/g;

describe("plain English", () => {
  it.each(filesOf("*.md").filter((name) => !name.startsWith("test/")))(
    "has no retired word in %s",
    (name) => {
      const lines = read(name).split("\n");
      const faults = lines.flatMap((line, at) =>
        retiredWords(line).map((fault) => `${name}:${at + 1} ${fault}`),
      );
      expect(faults).toEqual([]);
    },
  );

  it("has no retired word in messages, labels, help and descriptions", () => {
    const faults = SOURCES.flatMap((name) =>
      textsOf(name, read(name)).flatMap((text) =>
        retiredWords(text).map((fault) => `${name} ${fault}: ${text}`),
      ),
    );
    expect(faults).toEqual([]);
  });

  it.each([
    "The channel is told",
    "orders by hand",
    "what rests stays",
    "made anew",
    "prints the greatest fall",
  ])("finds the planted %j", (planted) => {
    expect(retiredWords(planted)).toHaveLength(1 + Number(planted.includes("is told")));
    expect(textsOf("planted.tsx", `say("${planted}"); const label = <p>${planted}</p>;`)).toEqual([
      planted,
      planted,
    ]);
  });

  it("leaves the words of the field alone", () => {
    expect(retiredWords("The server cancels all open orders and books their fills.")).toEqual([]);
  });

  it("finds a retired word in an identifier, but ignores strings and comments", () => {
    const found = countRetired('const plan_told = askedFor("told"); // told');
    expect(Object.fromEntries(found)).toEqual({ told: 1, asked: 1 });
  });

  it("adds no identifier with a retired word", () => {
    const counts = countRetired(SOURCES.map(read).join("\n"));
    const more = Object.keys(LEFT).filter((word) => (counts.get(word) ?? 0) > (LEFT[word] ?? 0));
    expect(more.map((word) => `${word}: ${counts.get(word)} of at most ${LEFT[word]}`)).toEqual([]);
  });
});

/** List the retired words of a text, each with its replacement. */
function retiredWords(text: string): readonly string[] {
  return DICTIONARY.flatMap(([retired, write]) => {
    const found = new RegExp(retired, "i").exec(text);
    return found ? [`"${found[0]}": write ${write}`] : [];
  });
}

/** Find the texts with a space in the string literals and the markup of a source file; `…` is an inserted value. */
function textsOf(path: string, source: string): readonly string[] {
  const textsIn = (node: Node): readonly string[] => {
    const own =
      node.type === "TemplateLiteral"
        ? listOf(node.quasis)
            .map(({ value }) => (value as { readonly raw: string }).raw)
            .join("…")
        : (node.type === "Literal" || node.type === "JSXText") && typeof node.value === "string"
          ? node.value
          : "";
    // Types count, too: a text that is one of several is written there.
    const parts = Object.values(node).flat() as readonly Node[];
    return [own, ...parts.filter((part) => typeof part?.type === "string").flatMap(textsIn)];
  };
  return textsIn(parse(path, source))
    .map((text) => text.trim())
    .filter((text) => text.includes(" "));
}

/** Count identifiers that contain a retired word, by word. */
function countRetired(source: string): Map<string, number> {
  const counts = new Map<string, number>();
  for (const [token] of source.matchAll(TOKENS)) {
    if (!/^[\w$]/.test(token)) continue;
    const parts = token
      .replace(/([a-z\d])([A-Z])/g, "$1_$2")
      .toLowerCase()
      .split("_");
    for (const part of new Set(parts)) if (part in LEFT) counts.set(part, (counts.get(part) ?? 0) + 1);
  }
  return counts;
}
