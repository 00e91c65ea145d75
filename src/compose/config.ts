import * as z from "zod";
import { type Decimal, parseDecimal } from "../kernel/decimal.ts";
import { SettingsError } from "../kernel/errors.ts";
import { prefixOf } from "../kernel/key-names.ts";
import { nearest } from "../kernel/nearest.ts";
import { plainText } from "../kernel/plain-text.ts";
import { type Millis, SECOND } from "../kernel/time.ts";
import type { Limits } from "../limits/limits.ts";
import { FORMS, LIMIT_NAMES } from "../limits/texts.ts";
import type { LogLevel } from "../ports/deps.ts";
import type { RateLimits } from "../transport/limiter.ts";
import { refuseSameKeys } from "./same-keys.ts";

/** The venues that this release speaks to, and what differs between them before any call. */
export const VENUES = {
  mexc: { passphrase: false, quotes: ["USDT"] },
  gateio: { passphrase: false, quotes: ["USDT"] },
  bitget: { passphrase: true, quotes: ["USDT"] },
  kraken: { passphrase: false, quotes: ["USDT", "USD", "EUR"] },
} as const;

/** Kinds of account by which a venue counts calls, the least first: that is the one until another is told. */
export const TIERS = { kraken: ["starter", "intermediate", "pro"] } as const;
export type Tier = (typeof TIERS)["kraken"][number];

export type VenueName = keyof typeof VENUES;
const isVenue = (name: string): name is VenueName => Object.hasOwn(VENUES, name);

export interface ConfiguredExchange {
  readonly id: string;
  readonly venue: VenueName;
  readonly keys?:
    | { readonly key: string; readonly secret: string; readonly passphrase?: string | undefined }
    | undefined;
}

export interface Config {
  readonly exchanges: readonly ConfiguredExchange[];
  readonly token: string | undefined;
  readonly apiUrl: string | undefined;
  readonly databaseUrl: string | undefined;
  readonly databaseAuthToken: string | undefined;
  /** Keys that encrypt stored exchange keys, 32 bytes each: the first one encrypts, all decrypt. */
  readonly keks: readonly Uint8Array<ArrayBuffer>[];
  readonly sandbox: boolean;
  /** This process places nothing. */
  readonly kill: boolean;
  readonly allowedHosts: readonly string[];
  /** Hosts that messages may go to although they are private, or speak http. */
  readonly outboundHosts: readonly string[];
  /** Asked after a good pass over all accounts, at most so often: who watches there hears when this falls silent. */
  readonly heartbeat: { readonly url: string; readonly every: Millis } | undefined;
  /** What the API takes from one address and one token; undefined: everything. */
  readonly rateLimits: RateLimits | undefined;
  /** Base urls by exchange id, in place of the venues' own. */
  readonly venueUrls: ReadonlyMap<string, string>;
  /** Kinds of account by exchange id, where a venue counts calls by them. */
  readonly tiers: ReadonlyMap<string, Tier>;
  /** How long one public read may take. */
  readonly readTimeoutMillis: Millis;
  /** Other bounds for exchanges on this machine, in milliseconds by their name: emulated ones answer sooner. */
  readonly timing: Partial<Record<TimingName, Millis>>;
  readonly logLevel: LogLevel;
  /** On Workers: requests that one invocation may make, and passes that one minute has. */
  readonly subrequests: number;
  readonly passesPerMinute: number;
  /** Hold beside those that are stored. */
  readonly limits: Limits;
  /** Whether agents get tools that trade. */
  readonly mcpTrading: boolean;
  /** Whether a person has to approve what agents want to trade. */
  readonly mcpConfirm: "plan" | "terminal";
  /** The most that one plan of an agent may use, by quote asset; none where it is empty. */
  readonly mcpMost: ReadonlyMap<string, Decimal>;
  /** The most that all plans of one token may use in a day; as much as one plan where it is empty. */
  readonly mcpMostADay: ReadonlyMap<string, Decimal>;
}

const flag = z.enum(["0", "1", "true", "false"]).transform((text) => text === "1" || text === "true");
const list = z.string().transform((text) =>
  text
    .split(",")
    .map((part) => part.trim())
    .filter((part) => part !== ""),
);
const whole = (least: number, most: number) =>
  z
    .string()
    .regex(/^\d{1,6}$/, `needs a whole number from ${least} to ${most}`)
    .transform(Number)
    .refine((count) => count >= least && count <= most, `needs a whole number from ${least} to ${most}`);
