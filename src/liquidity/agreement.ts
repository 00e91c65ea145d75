/** Agreements as they are evaluated: stored ones, and the entries of EDGEMAKER_LIQUIDITY as one without an end. */
import type { AgreementVersion } from "../model/samples/agreement.ts";
import type { LiquidityPromise, PromisedPair, PromiseRequest } from "../model/samples/promise.ts";
import { parseMarket, parseTerms } from "./market-text.ts";

/** A market of an agreement. */
export interface AgreedMarket extends PromisedPair {
  readonly promise: LiquidityPromise;
}

export interface NamedAgreement extends Omit<AgreementVersion, "markets" | "total"> {
  readonly markets: readonly AgreedMarket[];
  /** Markets that these settings do not have, as text. */
  readonly unknownMarkets: readonly string[];
  readonly total: PromiseRequest | null;
}

/** Name of the agreement that the settings define. No stored agreement has it. */
export const SETTINGS_NAME = "settings";

const entriesOf = (text: string): string[] => text.split(",").map((entry) => entry.trim());

/** Returns a stored agreement; `ids` are the configured exchanges. */
export function agreementOf(stored: AgreementVersion, ids: readonly string[]): NamedAgreement {
  const parsed = entriesOf(stored.markets).map((entry) => ({ entry, market: parseAgreed(entry, ids) }));
  return {
    ...stored,
    markets: parsed.flatMap(({ market }) => market ?? []),
    unknownMarkets: parsed.flatMap(({ entry, market }) => (market ? [] : [entry])),
    total: stored.total === null ? null : (parseTerms(stored.total.split(" ")) ?? null),
  };
}

/** Returns the agreement of the settings; undefined if they only name pairs to sample. */
export function settingsAgreement(pairs: readonly PromisedPair[]): NamedAgreement | undefined {
  const markets = pairs.flatMap(({ promise, ...pair }) => (promise ? [{ ...pair, promise }] : []));
  if (markets.length === 0) return undefined;
  const terms = { counterparty: null, from: 0, until: null, markets, unknownMarkets: [], total: null };
  return { name: SETTINGS_NAME, version: 1, at: 0, actor: SETTINGS_NAME, ...terms };
}

/** Parses a market of an agreement; without a preset, its values are those of the preset `agreement`. */
function parseAgreed(entry: string, ids: readonly string[]): AgreedMarket | undefined {
  const [place = "", ...words] = entry.split(/\s+/);
  const isBare = words.length === 0 || (words[0] ?? "").includes("=");
  const market = parseMarket(isBare ? [place, "agreement", ...words].join(" ") : entry, ids);
  return market?.promise && { ...market, promise: market.promise };
}

/** Returns the text of markets in its stored form; undefined if an entry is wrong or a market is repeated. */
export function marketsText(text: string, ids: readonly string[]): string | undefined {
  const entries = entriesOf(text);
  const markets = entries.map((entry) => parseAgreed(entry, ids));
  const places = new Set(markets.map((market) => market && `${market.exchange}:${market.symbol}`));
  if (places.has(undefined) || places.size < entries.length) return undefined;
  return entries.map((entry) => entry.split(/\s+/).join(" ")).join(", ");
}

/** Returns the text of a total's rules in its stored form; undefined if it is wrong, or limits nothing. */
export function totalText(text: string): string | undefined {
  const words = text.trim().split(/\s+/);
  const { uptime, depth, spread, levels, band } = parseTerms(words) ?? {};
  const isUseless =
    (uptime === undefined && (spread !== undefined || levels !== undefined)) ||
    (depth === undefined && (band !== undefined || uptime === undefined));
  return isUseless ? undefined : words.join(" ");
}

/** Returns whether the markets of an agreement are sampled. They are until a day after its end, which signs its last day. */
export const isSampled = ({ from, until }: NamedAgreement, today: number): boolean =>
  from <= today && (until === null || until >= today - 1);

export type AgreementState = "planned" | "active" | "ended";

export const stateOf = (
  { from, until }: Pick<NamedAgreement, "from" | "until">,
  today: number,
): AgreementState => (today < from ? "planned" : until !== null && until < today ? "ended" : "active");
