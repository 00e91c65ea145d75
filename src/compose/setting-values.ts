import { type Decimal, parseDecimal } from "../kernel/decimal.ts";
import { bytesOfHex } from "../kernel/digest.ts";
import { SettingsError } from "../kernel/errors.ts";
import { assetEntry } from "../kernel/pair.ts";
import { MAX_LEASE_MS, type Millis } from "../kernel/time.ts";
import { LIMIT_FORMS, LIMIT_NAMES } from "../limits/texts.ts";
import { parseMarket } from "../liquidity/market-text.ts";
import type { Limits } from "../model/limits.ts";
import { TIERS, type Tier } from "../model/market.ts";
import { PRESETS, type PromisedPair } from "../model/samples/promise.ts";
import type { RateLimits } from "../transport/access.ts";

/** Parses 32 bytes from base64 or hexadecimal text. Error messages never contain the text. */
export function kekOf(text: string): Uint8Array<ArrayBuffer> {
  const isHex = /^[0-9a-f]{64}$/i.test(text);
  if (!isHex && !/^[A-Za-z0-9+/]{43}=$/.test(text))
    throw new SettingsError(
      "EDGEMAKER_KEK must be 32 random bytes as base64, for example of `openssl rand -base64 32`",
    );
  if (!isHex) return Uint8Array.from(atob(text), (character) => character.charCodeAt(0));
  return bytesOfHex(text);
}

const TIMING_NAMES = [
  "leaseTtl",
  "requestTimeout",
  "expiry",
  "skew",
  "readLag",
  "secondMiss",
  "overlap",
  "tradesEvery",
] as const;

export type TimingName = (typeof TIMING_NAMES)[number];

/** A manual request takes the lease for two timeouts. */
const MAX_TIMINGS_MS: Partial<Record<TimingName, Millis>> = {
  leaseTtl: MAX_LEASE_MS,
  requestTimeout: MAX_LEASE_MS / 2,
};

export function timingBound(entry: string): [TimingName, Millis] {
  const [, name, millis] = /^(\w+)=(\d{1,6})$/.exec(entry) ?? [];
  const known = TIMING_NAMES.find((one) => one === name);
  if (!known)
    throw new SettingsError(
      `EDGEMAKER_TIMING must be name=milliseconds with one of ${TIMING_NAMES.join(", ")}, not ${entry}`,
    );
  const most = MAX_TIMINGS_MS[known];
  if (most !== undefined && Number(millis) > most)
    throw new SettingsError(`EDGEMAKER_TIMING can set ${known} to at most ${most}, not ${millis}`);
  return [known, Number(millis)];
}

const RATE_LIMITS: RateLimits = { address: 60, token: 30, burst: 120, failed: 10, loopback: false };

/** Parses `off`, or differences from the default: `loopback`, and numbers as in `address=100,burst=200`. */
export function rateLimitsOf(entries: readonly string[]): RateLimits | undefined {
  if (entries.length === 1 && entries[0] === "off") return undefined;
  return Object.assign({ ...RATE_LIMITS }, ...entries.map(rateLimitEntry)) as RateLimits;
}

function rateLimitEntry(entry: string): Partial<RateLimits> {
  if (entry === "loopback") return { loopback: true };
  const [, name, count] = /^(address|token|burst|failed|outbound)=([1-9]\d{0,5})$/.exec(entry) ?? [];
  if (name) return { [name]: Number(count) };
  throw new SettingsError(
    `EDGEMAKER_RATE_LIMIT must be off, or a list of loopback and address, token, burst, failed, outbound=1 to 999999, not ${entry}`,
  );
}

/** Parses `name=value;…` with values as users write them; `off` is not allowed here. */
export function limitSettingsOf(output: string): Limits {
  const entries = output.split(";").map((entry) => entry.trim());
  return Object.fromEntries(
    entries
      .filter((entry) => entry !== "")
      .map((entry) => {
        const [, given = "", value = ""] = /^(\w+)=(.+)$/.exec(entry) ?? [];
        const name = LIMIT_NAMES.find((one) => one === given);
        if (!name)
          throw new SettingsError(
            `EDGEMAKER_LIMITS must be name=value;… with names of ${LIMIT_NAMES.join(", ")}, not ${entry}`,
          );
        const limit = LIMIT_FORMS[name].read(value);
        if (limit === undefined)
          throw new SettingsError(`EDGEMAKER_LIMITS: ${name} is ${LIMIT_FORMS[name].form}, not ${value}`);
        return [name, limit];
      }),
  );
}

export function assetAmount(entry: string): [string, Decimal] {
  const [asset, output = ""] = assetEntry(entry) ?? [];
  const amount = parseDecimal(output);
  if (asset === undefined || amount === undefined)
    throw new SettingsError(
      `EDGEMAKER_MCP_MAX_NOTIONAL must be QUOTE=amount, separated by commas, for example USDT=500, not ${entry}`,
    );
  return [asset, amount];
}

export function tierOf(
  entry: string,
  exchanges: readonly { readonly id: string; readonly venue: string }[],
): [string, Tier] {
  const [, id = "", name] = /^([^=]+)=(.+)$/.exec(entry) ?? [];
  const venue = exchanges.find((one) => one.id === id)?.venue;
  const tier = venue === "kraken" ? TIERS.kraken.find((one) => one === name) : undefined;
  if (tier) return [id, tier];
  throw new SettingsError(
    `EDGEMAKER_TIERS must be exchange=tier, separated by commas, for exchanges on kraken and tiers of ${TIERS.kraken.join(", ")}, not ${entry}`,
  );
}

/** Parses an origin as a browser sends it. A star is refused: origins must be listed by name. */
export function originOf(entry: string): string {
  const origin = URL.canParse(entry) ? new URL(entry).origin : "null";
  if (/^https?:/.test(origin) && (entry === origin || entry === `${origin}/`)) return origin;
  throw new SettingsError(
    `EDGEMAKER_CORS must be the origins of pages (scheme, host and port), separated by commas, for example https://app.example.org, not ${entry}`,
  );
}

/** Parses an entry of EDGEMAKER_LIQUIDITY. */
export function watchedOf(entry: string, exchanges: readonly { readonly id: string }[]): PromisedPair {
  const ids = exchanges.map(({ id }) => id);
  const market = parseMarket(entry, ids);
  if (market) return market;
  throw new SettingsError(
    `EDGEMAKER_LIQUIDITY must be exchange:BASE/QUOTE, separated by commas, of ${ids.join(", ")}, optionally followed by an agreement such as agreement spread=2 depth=500 band=2 levels=3 uptime=95 (presets: ${PRESETS.join(", ")}), not ${entry}`,
  );
}

/** Converts settings to text: a variable in wrangler.toml can be a number or boolean. Other bindings are ignored. */
export const textSettingsOf = (
  environment: Readonly<Record<string, unknown>>,
): Readonly<Record<string, string>> =>
  Object.fromEntries(
    Object.entries(environment)
      .filter(([name, value]) => typeof value !== "object" || name.startsWith("EDGEMAKER_"))
      .map(([name, value]) => [name, typeof value === "object" ? JSON.stringify(value) : String(value)]),
  );
