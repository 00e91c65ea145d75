import { spawnSync } from "node:child_process";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { offerUpdate } from "../../src/adapters/libsql/pass-store.ts";
import { digest } from "../../src/kernel/digest.ts";
import { DAY, MINUTE } from "../../src/kernel/time.ts";
import type { LiquidityReport } from "../../src/liquidity/agreement-page.tsx";
import { checkBundle, readStatusContent } from "../../src/liquidity/operations/check-proof.ts";
import { bundleLines, signDays } from "../../src/liquidity/operations/proof.ts";
import { sampleLiquidity } from "../../src/liquidity/operations/sample.ts";
import { liquidityPage } from "../../src/liquidity/page.tsx";
import { type BundleDay, dayText, signedText } from "../../src/liquidity/proof.ts";
import { statusPage } from "../../src/liquidity/status-page.tsx";
import {
  createProofKey,
  createProofKeys,
  createProofStore,
  importProofKey,
} from "../../src/liquidity/store/proofs.ts";
import { createLiquidityStore, type LiquidityDeps } from "../../src/liquidity/store/store.ts";
import { MINUTES_PER_DAY, type OfferedMinute } from "../../src/model/samples/sample.ts";
import { importKek } from "../../src/storage/client/envelope.ts";
import { d } from "../support/grid.ts";
import { liquidityMinute, soleMarket } from "../support/liquidity-minute.ts";
import { askingOf, START, testSandbox } from "../support/sandbox.ts";
import { tempFolder } from "../support/temp.ts";

const PAIR = { exchange: "kraken", symbol: "BTC/USDT" } as const;
const FIRST = START / DAY;
const KEK = new Uint8Array(32).fill(7);
const verifier = join(import.meta.dirname, "../../examples/verify/verify.py");
const hasPython = spawnSync("python3", ["--version"]).status === 0;

/** Half of the seventh minute of a day. */
const offered = (day: number): OfferedMinute => ({
  symbol: PAIR.symbol,
  minute: (FIRST + day) * MINUTES_PER_DAY + 6,
  offer: { parts: [{ spread: d("0.0125"), levels: 2, millis: 30_000 }], uncertain: 500 },
});

/** Days of a few minutes each, with one missed minute, signed. */
async function signedBox(days = 3) {
  const sandbox = await testSandbox();
  const { context, time } = sandbox;
  const keks = [await importKek(KEK)];
  const store = createLiquidityStore(context);
  const proofs = { ...createProofStore(context), ...createProofKeys(context, async () => keks) };
  const keep = (day: number, minute: number, ownSpread: string | null = "0.01") =>
    store.keep(
      PAIR,
      liquidityMinute({
        minute: (FIRST + day) * MINUTES_PER_DAY + minute,
        ownSpread: ownSpread === null ? null : d(ownSpread),
      }),
    );
  for (let day = 0; day < days; day++) {
    await keep(day, 5);
    await keep(day, 6, "0.0125");
    await keep(day, 7, null);
    await store.keepMiss(PAIR, { minute: (FIRST + day) * MINUTES_PER_DAY + 8, cause: "exchange" });
    // The first day is as an earlier version signed it: without the times of own orders.
    if (day > 0) await context.client.execute(offerUpdate(context, PAIR.exchange, offered(day)));
  }
  time.pass(days * DAY + 15 * MINUTE);
  await proofs.createKey();
  const key = await proofs.key();
  if (!key) throw new Error("no key was made");
  const deps: LiquidityDeps = { ...sandbox.deps, liquidity: { store, pairs: [PAIR], proofs } };
  const sign = async () => signDays({ store, proofs }, PAIR, { key, now: await sandbox.deps.store.now() });
  const bundle = async (span = { from: 0, to: FIRST + days }) => {
    let text = "";
    for await (const line of bundleLines({ store, proofs }, PAIR, span)) text += `${line}\n`;
    return text;
  };
  return { ...sandbox, store, proofs, key, deps, sign, bundle, keep };
}

const byPython = (text: string, ...more: string[]) => {
  const file = join(tempFolder(), "bundle.jsonl");
  writeFileSync(file, text);
  const { status, stdout, stderr } = spawnSync("python3", [verifier, file, ...more], { encoding: "utf8" });
  return { status, text: stdout + stderr };
};