const url = z.url({ protocol: /^https?$/ });

/** Every setting of the environment and of the configuration file, which has the same keys. */
const Settings = z.object({
  EDGEMAKER_TOKEN: z.string().min(16, "needs at least 16 characters").optional(),
  EDGEMAKER_API_URL: url.optional(),
  EDGEMAKER_DATABASE_URL: z.string().optional(),
  EDGEMAKER_DATABASE_AUTH_TOKEN: z.string().optional(),
  EDGEMAKER_EXCHANGES: list.default(Object.keys(VENUES)),
  EDGEMAKER_VENUE_URLS: list.default([]),
  EDGEMAKER_TIERS: list.default([]),
  EDGEMAKER_ALLOWED_HOSTS: list.default([]),
  EDGEMAKER_OUTBOUND_HOSTS: list.default([]),
  EDGEMAKER_HEARTBEAT_URL: url.optional(),
  EDGEMAKER_HEARTBEAT_SECONDS: whole(1, 3600).default(30),
  EDGEMAKER_RATE_LIMIT: list.default([]),
  EDGEMAKER_KEK: list.default([]),
  EDGEMAKER_SANDBOX: flag.default(false),
  EDGEMAKER_KILL: flag.default(false),
  EDGEMAKER_READ_TIMEOUT_MILLIS: whole(1, 999_999).default(10_000),
  EDGEMAKER_TIMING: list.default([]),
  EDGEMAKER_SUBREQUESTS: whole(15, 10_000).default(45),
  EDGEMAKER_PASSES_PER_MINUTE: whole(1, 12).default(1),
  EDGEMAKER_LOG_LEVEL: z.enum(["debug", "info", "warn", "error"]).default("info"),
  EDGEMAKER_LIMITS: z.string().default(""),
  EDGEMAKER_MCP_TRADING: flag.default(false),
  EDGEMAKER_MCP_CONFIRM: z.enum(["plan", "terminal"]).default("plan"),
  EDGEMAKER_MCP_MOST: list.default([]),
  EDGEMAKER_MCP_MOST_A_DAY: list.default([]),
});

const CREDENTIAL = /^[A-Z0-9_]+_(API_KEY|SECRET|PASSPHRASE)$/;

type Environment = Readonly<Record<string, string | undefined>>;

const PREFIX = "EDGEMAKER_";

/** Throws SettingsError on a variable that is called like a setting and is none: what it asks for would not be done. */
export function refuseUnknownSettings(environment: Environment): void {
  const known = Object.keys(Settings.shape);
  const unknown = Object.keys(environment).find(
    (name) => name.toUpperCase().startsWith(PREFIX) && !known.includes(name),
  );
  if (unknown === undefined) return;
  const wanted = unknown.slice(PREFIX.length).toUpperCase();
  const meant = nearest(
    wanted,
    known.map((name) => name.slice(PREFIX.length)),
  );
  const hint = /^(DRY|PAPER)_?(RUN|TRAD\w*)?$/.test(wanted)
    ? "each start of a grid asks for its dry run: --dry-run, or dryRun in the body"
    : meant === undefined
      ? `the settings are ${known.join(", ")}`
      : `did you mean ${PREFIX}${meant}?`;
  throw new SettingsError(`${plainText(unknown)} is no setting; ${hint}`, { isPublic: true });
}

