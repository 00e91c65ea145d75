import { digest } from "../../kernel/digest.ts";
import { AppError } from "../../kernel/errors.ts";
import { dayOf, MINUTE, type Millis } from "../../kernel/time.ts";
import { dateOf } from "../../model/limits.ts";
import {
  NO_PREVIOUS,
  PROOF_FORMAT,
  type ProofKey,
  type SignedDay,
  type WatchedPair,
} from "../../model/samples/promise.ts";
import { MINUTES_PER_DAY } from "../../model/samples/sample.ts";
import { type BundleDay, type BundleHead, dayText, proofLines, signedText } from "../proof.ts";
import type { ProofStore } from "../store/proofs.ts";
import type { LiquidityStore } from "../store/store.ts";

export interface ProofDeps {
  readonly store: LiquidityStore;
  readonly proofs: ProofStore;
}

/** How long after a day's end it is signed, so late samples are included. */
const SIGNED_AFTER: Millis = 10 * MINUTE;

/**
 * Signs finished days of a pair, oldest first, at most `most`; returns the number. Skips days without any row. If
 * another process signs the same days, each is signed once.
 */
export async function signDays(
  { store, proofs }: ProofDeps,
  pair: WatchedPair,
  { key, now, most = Infinity }: { readonly key: ProofKey; readonly now: Millis; readonly most?: number },
): Promise<number> {
  const since = await store.since(pair);
  const last = await proofs.newest(pair);
  if (since === undefined) return 0;
  const [first, end] = [last ? last.day + 1 : Math.floor(since / MINUTES_PER_DAY), dayOf(now - SIGNED_AFTER)];
  let [count, previous] = [0, last?.hash ?? NO_PREVIOUS];
  for (let day = first; day < end && count < most; day++) {
    const { lines, ...rows } = await readLines(store, pair, day);
    if (lines.length === 0) continue;
    const hash = await digest(dayText(pair, { day: dateOf(day), previous, lines }));
    const { publicKey } = key;
    const signature = await key.sign(signedText(hash));
    if (!(await proofs.add(pair, { day, previous, hash, signature, publicKey }, rows))) return count;
    [count, previous] = [count + 1, hash];
  }
  return count;
}

async function readLines(store: LiquidityStore, pair: WatchedPair, day: number) {
  const [from, to] = [day * MINUTES_PER_DAY, (day + 1) * MINUTES_PER_DAY];
  const [rows, misses] = [await store.minutes(pair, from, to), await store.misses(pair, from, to)];
  const timed = rows.filter(({ offer }) => offer !== null).length;
  return { lines: proofLines(rows, misses), known: rows.length, timed, missed: misses.length };
}

/**
 * Yields the lines of a bundle, one day at a time. Throws AppError if no day in the span is signed, or if the stored
 * minutes differ from the signed ones.
 */
export async function* bundleLines(
  { store, proofs }: ProofDeps,
  pair: WatchedPair,
  span: { readonly from: number; readonly to: number },
): AsyncGenerator<string> {
  const days = await proofs.days(pair, span.from, span.to);
  const [first] = days;
  if (!first) throw new AppError("Not found", `no signed day of ${pair.symbol} on ${pair.exchange}`);
  const { exchange, symbol } = pair;
  const head: BundleHead = { format: PROOF_FORMAT, exchange, symbol, publicKey: first.publicKey };
  yield JSON.stringify(head);
  for (const day of days) yield JSON.stringify(await bundleDay(store, pair, day, first.publicKey));
}

async function bundleDay(
  store: LiquidityStore,
  pair: WatchedPair,
  { day, previous, hash, signature, publicKey }: SignedDay,
  ofBundle: string,
): Promise<BundleDay> {
  const name = dateOf(day);
  const { lines } = await readLines(store, pair, day);
  if (publicKey !== ofBundle)
    throw new AppError(
      "Invalid request",
      `${name} has another key; publish the days from ${name} on separately`,
    );
  if (lines.length === 0)
    throw new AppError(
      "Not found",
      `the minutes of ${name} are no longer in the database: they are older than thirteen months, or archived; choose a later first day with --from`,
    );
  const result = { day: name, previous, lines };
  if ((await digest(dayText(pair, result))) !== hash)
    throw new AppError("Internal error", `the stored minutes of ${name} differ from the signed ones`);
  return { ...result, hash, signature };
}
