import * as z from "zod/v4-mini";
import { SettingsError } from "../kernel/errors.ts";
import { nearest } from "../kernel/nearest.ts";
import { plainText } from "../kernel/plain-text.ts";
import { VENUES } from "../model/venues.ts";

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
  EDGEMAKER_MCP_MOST: listSetting,
  EDGEMAKER_MCP_MOST_A_DAY: listSetting,
});

const CREDENTIAL = /^[A-Z0-9_]+_(API_KEY|SECRET|PASSPHRASE)$/;

export type Environment = Readonly<Record<string, string | undefined>>;

const SETTING_PREFIX = "EDGEMAKER_";

/** Throws SettingsError for an unknown variable with the prefix of settings, because it would have no effect. */
export function refuseUnknownSettings(environment: Environment): void {
  const known = Object.keys(Settings.shape);
  const unknown = Object.keys(environment).find(
    (name) => name.toUpperCase().startsWith(SETTING_PREFIX) && !known.includes(name),
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
    if (!Object.hasOwn(Settings.shape, key) && !CREDENTIAL.test(key))
      throw new SettingsError(`the configuration file has an unknown key: ${key}`);
  }
  return parsed.data;
}

/** Parses `name=url` from EDGEMAKER_VENUE_URLS or --venue-url. */
export function venueUrl(entry: string): [string, string] {
  const at = entry.indexOf("=");
  const [name, address] = [entry.slice(0, at), entry.slice(at + 1)];
  if (at < 1 || !url.safeParse(address).success)
    throw new SettingsError(`a venue url is name=http(s)://…, not ${entry}`);
  return [name, address.replace(/\/$/, "")];
}