/** Reads the settings; nothing else reads the environment. Throws SettingsError naming what is wrong. */
export function parseConfig(environment: Environment): Config {
  refuseUnknownSettings(environment);
  const set = Object.fromEntries(
    Object.entries(environment).filter(([, value]) => value !== undefined && value !== ""),
  );
  const parsed = Settings.safeParse(set);
  if (!parsed.success) {
    const [issue] = parsed.error.issues;
    throw new SettingsError(`${issue?.path.join(".")}: ${issue?.message}`);
  }
  const settings = parsed.data;
  const exchanges = eachOnce(settings.EDGEMAKER_EXCHANGES.map((entry) => exchangeOf(entry, set)));
  return {
    exchanges,
    token: settings.EDGEMAKER_TOKEN,
    apiUrl: settings.EDGEMAKER_API_URL,
    databaseUrl: settings.EDGEMAKER_DATABASE_URL,
    databaseAuthToken: settings.EDGEMAKER_DATABASE_AUTH_TOKEN,
    keks: settings.EDGEMAKER_KEK.map(kekOf),
    sandbox: settings.EDGEMAKER_SANDBOX,
    kill: settings.EDGEMAKER_KILL,
    allowedHosts: settings.EDGEMAKER_ALLOWED_HOSTS.map((host) => host.toLowerCase()),
    outboundHosts: settings.EDGEMAKER_OUTBOUND_HOSTS.map((host) => host.toLowerCase()),
    heartbeat: settings.EDGEMAKER_HEARTBEAT_URL
      ? { url: settings.EDGEMAKER_HEARTBEAT_URL, every: settings.EDGEMAKER_HEARTBEAT_SECONDS * SECOND }
      : undefined,
    rateLimits: rateLimitsOf(settings.EDGEMAKER_RATE_LIMIT),
    venueUrls: new Map(settings.EDGEMAKER_VENUE_URLS.map(venueUrl)),
    tiers: new Map(settings.EDGEMAKER_TIERS.map((entry) => tierOf(entry, exchanges))),
    readTimeoutMillis: settings.EDGEMAKER_READ_TIMEOUT_MILLIS,
    timing: Object.fromEntries(settings.EDGEMAKER_TIMING.map(timingBound)),
    logLevel: settings.EDGEMAKER_LOG_LEVEL,
    subrequests: settings.EDGEMAKER_SUBREQUESTS,
    passesPerMinute: settings.EDGEMAKER_PASSES_PER_MINUTE,
    limits: settingsOf(settings.EDGEMAKER_LIMITS),
    mcpTrading: settings.EDGEMAKER_MCP_TRADING,
    mcpConfirm: settings.EDGEMAKER_MCP_CONFIRM,
    mcpMost: new Map(settings.EDGEMAKER_MCP_MOST.map(mostOf)),
    mcpMostADay: new Map(settings.EDGEMAKER_MCP_MOST_A_DAY.map(mostOf)),
  };
}

/** The configuration file's content as an environment. Unknown keys are refused: a typo must not be ignored. */
export function parseConfigFile(content: unknown): Environment {
  const parsed = z.record(z.string(), z.string()).safeParse(content);
  if (!parsed.success) throw new SettingsError("the configuration file must be one JSON object of texts");
  for (const key of Object.keys(parsed.data)) {
    if (!Object.hasOwn(Settings.shape, key) && !CREDENTIAL.test(key))
      throw new SettingsError(`the configuration file has an unknown key: ${key}`);
  }
  return parsed.data;
}

function exchangeOf(entry: string, environment: Environment): ConfiguredExchange {
  const at = entry.indexOf("=");
  const [id, venue] = at < 0 ? [entry, entry] : [entry.slice(0, at), entry.slice(at + 1)];
  if (!/^[a-z][a-z0-9_-]{0,30}$/.test(id))
    throw new SettingsError(`EDGEMAKER_EXCHANGES: not an exchange id: ${id}`);
  if (!isVenue(venue)) {
    throw new SettingsError(
      `EDGEMAKER_EXCHANGES: ${venue} is not supported; choose from ${Object.keys(VENUES).join(", ")}`,
    );
  }
  const named = (part: string) => environment[`${prefixOf(id)}_${part}`];
  const [key, secret, passphrase] = [named("API_KEY"), named("SECRET"), named("PASSPHRASE")];
  return { id, venue, keys: key && secret ? { key, secret, passphrase } : undefined };
}

/** Two accounts of one name would each take the other's orders for strangers. */
function eachOnce(exchanges: readonly ConfiguredExchange[]): readonly ConfiguredExchange[] {
  const prefixes = exchanges.map(({ id }) => prefixOf(id));
  const twice = exchanges.find(({ id }, place) => prefixes.indexOf(prefixOf(id)) < place);
  if (twice) throw new SettingsError(`EDGEMAKER_EXCHANGES: ${twice.id} is named twice`);
  refuseSameKeys(exchanges.flatMap(({ id, venue, keys }) => (keys ? [{ id, venue, key: keys.key }] : [])));
  return exchanges;
}

