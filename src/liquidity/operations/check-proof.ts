import { ZERO } from "../../kernel/decimal.ts";
import { bytesOfHex, digest } from "../../kernel/digest.ts";
import { parseDay } from "../../kernel/read-time.ts";
import { DAY, dayOf, MINUTE } from "../../kernel/time.ts";
import { dateOf } from "../../model/limits.ts";
import { PROOF_FORMAT, type WatchedPair } from "../../model/samples/promise.ts";
import { EMPTY_OFFER, parseOffer, twoSidedMillis } from "../../model/samples/sample.ts";
import { type BundleDay, type BundleHead, dayText, signedText } from "../proof.ts";
import { MINUTE_COLUMNS } from "../report.ts";
import type { LiquidityAnswer } from "../schema.ts";
import type { PairStatus, StatusContent } from "../status-page.tsx";
import type { LiquidityDeps } from "../store/store.ts";
import { promisedPairs, readMarketReport } from "./report.ts";

interface BundleVerdict {
  readonly valid: boolean;
  readonly exchange: string | null;
  readonly symbol: string | null;
  readonly publicKey: string | null;
  readonly first: string | null;
  readonly last: string | null;
  readonly days: number;
  /** Number of minutes with a sample, and the part of them with own orders on both sides. */
  readonly known: number;
  readonly twoSided: number;
  /** Last day that the hash of an earlier day covers; null without such a hash. */
  readonly knownUntil: string | null;
  readonly faults: readonly string[];
}

const OWN_SPREAD = MINUTE_COLUMNS.indexOf("ownSpread");
/**
 * Checks a published file as docs/proof.md describes it: format, order of days and minutes, links, hashes and
 * signatures. `expected` is the public key that must have signed it, and `received` the hash of a day that the reader
 * got earlier. Each fault names its day. examples/verify/verify.py has the same patterns.
 */
export async function checkBundle(
  file: string | Uint8Array,
  expected?: string,
  received?: string,
): Promise<BundleVerdict> {
  const text = typeof file === "string" ? file : utf8Text(file);
  if (text === undefined) return verdictOf(undefined, [], ["the file is not text in UTF-8"]);
  const [first = "", ...rest] = text.split("\n");
  const faults: string[] = rest.pop() === "" ? [] : ["the last line has no end"];
  const head = bundleHead(first);
  if (!head) return verdictOf(undefined, [], ["the first line is not the head of a bundle"]);
  if (expected !== undefined && head.publicKey !== expected)
    faults.push(`the bundle is signed by ${head.publicKey}`);
  const days: BundleDay[] = [];
  for (const [index, line] of rest.entries()) {
    const day = dayOfLine(line);
    if (!day) faults.push(`line ${index + 2} is not a day`);
    else {
      faults.push(...orderFaults(days.at(-1), day), ...lineFaults(day), ...(await signedFaults(head, day)));
      days.push(day);
    }
  }
  if (days.length === 0) faults.push("there is no day");
  const known = days.find(({ hash }) => hash === received);
  if (received !== undefined && !known && days[0]?.previous !== received)
    faults.push(`no day has the hash ${received}, or follows it: signed days were changed or left out`);
  return verdictOf(head, days, faults, known?.day);
}

function utf8Text(file: Uint8Array): string | undefined {
  try {
    return new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(file);
  } catch {
    return undefined;
  }
}

function verdictOf(
  head: BundleHead | undefined,
  days: readonly BundleDay[],
  faults: readonly string[],
  knownUntil: string | null = null,
): BundleVerdict {
  const samples = days.flatMap(({ lines }) => lines.filter((line) => !line.startsWith("miss,")));
  return {
    valid: faults.length === 0,
    exchange: head?.exchange ?? null,
    symbol: head?.symbol ?? null,
    publicKey: head?.publicKey ?? null,
    first: days[0]?.day ?? null,
    last: days.at(-1)?.day ?? null,
    days: days.length,
    known: samples.length,
    twoSided: samples.reduce((sum, line) => sum + twoSidedMillis(ownSample(line)), 0) / MINUTE,
    knownUntil,
    faults,
  };
}