describe("signed days", () => {
  it("are signed once, in order, and only after they end", async () => {
    const { sign, proofs, time } = await signedBox();
    expect([await sign(), await sign()]).toEqual([3, 0]);
    const days = await proofs.days(PAIR, 0, FIRST + 9);
    expect(days.map(({ day }) => day - FIRST)).toEqual([0, 1, 2]);
    expect(days.slice(1).map(({ previous }) => previous)).toEqual(days.slice(0, 2).map(({ hash }) => hash));
    time.pass(DAY);
    expect(await sign()).toBe(0);
  });

  it("are signed once by two processes at the same time", async () => {
    const { sign, proofs } = await signedBox();
    await Promise.all([sign(), sign()]);
    await sign();
    expect(await proofs.days(PAIR, 0, FIRST + 9)).toHaveLength(3);
  });

  it("accept no later sample and cannot be changed or deleted", async () => {
    const { sign, bundle, keep, store, context } = await signedBox();
    await sign();
    const before = await bundle();
    await keep(1, 600);
    await store.keepMiss(PAIR, { minute: (FIRST + 1) * MINUTES_PER_DAY + 601, cause: "ours" });
    expect(await bundle()).toBe(before);
    for (const statement of ["update liquidity_proofs set hash = ''", "delete from liquidity_proofs"])
      await expect(context.client.execute(statement)).rejects.toThrow(/a signed day/);
  });

  it("keep the time on both sides that they were signed with", async () => {
    const { sign, bundle, context } = await signedBox();
    await sign();
    const before = await bundle();
    const late = { ...offered(0), minute: FIRST * MINUTES_PER_DAY + 5 };
    await context.client.execute(offerUpdate(context, PAIR.exchange, late));
    expect(await bundle()).toBe(before);
  });

  it("are not signed if the time on both sides arrives meanwhile", async () => {
    const { proofs, store, key, context } = await signedBox();
    const minutes: typeof store.minutes = async (...span) => {
      const rows = await store.minutes(...span);
      const late = { ...offered(0), minute: FIRST * MINUTES_PER_DAY + 5 };
      await context.client.execute(offerUpdate(context, PAIR.exchange, late));
      return rows;
    };
    const now = START + 4 * DAY;
    expect(await signDays({ store: { ...store, minutes }, proofs }, PAIR, { key, now })).toBe(0);
    expect(await signDays({ store, proofs }, PAIR, { key, now })).toBe(3);
  });

  it("are valid after the maker deleted one, edited its minutes and signed it again; an earlier hash shows it", async () => {
    const { sign, bundle, context, key, proofs } = await signedBox();
    await sign();
    const days = await proofs.days(PAIR, 0, FIRST + 9);
    const [first = "", second = "", third = ""] = days.map(({ hash }) => hash);
    const { client } = context;
    await client.execute("drop trigger liquidity_proofs_delete");
    await client.execute(`delete from liquidity_proofs where day > ${FIRST}`);
    await client.execute(
      `update liquidity_minutes set own_bids = 9 where minute = ${(FIRST + 1) * MINUTES_PER_DAY + 5}`,
    );
    expect(await sign()).toBe(2);
    const text = await bundle();
    const check = async (hash?: string, of = text) => {
      const verdict = await checkBundle(of, key.publicKey, hash);
      if (hasPython)
        expect(byPython(of, key.publicKey, ...(hash === undefined ? [] : [hash])).status).toBe(
          verdict.valid ? 0 : 1,
        );
      return [verdict.valid, verdict.knownUntil];
    };
    expect(await check()).toEqual([true, null]);
    expect(await check(first)).toEqual([true, "2026-01-01"]);
    expect(await check(second)).toEqual([false, null]);
    expect(await check(third)).toEqual([false, null]);
    const later = await bundle({ from: FIRST + 1, to: FIRST + 3 });
    expect(await check(first, later)).toEqual([true, null]);
    expect(await check(third, later)).toEqual([false, null]);
    expect((await checkBundle(text, key.publicKey, third)).faults).toEqual([
      `no day has the hash ${third}, or follows it: signed days were changed or left out`,
    ]);
  });

  it("have their hash in the report, on its page and on the status page", async () => {
    const { sign, deps, proofs } = await signedBox();
    await sign();
    const hashes = (await proofs.days(PAIR, 0, FIRST + 9)).map(({ hash }) => hash);
    const request = { ...PAIR, from: "2026-01-01", to: "2026-01-04" };
    const report = await askingOf(deps)
      .ask<LiquidityReport>("get_liquidity_report", request)
      .then(soleMarket);
    expect(report.days.map(({ signedHash }) => signedHash)).toEqual([...hashes, null]);
    const pages = [
      liquidityPage(report),
      statusPage(await readStatusContent(deps, { maker: null, hasAmounts: false })),
    ];
    for (const page of pages) for (const hash of hashes) expect(page).toContain(`<code>${hash}</code>`);
  });

  it("are not published if their minutes were changed", async () => {
    const { sign, bundle, context } = await signedBox();
    await sign();
    await context.client.execute("update liquidity_minutes set own_bids = 9 where minute % 1440 = 5");
    await expect(bundle()).rejects.toThrow(/2026-01-01 differ from the signed ones/);
  });

  it("are not published once their minutes are deleted, and the error names a later day as the way out", async () => {
    const { sign, bundle, context } = await signedBox();
    await sign();
    for (const table of ["liquidity_minutes", "liquidity_misses"])
      await context.client.execute(`delete from ${table} where minute / 1440 = ${FIRST}`);
    await expect(bundle()).rejects.toThrow(
      "the minutes of 2026-01-01 are no longer in the database: they are older than thirteen months, or archived; choose a later first day with --from",
    );
  });

  it("are signed by the server after midnight if it has a key", async () => {
    const { deps, proofs } = await signedBox();
    await sampleLiquidity(deps);
    expect(await proofs.days(PAIR, 0, FIRST + 9)).toHaveLength(3);
  });

  it("stay valid after the operator's key changes", async () => {
    const { context, key } = await signedBox();
    const [old, next] = [await importKek(KEK), await importKek(new Uint8Array(32).fill(8))];
    expect(await createProofKeys(context, async () => [next, old]).rotateKey()).toBe(1);
    const rotated = createProofKeys(context, async () => [next]);
    expect((await rotated.key())?.publicKey).toBe(key.publicKey);
    await rotated.createKey();
    expect((await rotated.key())?.publicKey).toBe(key.publicKey);
    expect(await context.client.execute("select private_key from proof_keys")).not.toMatchObject({
      rows: [{ private_key: expect.stringMatching(/^302e/) }],
    });
  });
});

