import { SettingsError } from "../kernel/errors.ts";
import { prefixOf } from "../kernel/key-names.ts";
import { type Millis, SECOND } from "../kernel/time.ts";
import type { Limits } from "../model/limits.ts";
import type { PromisedPair } from "../model/samples/promise.ts";
import { type Tier, VENUES, type VenueName } from "../model/venues.ts";
import type { LogLevel } from "../ports/local.ts";
import type { RateLimits } from "../transport/limiter.ts";
import type { McpSettings } from "../transport/mcp/options.ts";
import { refuseSameKeys } from "./same-keys.ts";
import { type Environment, refuseUnknownSettings, Settings, venueUrl } from "./setting-names.ts";
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
}

/** Parses every setting from an environment. Throws SettingsError with the name of an invalid setting. */
export function parseConfig(environment: Environment): Config {
  refuseUnknownSettings(environment);
  const set = Object.fromEntries(
    Object.entries(environment).filter(([, value]) => value !== undefined && value !== ""),
  );
  const settings = parseSettings(set);
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
  };
}

const agentSettings = (settings: ReturnType<typeof Settings.parse>): McpSettings => ({
  trading: settings.EDGEMAKER_MCP_TRADING,
  confirm: settings.EDGEMAKER_MCP_CONFIRM,
  strategies: settings.EDGEMAKER_MCP_STRATEGIES,
  most: new Map(settings.EDGEMAKER_MCP_MOST.map(assetAmount)),
  mostADay: new Map(settings.EDGEMAKER_MCP_MOST_A_DAY.map(assetAmount)),
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
