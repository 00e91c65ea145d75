import { beforeAll, describe, expect, it } from "vitest";
import { digest } from "../../../src/kernel/digest.ts";
import { DAY, MINUTE } from "../../../src/kernel/time.ts";
import { checkBundle } from "../../../src/liquidity/operations/check-proof.ts";
import { createProofKey, importProofKey } from "../../../src/liquidity/store/proofs.ts";
import { NO_PREVIOUS, type ProofKey } from "../../../src/model/samples/promise.ts";

let key: ProofKey;
beforeAll(async () => {
  key = await importProofKey(await createProofKey());
});

const AT = Date.UTC(2026, 0, 1);
/** A minute with both sides and 22 columns; `offer` is the 23rd. */
const sample = (minute: number, { at = AT, ownSpread = "0.01", offer = "" } = {}) =>
  `${at + minute * MINUTE},1,0.01,${ownSpread},2,2,,,,,,,,,,,,,0,,0,${offer === "" ? "" : `,${offer}`}`;
const miss = (minute: number, at = AT) => `miss,${at + minute * MINUTE},exchange`;

interface GivenDay {
  readonly day: string;
  readonly lines: readonly string[];
  readonly previous?: string;
}

/** A bundle as docs/proof.md describes it, signed whatever it says. */
async function bundleOf(days: readonly GivenDay[], head: object = {}): Promise<string> {
  const format = "edgemaker-proof-1";
  const texts = [
    JSON.stringify({ format, exchange: "kraken", symbol: "BTC/USDT", publicKey: key.publicKey, ...head }),
  ];
  let last = NO_PREVIOUS;
  for (const { day, lines, previous = last } of days) {
    const hash = await digest([format, "kraken BTC/USDT", day, previous, ...lines].join("\n"));
    const signature = await key.sign(`${format} ${hash}`);
    texts.push(JSON.stringify({ day, previous, lines, hash, signature }));
    last = hash;
  }
  return `${texts.join("\n")}\n`;
}
const faultsOf = async (...lines: string[]) =>
  (await checkBundle(await bundleOf([{ day: "2026-01-01", lines }]))).faults;
const wrong = (line: string, day = "2026-01-01") => `${day} has a wrong line: ${line.slice(0, 40)}`;

describe("a bundle that is signed", () => {
  it("has the figures of its minutes, by the times of own orders where they are known", async () => {
    const text = await bundleOf([
      { day: "2026-01-01", lines: [sample(0), sample(1439, { ownSpread: "" }), miss(5)] },
      {
        day: "2026-01-03",
        lines: [
          sample(7, { at: AT + 2 * DAY, offer: "0.0125:2:30000;?:500" }),
          sample(8, { at: AT + 2 * DAY, offer: "0.0125:2:45000;0.02:1:15000" }),
        ],
      },
    ]);
    expect(await checkBundle(text, key.publicKey)).toEqual({
      valid: true,
      faults: [],
      exchange: "kraken",
      symbol: "BTC/USDT",
      publicKey: key.publicKey,
      // One whole minute, none, a half, and one.
      first: "2026-01-01",
      last: "2026-01-03",
      days: 2,
      known: 4,
      twoSided: 2.5,
      knownUntil: null,
    });
    expect((await checkBundle(text)).valid).toBe(true);
    expect(await checkBundle(text, "2".repeat(64))).toMatchObject({
      valid: false,
      known: 4,
      faults: [`the bundle is signed by ${key.publicKey}`],
    });
  });

  it.each<[string, readonly string[], readonly number[]]>([
    ["its first and last minute, and misses after them", [sample(0), sample(1439), miss(0), miss(1439)], []],
    ["a minute before the day", [sample(-1), sample(0)], [0]],
    ["a minute after it", [sample(1439), sample(1440)], [1]],
    ["a miss outside of it", [miss(-1), miss(3), miss(1440)], [0, 2]],
    ["a minute twice, and an earlier one", [sample(5), sample(5), sample(4)], [1, 2]],
    ["a miss twice, and an earlier one", [miss(5), miss(5), miss(4)], [1, 2]],
    ["a sample after a miss", [miss(5), sample(6)], [1]],
    ["a time between two minutes", [sample(0, { at: AT + 1 })], [0]],
    ["no time", [sample(0).replace(/^\d+/, "x"), "miss,x,exchange"], [0, 1]],
    ["a column less, and one more", [sample(0).slice(0, -1), `${sample(1)},,`], [0, 1]],
    ["a miss without a cause, and with two", [miss(1).slice(0, -9), `${miss(2)},ours`], [0, 1]],
    ["a whole minute of own orders", [sample(0, { offer: "0.01:2:30000;0.02:2:29500;?:500" })], []],
    ["more than a minute of own orders", [sample(0, { offer: "0.01:2:30000;0.02:2:29501;?:500" })], [0]],
    ["own orders in other words", [sample(0, { offer: "always" })], [0]],
    ["own orders with a semicolon after them", [sample(0, { offer: "0.01:2:30000;" })], [0]],
  ])("accepts or names %s", async (_what, lines, faulty) => {
    expect(await faultsOf(...lines)).toEqual(faulty.map((place) => wrong(lines[place] ?? "")));
  });

  it("does not count the time of own orders that is not valid", async () => {
    const lines = [sample(0, { offer: "0.01:2:60001" }), sample(1)];
    expect((await checkBundle(await bundleOf([{ day: "2026-01-01", lines }]))).twoSided).toBe(1);
  });

  it("names a day that does not follow the one before", async () => {
    const day = (day: string, previous?: string) => ({ day, lines: [], ...(previous ? { previous } : {}) });
    const faults = async (...days: GivenDay[]) => (await checkBundle(await bundleOf(days))).faults;
    expect(await faults(day("2026-01-02", "1".repeat(64)), day("2026-01-03"))).toEqual([]);
    const order = (a: string, b: string) => `${a} does not come after ${b}`;
    expect(await faults(day("2026-01-02"), day("2026-01-02"), day("2026-01-01"))).toEqual([
      order("2026-01-02", "2026-01-02"),
      order("2026-01-01", "2026-01-02"),
    ]);
    expect(await faults(day("2026-01-02"), day("2026-01-04", "1".repeat(64)))).toEqual([
      "2026-01-04 does not follow 2026-01-02: a day is missing or was changed",
    ]);
  });

  it("does not count the minutes of a day again under a day that does not exist", async () => {
    const lines = [sample(0, { at: Date.UTC(2026, 2, 3) })];
    const days = [
      { day: "2026-02-31", lines },
      { day: "2026-03-03", lines },
    ];
    const { valid, known, faults } = await checkBundle(await bundleOf(days));
    expect([valid, known, faults]).toEqual([false, 1, ["line 2 is not a day"]]);
  });

  it("names a day with another hash or a wrong signature", async () => {
    const text = await bundleOf([{ day: "2026-01-01", lines: [sample(0), sample(1)] }]);
    expect((await checkBundle(text.replace(",2,2,", ",3,2,"))).faults).toEqual([
      "2026-01-01 was changed: its minutes have another hash",
    ]);
    const signature = /"signature":"(.)/;
    const forged = text.replace(signature, (_, first) => `"signature":"${first === "0" ? "1" : "0"}`);
    expect((await checkBundle(forged)).faults).toEqual(["2026-01-01 has a wrong signature"]);
  });
});