function parsed(line: string, names: readonly string[]): Record<string, unknown> | undefined {
  try {
    const value: unknown = JSON.parse(line);
    if (typeof value !== "object" || value === null) return undefined;
    // Writing it again gives the same text, so no name is duplicated or hidden by another.
    const isSame = JSON.stringify(value) === line && Object.keys(value).join() === names.join();
    return isSame ? (value as Record<string, unknown>) : undefined;
  } catch {
    return undefined;
  }
}

const isText = (value: unknown, pattern: RegExp): boolean => typeof value === "string" && pattern.test(value);

const HEX_FORMS = { key: /^[0-9a-f]{64}$/, hash: /^[0-9a-f]{64}$/, signature: /^[0-9a-f]{128}$/ };
/** No spaces, control characters or halves of characters, which runtimes treat differently. */
const NAME =
  /^[^\0- \x7f-\xa0\u1680\u2000-\u200f\u2028-\u202f\u205f-\u206f\u3000\ufeff\u{d800}-\u{dfff}]{1,100}$/u;

function bundleHead(line: string): BundleHead | undefined {
  const value = parsed(line, ["format", "exchange", "symbol", "publicKey"]);
  const isHead =
    value?.format === PROOF_FORMAT &&
    isText(value.exchange, NAME) &&
    isText(value.symbol, NAME) &&
    isText(value.publicKey, HEX_FORMS.key) &&
    isUsableKey(String(value.publicKey));
  return isHead ? (value as unknown as BundleHead) : undefined;
}

const FIELD_PRIME = 2n ** 255n - 19n;
/** The ordinates of points whose order divides 8: anyone can sign anything with them. */
const WEAK_ORDINATES = new Set([
  0n,
  1n,
  FIELD_PRIME - 1n,
  0x05fc536d880238b13933c6d305acdfd5f098eff289f4c345b027b2c28f95e826n,
  0x7a03ac9277fdc74ec6cc392cfa53202a0f67100d760b3cba4fd84d3d706a17c7n,
]);

/** Returns whether all implementations of Ed25519 treat a key alike. */
function isUsableKey(key: string): boolean {
  const bytes = key.match(/../g) ?? [];
  const ordinate = BigInt(`0x${bytes.reverse().join("")}`) & (2n ** 255n - 1n);
  return ordinate < FIELD_PRIME && !WEAK_ORDINATES.has(ordinate);
}

function dayOfLine(line: string): BundleDay | undefined {
  const value = parsed(line, ["day", "previous", "lines", "hash", "signature"]);
  const isDay =
    // Otherwise 2026-02-31 would count the minutes of 2026-03-03 again.
    typeof value?.day === "string" &&
    parseDay(value.day) === value.day &&
    value.day >= "1970" &&
    Array.isArray(value.lines) &&
    value.lines.every((one) => isText(one, /^[!-~]*$/)) &&
    isText(value.previous, HEX_FORMS.hash) &&
    isText(value.hash, HEX_FORMS.hash) &&
    isText(value.signature, HEX_FORMS.signature);
  return isDay ? (value as unknown as BundleDay) : undefined;
}

function orderFaults(before: BundleDay | undefined, { day, previous }: BundleDay): string[] {
  if (!before) return [];
  return [
    ...(day > before.day ? [] : [`${day} does not come after ${before.day}`]),
    ...(previous === before.hash
      ? []
      : [`${day} does not follow ${before.day}: a day is missing or was changed`]),
  ];
}

/** Checks that samples are in order, then misses in order, all within the day. */
function lineFaults({ day, lines }: BundleDay): string[] {
  const from = Date.parse(day);
  const faults: string[] = [];
  let last = { isMiss: false, at: -1 };
  for (const line of lines) {
    const cells = line.split(",");
    const isMiss = cells[0] === "miss";
    const at = Number(cells[isMiss ? 1 : 0]);
    const isInDay = at >= from && at < from + DAY && at % MINUTE === 0;
    const isNext = isMiss === last.isMiss ? at > last.at : isMiss;
    if (!(isMiss ? MISS.test(line) : isSample(line)) || !isInDay || !isNext)
      faults.push(`${day} has a wrong line: ${line.slice(0, 40)}`);
    last = { isMiss, at };
  }
  return faults;
}

