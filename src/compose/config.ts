import * as z from "zod/v4-mini";
import { SettingsError } from "../kernel/errors.ts";
import { nearest, plainText, prefixOf } from "../kernel/plain-text.ts";
import { type Millis, SECOND } from "../kernel/time.ts";
import type { Limits } from "../model/limits.ts";
import { type Tier, VENUES, type VenueName } from "../model/market.ts";
import type { PromisedPair } from "../model/samples/promise.ts";
import type { LogLevel } from "../ports/within-time.ts";
import type { RateLimits } from "../transport/access.ts";
import type { McpSettings } from "../transport/mcp/plans.ts";
import {
  assetAmount,
  kekOf,
  limitSettingsOf,
  originOf,
  rateLimitsOf,
  type TimingName,
  tierOf,
  timingBound,
  watchedOf,
} from "./setting-values.ts";

const isVenue = (name: string): name is VenueName => Object.hasOwn(VENUES, name);

export interface ConfiguredExchange {
  readonly id: string;
  readonly venue: VenueName;
  readonly keys?:
    | {
        readonly key: string;
        readonly secret: string;
        readonly passphrase?: string | undefined;
        /** `file` for keys in `edgemaker.json`, where earlier versions stored them; otherwise the environment. */
        readonly from?: "file";
      }
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
  /** Whether this process places no orders. */
  readonly kill: boolean;
  readonly allowedHosts: readonly string[];
  /** Origins whose pages can call the API from a browser. */
  readonly origins: readonly string[];
  /** Hosts to which messages are allowed although they are private, or use http. */
  readonly outboundHosts: readonly string[];
  /**
   * URL that is called after successful passes over all accounts, at most once per interval; a monitoring service
   * alerts when the calls stop.
   */
  readonly heartbeat: { readonly url: string; readonly every: Millis } | undefined;
  /** Maximum request rates per address and token; undefined: no limits. */
  readonly rateLimits: RateLimits | undefined;
  /** Base URLs by exchange id, which replace the exchanges' own. */
  readonly venueUrls: ReadonlyMap<string, string>;
  /** Account tiers by exchange id, for exchanges whose rate limits depend on them. */
  readonly tiers: ReadonlyMap<string, Tier>;
  /** Time limit of one public read. */
  readonly readTimeoutMillis: Millis;
  /** Other timing limits for exchanges on this machine, in milliseconds by name, because emulated ones respond sooner. */
  readonly timing: Partial<Record<TimingName, Millis>>;
  /** The folder of the user's own strategies. */
  readonly strategies: string;
  readonly logLevel: LogLevel;
  /** Whether messages of the exchanges start passes early. */
  readonly stream: boolean;
  /** On Workers: maximum requests per invocation, and passes per minute. */
  readonly subrequests: number;
  readonly passesPerMinute: number;
  /** Pairs whose order books are sampled, with their agreements. */
  readonly watched: readonly PromisedPair[];
  /** Limits that apply in addition to the stored ones. */
  readonly limits: Limits;
  /** Permissions of agents. */
  readonly mcp: McpSettings;
  /** Settings with an old name. */
  readonly notices: readonly string[];
}

/** Parses every setting from an environment. Throws SettingsError with the name of an invalid setting. */
export function parseConfig(environment: Environment): Config {
  refuseUnknownSettings(environment);
  const set = Object.fromEntries(
    Object.entries(environment).filter(([, value]) => value !== undefined && value !== ""),
  );
  const { settings: current, notices } = withCurrentNames(set);
  const settings = parseSettings(current);
  const exchanges = requireEachOnce(
    settings.EDGEMAKER_EXCHANGES.map((entry) => configuredExchange(entry, set)),
  );
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
    origins: settings.EDGEMAKER_CORS.map(originOf),
    outboundHosts: settings.EDGEMAKER_OUTBOUND_HOSTS.map((host) => host.toLowerCase()),
    heartbeat: settings.EDGEMAKER_HEARTBEAT_URL
      ? { url: settings.EDGEMAKER_HEARTBEAT_URL, every: settings.EDGEMAKER_HEARTBEAT_SECONDS * SECOND }
      : undefined,
    rateLimits: rateLimitsOf(settings.EDGEMAKER_RATE_LIMIT),
    venueUrls: new Map(settings.EDGEMAKER_VENUE_URLS.map(venueUrl)),
    tiers: new Map(settings.EDGEMAKER_TIERS.map((entry) => tierOf(entry, exchanges))),
    readTimeoutMillis: settings.EDGEMAKER_READ_TIMEOUT_MILLIS,
    timing: Object.fromEntries(settings.EDGEMAKER_TIMING.map(timingBound)),
    strategies: settings.EDGEMAKER_STRATEGIES,
    logLevel: settings.EDGEMAKER_LOG_LEVEL,
    stream: settings.EDGEMAKER_STREAM,
    subrequests: settings.EDGEMAKER_SUBREQUESTS,
    passesPerMinute: settings.EDGEMAKER_PASSES_PER_MINUTE,
    watched: settings.EDGEMAKER_LIQUIDITY.map((entry) => watchedOf(entry, exchanges)),
    limits: limitSettingsOf(settings.EDGEMAKER_LIMITS),
    mcp: agentSettings(settings),
    notices,
  };
}

