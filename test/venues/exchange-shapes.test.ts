import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";
import { type ExchangeShapes, readShape, shapeDifferences } from "../../cli/actions/exchange-shapes.ts";
import { MINUTE } from "../../src/kernel/time.ts";
import { VENUES, type VenueName } from "../../src/model/market.ts";
import { root } from "../support/bundle.ts";
import { edgemaker } from "../support/command.ts";
import { emulatedExchanges } from "../support/emulated.ts";
import { answering } from "../support/live.ts";
import { tempFolder } from "../support/temp.ts";
import { QUIRKS } from "./adapter.ts";
import { startVenue } from "./index.ts";

const NAMES = Object.keys(VENUES) as VenueName[];
const STORED = "cli/actions/exchange-shapes.json";
const stored = () => JSON.parse(readFileSync(join(root, STORED), "utf8")) as ExchangeShapes;

/** Every public call of the adapter about one pair, with the shape of its response. */
async function publicCalls(name: VenueName) {
  const calls: Record<string, { checked: string; source: string; fields: unknown }> = {};
  const setup = await emulatedExchanges({
    names: [name],
    async fetch(url, init) {
      const response = await fetch(url, init);
      const { pathname, search } = new URL(url);
      const [, checked = "", source = ""] =
        /^(\S+) (.+)$/.exec(response.headers.get("x-shape-checked") ?? "") ?? [];
      calls[pathname + search] = { checked, source, fields: readShape(await response.clone().json()) };
      return response;
    },
  });
  try {
    const { forAnyone } = setup.deps.venue(name);
    if (!forAnyone) throw new Error(`${name} has no public data`);
    const symbol = "BTC/USDT";
    await forAnyone.market(symbol);
    await forAnyone.ticker(symbol);
    await forAnyone.book(symbol, 10);
    await forAnyone.trades(symbol, 10);
    await forAnyone.candles(symbol, { span: MINUTE, limit: 10 });
  } finally {
    await setup.close();
  }
  return { host: QUIRKS[name].host, calls };
}

/** `npx vitest run test/venues/exchange-shapes.test.ts -u` stores them. */
it("has the shapes of the emulated exchanges' public responses, each with a date and a source", async () => {
  const shapes: Record<string, unknown> = {};
  for (const name of NAMES) shapes[name] = await publicCalls(name);
  await expect(`${JSON.stringify(shapes, null, 2)}\n`).toMatchFileSnapshot(join(root, STORED));
  for (const { calls } of Object.values(stored())) {
    expect(Object.keys(calls).length).toBeGreaterThanOrEqual(5);
    for (const { checked, source } of Object.values(calls)) {
      expect(checked).toMatch(/^2026-\d\d-\d\d$/);
      expect(source).not.toBe("");
    }
  }
});

it("docs/exchanges.md shows when the responses of each exchange were last checked", () => {
  const page = readFileSync(join(root, "docs/exchanges.md"), "utf8");
  const dates = NAMES.map((name) =>
    Object.values(stored()[name].calls)
      .map(({ checked }) => checked)
      .sort()
      .at(-1),
  );
  expect(page).toContain(`| responses last checked on | ${dates.join(" | ")} |`);
});