type Edit = (days: BundleDay[], lines: string[]) => string[] | Promise<string[]>;
const json = (day: BundleDay) => JSON.stringify(day);
const onDay =
  (change: (day: BundleDay) => BundleDay | Promise<BundleDay>): Edit =>
  async (days, lines) => [
    lines[0] as string,
    json(days[0] as BundleDay),
    json(await change(days[1] as BundleDay)),
    json(days[2] as BundleDay),
  ];
const onLines = (change: (lines: readonly string[]) => readonly string[]): Edit =>
  onDay((day) => ({ ...day, lines: change(day.lines) }));
/** With a hash of its own, so that only the signature or the links can show it. */
const hashed = (change: (lines: readonly string[]) => readonly string[]): Edit =>
  onDay(async (day) => {
    const lines = change(day.lines);
    return { ...day, lines, hash: await digest(dayText(PAIR, { ...day, lines })) };
  });
const resigned: Edit = onDay(async (day) => {
  const stranger = await importProofKey(await createProofKey());
  const lines = day.lines.slice(1);
  const hash = await digest(dayText(PAIR, { ...day, lines }));
  return { ...day, lines, hash, signature: await stranger.sign(signedText(hash)) };
});
const changedOffer = (to: string) => (lines: readonly string[]) =>
  lines.map((line) => line.replace("0.0125:2:30000;?:500", to));
const flip = (hex: string) => (hex.startsWith("0") ? "1" : "0") + hex.slice(1);

