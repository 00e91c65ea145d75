/** Markets with their rules as people write them: `mexc:SNEK/USDT agreement spread=2 depth=500`. */
import { ONE, parseDecimal } from "../kernel/decimal.ts";
import { isPair } from "../kernel/pair.ts";
import { PRESETS, type PromisedPair, type PromiseRequest } from "../model/samples/promise.ts";
import type { DepthBand } from "../model/samples/sample.ts";

/** Returns exchange and pair of a market with its rules, both as written. */
export function writtenMarket(entry: string): { readonly exchange: string; readonly symbol: string } {
  const [place = ""] = entry.split(/\s+/);
  const at = place.indexOf(":");
  return { exchange: place.slice(0, at), symbol: place.slice(at + 1) };
}

/** Parses `exchange:BASE/QUOTE`, with an optional preset and its values. Returns undefined for any other text. */
export function parseMarket(entry: string, ids: readonly string[]): PromisedPair | undefined {
  const [, named, ...words] = entry.split(/\s+/);
  const { exchange, symbol } = writtenMarket(entry);
  const preset = PRESETS.find((one) => one === named);
  const request = parseTerms(words);
  if (!isPair(symbol) || !ids.includes(exchange) || !request) return undefined;
  if (preset) return { exchange, symbol, promise: { preset, request } };
  return named === undefined ? { exchange, symbol } : undefined;
}

/** Parses the values of a preset; spread, uptime and band are percentages, with or without `%`. Returns undefined if one of them is wrong. */
export function parseTerms(words: readonly string[]): PromiseRequest | undefined {
  const terms = words.map(parseTerm);
  return terms.includes(undefined) ? undefined : Object.assign({}, ...terms);
}

const BAND_NAMES: readonly string[] = ["0.5", "1", "2"];
const PERCENTAGES: readonly string[] = ["spread", "uptime", "band"];

function parseTerm(term: string): PromiseRequest | undefined {
  const [, name = "", value = "", unit] = /^(\w+)=([\d.]+)(%)?$/.exec(term) ?? [];
  const amount = parseDecimal(value);
  if (amount === undefined || (unit && !PERCENTAGES.includes(name))) return undefined;
  if (name === "spread" || name === "uptime")
    return amount > 100n * ONE ? undefined : { [name]: amount / 100n };
  if (name === "depth") return { depth: amount };
  if (name === "levels") return /^[1-9]\d?$/.test(value) ? { levels: Number(value) } : undefined;
  const band = BAND_NAMES.indexOf(value);
  return name === "band" && band >= 0 ? { band: band as DepthBand } : undefined;
}