describe("a text that is no bundle", () => {
  const NOTHING = {
    valid: false,
    exchange: null,
    symbol: null,
    publicKey: null,
    first: null,
    last: null,
    days: 0,
    known: 0,
    twoSided: 0,
    knownUntil: null,
    faults: ["the first line is not the head of a bundle"],
  };

  it("has no figures", async () => {
    for (const head of [
      { format: "edgemaker-proof-2" },
      { exchange: "" },
      { exchange: 7 },
      { symbol: "BTC USDT" },
      { publicKey: "1".repeat(63) },
      { more: 1 },
    ])
      expect(await checkBundle(await bundleOf([], head)), JSON.stringify(head)).toEqual(NOTHING);
    for (const text of ["", "\n", "null\n", "7\n", "{\n"]) expect(await checkBundle(text)).toEqual(NOTHING);
  });

  it("names each line that is not a day, a cut end, and no day at all", async () => {
    const day = { day: "2026-01-01", lines: [sample(0)] };
    const [head = "", line = ""] = (await bundleOf([day])).split("\n");
    const faults = async (...lines: string[]) => (await checkBundle([head, ...lines].join("\n"))).faults;
    expect(await faults("")).toEqual(["there is no day"]);
    expect(await faults(line)).toEqual(["the last line has no end", "there is no day"]);
    const changed = (change: (day: Record<string, unknown>) => object) =>
      JSON.stringify(change(JSON.parse(line) as Record<string, unknown>));
    const others = [
      "",
      "{}",
      "[]",
      `${line} `,
      changed((one) => ({ ...one, day: "2026-1-01" })),
      changed((one) => ({ ...one, day: "2026-02-31" })),
      changed((one) => ({ ...one, lines: "none" })),
      changed((one) => ({ ...one, lines: [7] })),
      changed((one) => ({ ...one, lines: ["a\nb"] })),
      changed((one) => ({ ...one, previous: "" })),
      changed((one) => ({ ...one, hash: "x".repeat(64) })),
      changed((one) => ({ ...one, signature: "1".repeat(64) })),
      changed(({ lines, ...one }) => ({ ...one, lines })),
    ];
    expect(await faults(...others, line, "")).toEqual(
      others.map((_, place) => `line ${place + 2} is not a day`),
    );
  });
});