const SAMPLE_COLUMNS = MINUTE_COLUMNS.length;
const AMOUNT_TEXT = "(-?[0-9]{1,30}(\\.[0-9]{1,18})?)?";
const COUNT = "[0-9]{1,15}";
const OFFER = `(${COUNT}(\\.[0-9]{1,18})?:${COUNT}:${COUNT}(;(?!$)|$))*(\\?:${COUNT})?`;
const MISS = new RegExp(`^miss,${COUNT},[a-z_]{1,20}$`);
const SAMPLE = new RegExp(
  `^${COUNT},${COUNT}(,${AMOUNT_TEXT}){2}(,${COUNT}){2}(,${AMOUNT_TEXT}){12},[01],${AMOUNT_TEXT},(${COUNT})?,([a-z_]{1,20})?(,${OFFER})?$`,
);

/** Returns whether it has the values of a sample, and the times of own orders, if any, within a minute. */
function isSample(line: string): boolean {
  const offer = line.split(",")[SAMPLE_COLUMNS] ?? "";
  const total = offer.split(";").reduce((sum, part) => sum + Number(part.split(":").at(-1)), 0);
  return SAMPLE.test(line) && total <= MINUTE;
}

function ownSample(line: string) {
  const cells = line.split(",");
  const offer = cells[SAMPLE_COLUMNS];
  return {
    ownSpread: cells[OWN_SPREAD] === "" ? null : ZERO,
    offer: offer === undefined ? null : isSample(line) ? parseOffer(offer) : EMPTY_OFFER,
  };
}

async function signedFaults(head: BundleHead, day: BundleDay): Promise<string[]> {
  if ((await digest(dayText(head, day))) !== day.hash)
    return [`${day.day} was changed: its minutes have another hash`];
  const key = await crypto.subtle.importKey("raw", bytesOfHex(head.publicKey), "Ed25519", false, ["verify"]);
  const text = new TextEncoder().encode(signedText(day.hash));
  const isSigned = await crypto.subtle.verify("Ed25519", key, bytesOfHex(day.signature), text);
  return isSigned ? [] : [`${day.day} has a wrong signature`];
}

/** Number of days on the status page, with today. */
const STATUS_DAYS = 90;

/** Reads the sampled pairs for a status page, each once. Nothing of orders, balances or keys is in it. */
export async function readStatusContent(
  deps: LiquidityDeps,
  shown: Pick<StatusContent, "maker" | "hasAmounts">,
): Promise<StatusContent> {
  const madeAt = await deps.store.now();
  const today = dayOf(madeAt);
  const proofs = deps.liquidity?.proofs;
  const report = async (pair: WatchedPair, from: number): Promise<LiquidityAnswer> => {
    const request = { ...pair, from: dateOf(from), to: dateOf(today), cost: false, details: false };
    return (await readMarketReport(deps, request, { actor: "local" })).answer;
  };
  const pairs = new Map<string, PairStatus>();
  let publicKey: string | null = null;
  for (const { exchange, symbol } of await promisedPairs(deps, today)) {
    const [pair, place] = [{ exchange, symbol }, `${exchange}:${symbol}`];
    if (pairs.has(place)) continue;
    const signed = await proofs?.newest(pair);
    publicKey ??= signed?.publicKey ?? null;
    const [whole, ofToday] = [await report(pair, today - STATUS_DAYS + 1), await report(pair, today)];
    pairs.set(place, { whole, today: ofToday, signedDay: signed ? dateOf(signed.day) : null });
  }
  return { ...shown, madeAt, pairs: [...pairs.values()], publicKey };
}
