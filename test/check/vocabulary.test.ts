import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { LIMIT_CODES } from "../../src/model/limits.ts";
import { STRATEGY_STATUSES } from "../../src/model/strategy.ts";
import { root } from "../support/bundle.ts";

const read = (name: string): string => readFileSync(join(root, name), "utf8");

/** The words of a union of texts, as its source has them. */
function wordsOf(file: string, name: string): string[] {
  const declared =
    new RegExp(`(?:type ${name} =|readonly ${name}:)(\\s[^;]*"[^;]*);`).exec(read(file))?.[1] ?? "";
  return [...declared.matchAll(/"([a-z_]+)"/g)].map(([, word]) => word as string);
}

const SOURCES: readonly (readonly [what: string, words: readonly string[]])[] = [
  ["reasons of a slot that rests nothing", wordsOf("src/model/strategy.ts", "RefusalReason")],
  ["limits", LIMIT_CODES],
  ["phases", wordsOf("src/model/strategy.ts", "Phase")],
  ["statuses", STRATEGY_STATUSES],
  ["ends", wordsOf("src/model/strategy.ts", "reason")],
  [
    "notices",
    [...wordsOf("src/model/strategy.ts", "code"), "stalled", "stop_price_unwatched", "stream_down", "killed"],
  ],
  [
    "notices of how things are",
    [
      ...wordsOf("src/grid/operations/status.ts", "code"),
      ...wordsOf("src/engine/operations/reads.ts", "code"),
    ],
  ],
  ["warnings of a plan", wordsOf("src/grid/ladder/check-rules.ts", "code")],
  ["events", wordsOf("src/model/events.ts", "EventKind")],
];

describe("docs/errors.md", () => {
  const page = read("docs/errors.md");
  it.each(SOURCES)("explains %s", (_what, words) => {
    expect(words.length).toBeGreaterThan(3);
    expect(words.filter((word) => !page.includes(`\`${word}\``))).toEqual([]);
  });
});

describe("the glossary", () => {
  const terms = [...read("GLOSSARY.md").matchAll(/\*\*([A-Za-z ]+)\*\*/g)].map(([, term]) => term as string);
  const sources = execFileSync("git", ["grep", "-hiwoE", terms.join("|"), "--", "src"], {
    cwd: root,
    encoding: "utf8",
  });
  const used = new Set(sources.toLowerCase().split("\n"));

  it("explains each word once", () => {
    expect(terms.length).toBeGreaterThan(30);
    expect(terms.filter((term, place) => terms.indexOf(term) !== place)).toEqual([]);
  });

  it("explains only words that the code uses", () => {
    expect(terms.filter((term) => !used.has(term.toLowerCase()))).toEqual([]);
  });
});