/** 32 bytes as base64 or hexadecimal text. The text itself is in no message. */
function kekOf(text: string): Uint8Array<ArrayBuffer> {
  const isHex = /^[0-9a-f]{64}$/i.test(text);
  if (!isHex && !/^[A-Za-z0-9+/]{43}=$/.test(text))
    throw new SettingsError(
      "EDGEMAKER_KEK must be 32 random bytes as base64, for example of `openssl rand -base64 32`",
    );
  if (!isHex) return Uint8Array.from(atob(text), (character) => character.charCodeAt(0));
  return Uint8Array.from(text.match(/../g) ?? [], (pair) => Number.parseInt(pair, 16));
}

const TIMING = [
  "leaseTtl",
  "requestTimeout",
  "expiry",
  "skew",
  "readLag",
  "secondMiss",
  "overlap",
  "tradesEvery",
] as const;
type TimingName = (typeof TIMING)[number];

function timingBound(entry: string): [TimingName, Millis] {
  const [, name, millis] = /^(\w+)=(\d{1,6})$/.exec(entry) ?? [];
  const known = TIMING.find((one) => one === name);
  if (!known)
    throw new SettingsError(`EDGEMAKER_TIMING: a bound is ${TIMING.join(", ")}=milliseconds, not ${entry}`);
  return [known, Number(millis)];
}

const RATE_LIMITS: RateLimits = { address: 60, token: 30, burst: 120, failed: 10, loopback: false };

/** `off`, or what differs from the default: `loopback`, and numbers as in `address=100,burst=200`. */
function rateLimitsOf(entries: readonly string[]): RateLimits | undefined {
  if (entries.length === 1 && entries[0] === "off") return undefined;
  return Object.assign({ ...RATE_LIMITS }, ...entries.map(rateLimit)) as RateLimits;
}

function rateLimit(entry: string): Partial<RateLimits> {
  if (entry === "loopback") return { loopback: true };
  const [, name, count] = /^(address|token|burst|failed|outbound)=([1-9]\d{0,5})$/.exec(entry) ?? [];
  if (name) return { [name]: Number(count) };
  throw new SettingsError(
    `EDGEMAKER_RATE_LIMIT is off, or some of address, token, burst, failed, outbound=1 to 999999 and loopback, not ${entry}`,
  );
}

/** `name=value;…`, each as a person sets it; of these limits none can be switched off. */
function settingsOf(told: string): Limits {
  const entries = told.split(";").map((entry) => entry.trim());
  return Object.fromEntries(
    entries
      .filter((entry) => entry !== "")
      .map((entry) => {
        const [, given = "", value = ""] = /^(\w+)=(.+)$/.exec(entry) ?? [];
        const name = LIMIT_NAMES.find((one) => one === given);
        if (!name)
          throw new SettingsError(
            `EDGEMAKER_LIMITS is name=value;…, of ${LIMIT_NAMES.join(", ")}, not ${entry}`,
          );
        const limit = FORMS[name].read(value);
        if (limit === undefined)
          throw new SettingsError(`EDGEMAKER_LIMITS: ${name} is ${FORMS[name].form}, not ${value}`);
        return [name, limit];
      }),
  );
}

function mostOf(entry: string): [string, Decimal] {
  const [, asset, told = ""] = /^([A-Z0-9]{1,20})=([\d.]+)$/.exec(entry) ?? [];
  const amount = parseDecimal(told);
  if (asset === undefined || amount === undefined)
    throw new SettingsError(
      `EDGEMAKER_MCP_MOST is QUOTE=amount, several with commas, for example USDT=500, not ${entry}`,
    );
  return [asset, amount];
}

function tierOf(entry: string, exchanges: readonly ConfiguredExchange[]): [string, Tier] {
  const [, id = "", name] = /^([^=]+)=(.+)$/.exec(entry) ?? [];
  const venue = exchanges.find((one) => one.id === id)?.venue;
  const tier = venue === "kraken" ? TIERS.kraken.find((one) => one === name) : undefined;
  if (tier) return [id, tier];
  throw new SettingsError(
    `EDGEMAKER_TIERS is exchange=tier, several with commas, for an exchange on kraken and one of ${TIERS.kraken.join(", ")}, not ${entry}`,
  );
}

/** `name=url` of EDGEMAKER_VENUE_URLS or of --venue-url. */
export function venueUrl(entry: string): [string, string] {
  const at = entry.indexOf("=");
  const [name, address] = [entry.slice(0, at), entry.slice(at + 1)];
  if (at < 1 || !url.safeParse(address).success)
    throw new SettingsError(`a venue url is name=http(s)://…, not ${entry}`);
  return [name, address.replace(/\/$/, "")];
}