const FORGERIES: readonly (readonly [string, Edit])[] = [
  ["a changed minute", onLines(([first = "", ...rest]) => [first.replace(",2,2,", ",3,2,"), ...rest])],
  ["more time on both sides", onLines(changedOffer("0.0125:2:60000"))],
  ["no time on both sides", onLines(changedOffer("?:500"))],
  ["a minute of more than a minute", hashed(changedOffer("0.0125:2:59900;?:500"))],
  ["other words for the time on both sides", hashed(changedOffer("always"))],
  ["the time on both sides twice", hashed(changedOffer("0.0125:2:30000,0.0125:2:30000"))],
  ["a removed minute", onLines((lines) => lines.slice(1))],
  [
    "an added minute",
    onLines(([first = "", ...rest]) => [
      first,
      first.replace(/^\d+/, (at) => String(Number(at) + MINUTE * 20)),
      ...rest,
    ]),
  ],
  ["minutes in another order", onLines(([a = "", b = "", ...rest]) => [b, a, ...rest])],
  ["a minute twice", onLines(([a = "", ...rest]) => [a, a, ...rest])],
  ["a removed miss", onLines((lines) => lines.filter((line) => !line.startsWith("miss")))],
  ["another cause of a miss", onLines((lines) => lines.map((line) => line.replace("exchange", "pause")))],
  [
    "a minute of another day",
    hashed((lines) => lines.map((line) => line.replace(/^\d+/, (at) => String(Number(at) + DAY)))),
  ],
  [
    "a time between two minutes",
    hashed((lines) => lines.map((line) => line.replace(/^\d+/, (at) => String(Number(at) + 1)))),
  ],
  ["a missing column", hashed((lines) => lines.map((line) => line.slice(0, line.lastIndexOf(","))))],
  ["other minutes with their hash", hashed((lines) => lines.slice(1))],
  ["a day signed by somebody else", resigned],
  ["a changed hash", onDay((day) => ({ ...day, hash: flip(day.hash) }))],
  ["a changed link", onDay((day) => ({ ...day, previous: flip(day.previous) }))],
  ["a changed signature", onDay((day) => ({ ...day, signature: flip(day.signature) }))],
  [
    "the signature of another day",
    (days, lines) => [
      lines[0] as string,
      json(days[0] as BundleDay),
      json({ ...(days[1] as BundleDay), signature: (days[0] as BundleDay).signature }),
      lines[3] as string,
    ],
  ],
  ["another date", onDay((day) => ({ ...day, day: "2026-01-09" }))],
  ["a removed day", (_, lines) => lines.filter((_line, at) => at !== 2)],
  ["a day twice", (_, lines) => [...lines.slice(0, 3), ...lines.slice(2)]],
  ["days in another order", (_, [head = "", a = "", b = "", c = ""]) => [head, b, a, c]],
  [
    "another key",
    (_, lines) => [
      (lines[0] as string).replace(/"publicKey":".*"/, `"publicKey":"${"1".repeat(64)}"`),
      ...lines.slice(1),
    ],
  ],
  ["another exchange", (_, lines) => [(lines[0] as string).replace("kraken", "mexc"), ...lines.slice(1)]],
  [
    "a field twice",
    (_, lines) => [
      ...lines.slice(0, 2),
      (lines[2] as string).replace("{", '{"day":"2026-01-02",'),
      lines[3] as string,
    ],
  ],
  ["a line that is no day", (_, lines) => [...lines.slice(0, 2), "{}", ...lines.slice(2)]],
  ["no day at all", (_, lines) => lines.slice(0, 1)],
  ["a cut last line", (_, lines) => [...lines.slice(0, 3), (lines[3] as string).slice(0, -4)]],
];

/** The lines of one bundle, signed once for all forgeries. */
let signed: Promise<string[]> | undefined;
async function signedLines(): Promise<string[]> {
  const { sign, bundle } = await signedBox();
  await sign();
  return (await bundle()).trimEnd().split("\n");
}

async function forged(edit: Edit): Promise<string> {
  signed ??= signedLines();
  const lines = await signed;
  const days = lines.slice(1).map((line) => JSON.parse(line) as BundleDay);
  return `${(await edit(days, lines)).join("\n")}\n`;
}

describe("a published bundle", () => {
  it("is valid as signed, from any start day, and gives the report's figures", async () => {
    const { sign, bundle, key } = await signedBox();
    await sign();
    for (const [span, days, twoSided] of [
      [{ from: 0, to: FIRST + 3 }, 3, 5],
      [{ from: FIRST, to: FIRST }, 1, 2],
      [{ from: FIRST + 1, to: FIRST + 1 }, 1, 1.5],
    ] as const)
      expect(await checkBundle(await bundle(span), key.publicKey)).toMatchObject({
        valid: true,
        faults: [],
        days,
        known: 3 * days,
        twoSided,
        ...PAIR,
      });
    expect(await checkBundle(await bundle(), "2".repeat(64))).toMatchObject({ valid: false });
  });

  it.each(FORGERIES)("is refused with %s", async (_, edit) => {
    expect(await checkBundle(await forged(edit))).toMatchObject({ valid: false });
  });
});

describe.skipIf(!hasPython)("the verifier in Python", () => {
  it("accepts a bundle as it was signed", async () => {
    const { sign, bundle, key } = await signedBox();
    await sign();
    const { status, text } = byPython(await bundle(), key.publicKey);
    expect(text).toMatch(/days 3, minutes with a sample 9, with orders on both sides 5/);
    expect(text).toMatch(/both sides 55.5556 %, own spread 1.1250 %/);
    expect([status, text.trimEnd().endsWith("\nVALID")]).toEqual([0, true]);
    expect(byPython(await bundle(), "2".repeat(64)).status).toBe(1);
  });

  it.each(FORGERIES)("rejects a bundle with %s", async (_, edit) => {
    const { status, text } = byPython(await forged(edit));
    expect([status, text]).toEqual([1, expect.stringMatching(/^INVALID: /)]);
  });
});