const agentSettings = (settings: ReturnType<typeof Settings.parse>): McpSettings => ({
  trading: settings.EDGEMAKER_MCP_TRADING,
  confirm: settings.EDGEMAKER_MCP_CONFIRM,
  strategies: settings.EDGEMAKER_MCP_STRATEGIES,
  maxNotional: new Map(settings.EDGEMAKER_MCP_MAX_NOTIONAL.map(assetAmount)),
  maxNotionalPerDay: new Map(settings.EDGEMAKER_MCP_MAX_NOTIONAL_PER_DAY.map(assetAmount)),
});

function parseSettings(set: Environment): ReturnType<typeof Settings.parse> {
  // Settings are parsed once or twice, so compiling a parser would take longer.
  const parsed = Settings.safeParse(set, { jitless: true });
  if (parsed.success) return parsed.data;
  const [issue] = parsed.error.issues;
  throw new SettingsError(`${issue?.path.join(".")}: ${issue?.message}`);
}

function configuredExchange(entry: string, environment: Environment): ConfiguredExchange {
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

/** Refuses two accounts of one name, because each would treat the other's orders as unknown. */
function requireEachOnce(exchanges: readonly ConfiguredExchange[]): readonly ConfiguredExchange[] {
  const prefixes = exchanges.map(({ id }) => prefixOf(id));
  const twice = exchanges.find(({ id }, index) => prefixes.indexOf(prefixOf(id)) < index);
  if (twice) throw new SettingsError(`EDGEMAKER_EXCHANGES: ${twice.id} is named twice`);
  refuseSameKeys(exchanges.flatMap(({ id, venue, keys }) => (keys ? [{ id, venue, key: keys.key }] : [])));
  return exchanges;
}

/** Keys with the exchange id that uses them. */
export interface AccountKeys {
  readonly id: string;
  readonly venue: string;
  readonly key: string;
}

/**
 * Refuses two exchange ids with the same keys, because each would treat the other's orders as unknown. Throws
 * SettingsError with their names.
 */
export function refuseSameKeys(accounts: readonly AccountKeys[]): void {
  for (const [index, { id, venue, key }] of accounts.entries()) {
    const other = accounts.slice(0, index).find((before) => before.venue === venue && before.key === key);
    if (other)
      throw new SettingsError(
        `${other.id} and ${id} have the same API key: one account needs one exchange id`,
      );
  }
}

// Every command, server and worker creates these first, so they use zod's small variant, which takes a quarter of the
// time, under the name that the MCP SDK uses: with two names, a bundle in one file would create it too late.
const string = z.string();
const oneOf = <const Names extends readonly string[]>(names: Names) =>
  z.enum(names, { error: `must be one of ${names.join(", ")}` });
const wholeNumber = (least: number, most: number) =>
  z.pipe(
    string.check(
      z.refine(
        (text) => /^\d{1,6}$/.test(text) && Number(text) >= least && Number(text) <= most,
        `must be a whole number from ${least} to ${most}`,
      ),
    ),
    z.transform(Number),
  );

// Settings with the same format share one schema.
const textSetting = z.optional(string);
const url = z.url({ protocol: /^https?$/, error: "must be a URL of http or https" });
const urlSetting = z.optional(url);
const onOffSetting = z.pipe(
  oneOf(["0", "1", "true", "false"]),
  z.transform((result) => result === "1" || result === "true"),
);
const flagSetting = z._default(onOffSetting, false);
const parts = z.pipe(
  string,
  z.transform((output) =>
    output
      .split(",")
      .map((part) => part.trim())
      .filter((part) => part !== ""),
  ),
);
const listSetting = z._default(parts, []);

/** Every setting of the environment and of the configuration file, which has the same keys. */
export const Settings = z.object({
  EDGEMAKER_TOKEN: z.optional(string.check(z.minLength(16, "needs at least 16 characters"))),
  EDGEMAKER_API_URL: urlSetting,
  EDGEMAKER_DATABASE_URL: textSetting,
  EDGEMAKER_DATABASE_AUTH_TOKEN: textSetting,
  EDGEMAKER_STRATEGIES: z._default(string, "strategies"),
  EDGEMAKER_EXCHANGES: z._default(parts, Object.keys(VENUES)),
  EDGEMAKER_VENUE_URLS: listSetting,
  EDGEMAKER_TIERS: listSetting,
  EDGEMAKER_ALLOWED_HOSTS: listSetting,
  EDGEMAKER_CORS: listSetting,
  EDGEMAKER_OUTBOUND_HOSTS: listSetting,
  EDGEMAKER_HEARTBEAT_URL: urlSetting,
  EDGEMAKER_HEARTBEAT_SECONDS: z._default(wholeNumber(1, 3600), 30),
  EDGEMAKER_RATE_LIMIT: listSetting,
  EDGEMAKER_KEK: listSetting,
  EDGEMAKER_SANDBOX: flagSetting,
  EDGEMAKER_KILL: flagSetting,
  EDGEMAKER_READ_TIMEOUT_MILLIS: z._default(wholeNumber(1, 999_999), 10_000),
  EDGEMAKER_TIMING: listSetting,
  EDGEMAKER_STREAM: z._default(onOffSetting, true),
  EDGEMAKER_SUBREQUESTS: z._default(wholeNumber(15, 10_000), 45),
  EDGEMAKER_PASSES_PER_MINUTE: z._default(wholeNumber(1, 12), 1),
  EDGEMAKER_LOG_LEVEL: z._default(oneOf(["debug", "info", "warn", "error"]), "info"),
  EDGEMAKER_LIQUIDITY: listSetting,
  EDGEMAKER_LIMITS: z._default(string, ""),
  EDGEMAKER_MCP_TRADING: flagSetting,
  EDGEMAKER_MCP_CONFIRM: z.optional(oneOf(["plan", "terminal"])),
  EDGEMAKER_MCP_STRATEGIES: z._default(oneOf(["own", "all"]), "own"),
  EDGEMAKER_MCP_MAX_NOTIONAL: listSetting,
  EDGEMAKER_MCP_MAX_NOTIONAL_PER_DAY: listSetting,
});

/** Old names of settings, which this release still reads. */
const OLD_NAMES: Readonly<Record<string, string>> = {
  EDGEMAKER_MCP_MOST: "EDGEMAKER_MCP_MAX_NOTIONAL",
  EDGEMAKER_MCP_MOST_A_DAY: "EDGEMAKER_MCP_MAX_NOTIONAL_PER_DAY",
};

/** Returns the settings under their current names, and a notice for each old name. */
export function withCurrentNames(set: Environment): {
  readonly settings: Environment;
  readonly notices: readonly string[];
} {
  const old = Object.keys(set).filter((name) => Object.hasOwn(OLD_NAMES, name));
  const renamed = Object.fromEntries(old.map((name) => [OLD_NAMES[name] as string, set[name]]));
  const notices = old.map(
    (name) =>
      `${name} is now ${OLD_NAMES[name]}; rename it, because the next release does not read the old name`,
  );
  return { settings: { ...renamed, ...set }, notices };
}

const CREDENTIAL = /^[A-Z0-9_]+_(API_KEY|SECRET|PASSPHRASE)$/;

type Environment = Readonly<Record<string, string | undefined>>;

const SETTING_PREFIX = "EDGEMAKER_";

/** Throws SettingsError for an unknown variable with the prefix of settings, because it would have no effect. */
export function refuseUnknownSettings(environment: Environment): void {
  const known = Object.keys(Settings.shape);
  const unknown = Object.keys(environment).find(
    (name) =>
      name.toUpperCase().startsWith(SETTING_PREFIX) &&
      !known.includes(name) &&
      !Object.hasOwn(OLD_NAMES, name),
  );
  if (unknown === undefined) return;
  const typed = unknown.slice(SETTING_PREFIX.length).toUpperCase();
  const meant = nearest(
    typed,
    known.map((name) => name.slice(SETTING_PREFIX.length)),
  );
  const hint = /^(DRY|PAPER)_?(RUN|TRAD\w*)?$/.test(typed)
    ? "set dry run at each start: --dry-run, or dryRun in the body"
    : meant === undefined
      ? `the settings are ${known.join(", ")}`
      : `did you mean ${SETTING_PREFIX}${meant}?`;
  throw new SettingsError(`${plainText(unknown)} is not a setting; ${hint}`, { isPublic: true });
}

/**
 * Converts the configuration file to an environment. Throws for unknown keys, because a typing error must not be
 * ignored.
 */
export function parseConfigFile(content: unknown): Environment {
  const parsed = z.record(z.string(), z.string()).safeParse(content);
  if (!parsed.success)
    throw new SettingsError("the configuration file must be a JSON object with text values");
  for (const key of Object.keys(parsed.data)) {
    if (!Object.hasOwn({ ...Settings.shape, ...OLD_NAMES }, key) && !CREDENTIAL.test(key))
      throw new SettingsError(`the configuration file has an unknown key: ${key}`);
  }
  return parsed.data;
}

/** Parses `name=url` from EDGEMAKER_VENUE_URLS or --venue-url. */
export function venueUrl(entry: string): [string, string] {
  const at = entry.indexOf("=");
  const [name, address] = [entry.slice(0, at), entry.slice(at + 1)];
  if (at < 1 || !url.safeParse(address).success)
    throw new SettingsError(`an exchange's address is name=http(s)://…, not ${entry}`);
  return [name, address.replace(/\/$/, "")];
}
