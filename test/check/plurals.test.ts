import { describe, expect, it } from "vitest";
import { countWithVerb, pluralize } from "../../src/kernel/plain-text.ts";
import { trackedSources } from "./sources.ts";

const NOUNS =
  "accounts|asks|bars|bids|buys|candles|cycles|days|events|exchanges|fills|grids|hours|levels|lines|minutes|orders|passes|requests|seconds|sells|servers|slots|sources|strategies|ticks|times|trades|windows";
/** A placeholder of a text or a page, and a noun that is plural whatever the number is. */
const COUNTED = new RegExp(
  String.raw`([^\s=]*) ?(?<!const |=)\$?\{([^{}]*)\} (?:(?:open|filled|sampled|more|whole) )?(?:${NOUNS})\b(?![.=])`,
  "g",
);
/** Numbers that are above 1 or not the number of the noun. */
const BEFORE = /^["'`(]*(of|than|least|most|first|last|latest|over|to|only)$/;
const ABOVE_ONE = /^([A-Z][A-Z_ /*\-+1]*|[A-Z]+\.days|.*gridLevels|.*\? "1 .*)$/;

const wrongIn = (text: string): string[] =>
  text
    .split("\n")
    .filter((line) => !/(=== 1|> 1|< 2 \* DAY) \?/.test(line))
    .flatMap((line) =>
      [...line.matchAll(COUNTED)]
        .filter(([, before = "", value = ""]) => !BEFORE.test(before) && !ABOVE_ONE.test(value))
        .map(([found]) => found.trim()),
    );

describe("a count with its noun", () => {
  it("is found if the noun is plural whatever the number is", () => {
    expect(wrongIn(`\`$\{count} orders are placed\``)).toHaveLength(1);
    expect(wrongIn("<p>{orders.length} open orders stay</p>")).toEqual(["<p>{orders.length} open orders"]);
    expect(wrongIn("<p>at most {count} orders, {MAX} orders, {pluralize(count, 'order')}</p>")).toEqual([]);
    expect(wrongIn("<p>{count === 1 ? one : `{count} orders are`}</p>")).toEqual([]);
  });

  it("has a regular plural, and a verb that agrees", () => {
    const words = ["order", "pass", "strategy", "day", "batch"];
    expect(words.map((word) => pluralize(2, word))).toEqual([
      "2 orders",
      "2 passes",
      "2 strategies",
      "2 days",
      "2 batches",
    ]);
    expect([1, 0, "1.5"].map((count) => countWithVerb(count, "order"))).toEqual([
      "1 order is",
      "0 orders are",
      "1.5 orders are",
    ]);
    expect([1, 2].map((count) => countWithVerb(count, "slot", "waits", "wait"))).toEqual([
      "1 slot waits",
      "2 slots wait",
    ]);
  });

  it("is singular for 1 in every text of the sources", () => {
    const wrong = [...trackedSources("src", "cli")].flatMap(([path, text]) =>
      wrongIn(text).map((found) => `${path}: ${found}`),
    );
    expect(wrong).toEqual([]);
  });
});
