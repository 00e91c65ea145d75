import { describe, expect, it } from "vitest";
import { firstGroups, groupText, needGroups, needsOfRows } from "../../src/web/needs.ts";
import type { StrategyRow } from "../../src/web/types.ts";

const row = (id: string, ...codes: string[]): StrategyRow =>
  ({
    id,
    status: "running",
    lastError: null,
    notices: codes.map((code) => ({ code, message: `${code} of kraken` })),
  }) as unknown as StrategyRow;

const shown = (...rows: StrategyRow[]) =>
  needsOfRows(rows).map(({ code, rows: mine }) => [code, mine.map(({ id }) => id)]);

describe("what needs the user", () => {
  it("names once what several strategies have in common", () => {
    expect(shown(row("a", "stalled"), row("b", "stalled"), row("c", "limit"))).toEqual([
      ["stalled", ["a", "b"]],
      ["limit", ["c"]],
    ]);
  });

  it("lists first what costs money soonest", () => {
    const codes = ["paused", "limit", "out_of_range", "stalled", "stop_price_unwatched"];
    const failed = { ...row("f"), lastError: "refused" };
    expect(shown(row("a", ...codes), failed).map(([code]) => code)).toEqual([
      "stalled",
      "stop_price_unwatched",
      "error",
      "limit",
      "out_of_range",
      "paused",
    ]);
  });

  it("leaves out what ends by itself, and the kill switch, which has its own entry", () => {
    expect(shown(row("a", "market_closed", "stream_down", "exchange_unavailable", "killed"))).toEqual([]);
  });

  it("keeps the key of an entry whose message changes, so its button keeps the focus", () => {
    const since = (text: string) => ({ ...row("a"), notices: [{ code: "stalled", message: `for ${text}` }] });
    const [before, after] = ["62 s", "2 min"].map((text) => needsOfRows([since(text)])[0]);
    expect(before?.key).toBe(after?.key);
    expect(before?.message).not.toBe(after?.message);
  });

  it("names the reason of an error instead of the error", () => {
    const refused = { ...row("a", "key_refused"), lastError: "401" };
    expect(shown(refused).map(([code]) => code)).toEqual(["key_refused"]);
  });

  it("groups three or more that need the same, and says in one line what", () => {
    const grid = (id: string, code: string) => ({
      ...row(id),
      definition: "grid",
      notices: [{ code, message: `${id}: ${code}` }],
    });
    const rows = ["a", "b", "c"].map((id) => grid(id, "out_of_range"));
    const groups = needGroups(needsOfRows([grid("d", "paused"), ...rows, grid("e", "paused")]));
    expect(groups.map((group) => group.length)).toEqual([3, 1, 1]);
    expect(groupText(groups[0] ?? [])).toBe("3 grids are outside their range");
    const own = { ...rows[0], id: "f", definition: "two-sided" } as StrategyRow;
    expect(groupText(needsOfRows([own, grid("g", "out_of_range")]))).toBe(
      "2 strategies are outside their range",
    );
    const other = needGroups(needsOfRows(["l", "m", "n"].map((id) => grid(id, "collar"))));
    expect(other.map((group) => group.length)).toEqual([1, 1, 1]);
    // What costs money soon is never folded, and never left out.
    const urgent = needGroups(needsOfRows(["h", "i", "j", "k"].map((id) => grid(id, "stop_price_held_up"))));
    expect(urgent.map((group) => group.length)).toEqual([1, 1, 1, 1]);
    expect(firstGroups([...urgent, ...groups])).toEqual(urgent);
  });
});