describe("a shape", () => {
  it("has the types of each field, whatever markets and list items are called", () => {
    const body = {
      error: [],
      result: { XXBTZUSD: { a: ["1", 2], b: null }, ADAUSD: { a: [], b: true }, last: "1" },
    };
    expect(readShape(body)).toEqual({
      "": "object",
      error: "list",
      result: "object",
      "result.*": "object",
      "result.*.a": "list",
      "result.*.a[]": "number|text",
      "result.*.b": "boolean|null",
      "result.last": "text",
    });
  });

  it("takes any name for a market where a known response has markets", () => {
    const known = readShape({ result: { XBTUSD: { a: "1" }, last: "1" } });
    expect(readShape({ result: { aaplx: { a: "2" }, last: "3" } }, known)).toEqual(known);
  });

  it.each([
    ["the same", { a: "1", b: [{ c: 1 }] }, []],
    ["a new field, without the fields in it", { a: "1", b: [{ c: 1 }], d: { e: [1] } }, ["new: d"]],
    ["a missing field", { b: [{ c: 1 }] }, ["gone: a"]],
    ["another type", { a: 1, b: [{ c: 1 }] }, ["changed: a (number, was text)"]],
    ["an empty list, which shows no field", { a: "1", b: [] }, []],
    ["all at once", { a: null, b: [{ d: 1 }] }, ["new: b[].d", "gone: b[].c", "changed: a (null, was text)"]],
    ["no object", [], ["changed: the response (list, was object)"]],
  ])("differs by what is new, gone or changed: %s", (_name, live, expected) => {
    expect(shapeDifferences(readShape({ a: "1", b: [{ c: 1 }] }), readShape(live))).toEqual(expected);
  });
});

describe("`doctor --exchanges`", () => {
  const run = (urls: Record<string, string>, ...flags: string[]) =>
    edgemaker(tempFolder(), ["doctor", "--exchanges", ...flags], {
      EDGEMAKER_EXCHANGES: Object.keys(urls).join(","),
      EDGEMAKER_VENUE_URLS: Object.entries(urls)
        .map(([name, url]) => `${name}=${url}`)
        .join(","),
    });

  it("finds no difference in the emulated exchanges", async () => {
    const venues = await Promise.all(NAMES.map((name) => startVenue(name)));
    onTestFinished(async () => void (await Promise.all(venues.map((venue) => venue.close()))));
    const urls = Object.fromEntries(venues.map(({ url }, index) => [NAMES[index], url]));
    const { code, stdout, stderr } = await run(urls, "--json");
    const { checks } = JSON.parse(stdout) as { checks: { finding: string }[] };
    expect(checks.filter(({ finding }) => finding !== "ok")).toEqual([]);
    expect(checks.length).toBe(NAMES.flatMap((name) => Object.keys(stored()[name].calls)).length);
    expect([code, stderr]).toEqual([0, ""]);
  });

  it("names each new, missing and changed field, with exit code 1", async () => {
    const venue = await startVenue("kraken");
    onTestFinished(() => venue.close());
    const changed = await answering(async ({ path }) => {
      const text = await (await fetch(venue.url + path)).text();
      const body = text
        .replaceAll('"fees_maker":[]', '"fees_maker":[[0,0.25]],"venue":"eu"')
        .replaceAll('"costmin":"0.5",', "")
        .replaceAll('"lot_multiplier":1', '"lot_multiplier":"1"');
      return { body };
    });
    const { code, stdout } = await run({ kraken: changed.url }, "--json");
    expect(JSON.parse(stdout).checks).toContainEqual({
      check: "kraken /0/public/AssetPairs",
      finding: "bad",
      detail:
        "new: result.*.fees_maker[], result.*.venue; gone: result.*.costmin; changed: result.*.lot_multiplier (text, was number) (checked on 2026-11-28)",
    });
    expect(code).toBe(1);
  });

  it.each([
    ["without a network", { status: 0, body: "" }, /not compared, because \S+ could not be read: .+/],
    [
      "after a refusal",
      { status: 503, body: "{}" },
      /not compared, because \S+ could not be read: its status is 503/,
    ],
    ["after HTML", { status: 200, body: "<html>" }, /not compared, because \S+ could not be read: .+/],
  ])("compares nothing %s, and has exit code 3", async (_name, reply, expected) => {
    const server = await answering(() => reply);
    // Nothing listens on port 1.
    const { code, stdout } = await run({ kraken: reply.status === 0 ? "http://127.0.0.1:1" : server.url });
    expect(stdout.replace(/\s+/g, " ")).toMatch(expected);
    expect(code).toBe(3);
  });
});
