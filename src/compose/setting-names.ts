import * as z from "zod";
import { SettingsError } from "../kernel/errors.ts";
import { nearest } from "../kernel/nearest.ts";
import { plainText } from "../kernel/plain-text.ts";
import { VENUES } from "../model/venues.ts";

// A schema takes long to make: settings of one form share one.
const string = z.string();
const flag = z
  .enum(["0", "1", "true", "false"])
  .transform((text) => text === "1" || text === "true")
  .default(false);

const list = string.transform((text) =>
  text
    .split(",")
    .map((part) => part.trim())
    .filter((part) => part !== ""),
);
const listOrNone = list.default([]);
const textOrNone = string.optional();

const wholeNumber = (least: number, most: number) =>
  string.transform((text, context) => {
    const count = /^\d{1,6}$/.test(text) ? Number(text) : Number.NaN;
    if (count >= least && count <= most) return count;
    context.addIssue(`needs a whole number from ${least} to ${most}`);
    return z.NEVER;
  });

const url = z.url({ protocol: /^https?$/ });
const urlOrNone = url.optional();

/** Every setting of the environment and of the configuration file, which has the same keys. */
export const Settings = z.object({
  EDGEMAKER_TOKEN: string.min(16, "needs at least 16 characters").optional(),
  EDGEMAKER_API_URL: urlOrNone,
  EDGEMAKER_DATABASE_URL: textOrNone,
  EDGEMAKER_DATABASE_AUTH_TOKEN: textOrNone,
  EDGEMAKER_EXCHANGES: list.default(Object.keys(VENUES)),
  EDGEMAKER_VENUE_URLS: listOrNone,
  EDGEMAKER_TIERS: listOrNone,
  EDGEMAKER_ALLOWED_HOSTS: listOrNone,
  EDGEMAKER_CORS: listOrNone,
  EDGEMAKER_OUTBOUND_HOSTS: listOrNone,
  EDGEMAKER_HEARTBEAT_URL: urlOrNone,
  EDGEMAKER_HEARTBEAT_SECONDS: wholeNumber(1, 3600).default(30),
  EDGEMAKER_RATE_LIMIT: listOrNone,
  EDGEMAKER_KEK: listOrNone,
  EDGEMAKER_SANDBOX: flag,
  EDGEMAKER_KILL: flag,
  EDGEMAKER_READ_TIMEOUT_MILLIS: wholeNumber(1, 999_999).default(10_000),
  EDGEMAKER_TIMING: listOrNone,
  EDGEMAKER_SUBREQUESTS: wholeNumber(15, 10_000).default(45),
  EDGEMAKER_PASSES_PER_MINUTE: wholeNumber(1, 12).default(1),
  EDGEMAKER_LOG_LEVEL: z.enum(["debug", "info", "warn", "error"]).default("info"),
  EDGEMAKER_LIQUIDITY: listOrNone,
  EDGEMAKER_LIMITS: string.default(""),
  EDGEMAKER_MCP_TRADING: flag,
  EDGEMAKER_MCP_CONFIRM: z.enum(["plan", "terminal"]).default("plan"),
  EDGEMAKER_MCP_MOST: listOrNone,
  EDGEMAKER_MCP_MOST_A_DAY: listOrNone,
});

const CREDENTIAL = /^[A-Z0-9_]+_(API_KEY|SECRET|PASSPHRASE)$/;

export type Environment = Readonly<Record<string, string | undefined>>;

const SETTING_PREFIX = "EDGEMAKER_";

/** Throws SettingsError on a variable that is called like a setting and is none: what it asks for would not be done. */
export function refuseUnknownSettings(environment: Environment): void {
  const known = Object.keys(Settings.shape);
  const unknown = Object.keys(environment).find(
    (name) => name.toUpperCase().startsWith(SETTING_PREFIX) && !known.includes(name),
  );
  if (unknown === undefined) return;
  const wanted = unknown.slice(SETTING_PREFIX.length).toUpperCase();
  const meant = nearest(
    wanted,
    known.map((name) => name.slice(SETTING_PREFIX.length)),
  );
  const hint = /^(DRY|PAPER)_?(RUN|TRAD\w*)?$/.test(wanted)
    ? "each start of a grid asks for its dry run: --dry-run, or dryRun in the body"
    : meant === undefined
      ? `the settings are ${known.join(", ")}`
      : `did you mean ${SETTING_PREFIX}${meant}?`;
  throw new SettingsError(`${plainText(unknown)} is no setting; ${hint}`, { isPublic: true });
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

/** `name=url` of EDGEMAKER_VENUE_URLS or of --venue-url. */
export function venueUrl(entry: string): [string, string] {
  const at = entry.indexOf("=");
  const [name, address] = [entry.slice(0, at), entry.slice(at + 1)];
  if (at < 1 || !url.safeParse(address).success)
    throw new SettingsError(`a venue url is name=http(s)://…, not ${entry}`);
  return [name, address.replace(/\/$/, "")];
}
