import { describe, expect, it } from "vitest";
import { readSettings, tickInterval } from "../../../cli/host/settings.ts";
import { parseConfig } from "../../../src/compose/config.ts";
import { SettingsError } from "../../../src/kernel/errors.ts";

describe("EDGEMAKER_EXCHANGES", () => {
  it("names accounts, each with separate keys", () => {
    const { exchanges } = parseConfig({
      EDGEMAKER_EXCHANGES: "kraken, kraken-two=kraken",
      KRAKEN_API_KEY: "a",
      KRAKEN_SECRET: "b",
      KRAKEN_TWO_API_KEY: "c",
      KRAKEN_TWO_SECRET: "d",
    });
    expect(exchanges).toEqual([
      { id: "kraken", venue: "kraken", keys: { key: "a", secret: "b" } },
      { id: "kraken-two", venue: "kraken", keys: { key: "c", secret: "d" } },
    ]);
  });

  it.each([
    ["kraken,mexc,kraken", /kraken is named twice/],
    ["kraken,kraken=mexc", /kraken is named twice/],
    // Both would have the keys of KRAKEN_TWO_API_KEY.
    ["kraken-two=kraken,kraken_two=kraken", /kraken_two is named twice/],
    ["a=kraken=mexc", /kraken=mexc is not supported/],
  ])("rejects %s", (text, pattern) => {
    expect(() => parseConfig({ EDGEMAKER_EXCHANGES: text })).toThrow(SettingsError);
    expect(() => parseConfig({ EDGEMAKER_EXCHANGES: text })).toThrow(pattern);
  });
});

describe("EDGEMAKER_TIERS", () => {
  const exchanges = { EDGEMAKER_EXCHANGES: "kraken,kraken-two=kraken,mexc" };

  it("sets the kraken tier of each account", () => {
    const { tiers } = parseConfig({ ...exchanges, EDGEMAKER_TIERS: "kraken=pro, kraken-two=intermediate" });
    expect([...tiers]).toEqual([
      ["kraken", "pro"],
      ["kraken-two", "intermediate"],
    ]);
  });

  it.each(["kraken=gold", "mexc=pro", "bitget=pro", "pro"])("rejects tiers: %s", (text) => {
    const parse = () => parseConfig({ ...exchanges, EDGEMAKER_TIERS: text });
    expect(parse).toThrow(SettingsError);
    expect(parse).toThrow(/tiers of starter, intermediate, pro/);
  });
});

describe("the allowed values of a setting", () => {
  const WHOLE = "must be a whole number from 15 to 10000";
  it.each([
    ...["14", "10001", "1234567", "1e2", " 20", "20.5", "-20", "many"].map((text) => [
      "SUBREQUESTS",
      text,
      WHOLE,
    ]),
    ["SANDBOX", "yes", "must be one of 0, 1, true, false"],
    ["LOG_LEVEL", "loud", "must be one of debug, info, warn, error"],
    ["MCP_CONFIRM", "0", "must be one of plan, terminal"],
    ["API_URL", "ftp://host", "must be a URL of http or https"],
    ["HEARTBEAT_URL", "host", "must be a URL of http or https"],
    ["TOKEN", "fifteen-letters", "needs at least 16 characters"],
  ])("appear in the error when EDGEMAKER_%s is %s", (name, text, output) => {
    const parse = () => parseConfig({ [`EDGEMAKER_${name}`]: text });
    expect(parse).toThrow(new SettingsError(`EDGEMAKER_${name}: ${output}`));
  });

  it.each([
    ["15", 15],
    ["10000", 10_000],
    ["", 45],
    [undefined, 45],
  ])("include %s as that number of subrequests", (text, reportedValue) => {
    expect(parseConfig({ EDGEMAKER_SUBREQUESTS: text }).subrequests).toBe(reportedValue);
  });

  it("include lists with spaces and empty parts, and both words for true", () => {
    const config = parseConfig({ EDGEMAKER_ALLOWED_HOSTS: " A.org, ,b.org,", EDGEMAKER_KILL: "true" });
    expect([config.allowedHosts, config.kill, config.sandbox]).toEqual([["a.org", "b.org"], true, false]);
  });
});

describe("an unknown EDGEMAKER_ setting", () => {
  it.each([
    ["EDGEMAKER_SANDBX", "1", /EDGEMAKER_SANDBX is not a setting; did you mean EDGEMAKER_SANDBOX\?/],
    ["EDGEMAKER_EXCHANGE", "kraken", /did you mean EDGEMAKER_EXCHANGES\?/],
    ["edgemaker_sandbox", "1", /edgemaker_sandbox is not a setting; did you mean EDGEMAKER_SANDBOX\?/],
    // Empty means not set, of a setting; of what is none it is a slip all the same.
    ["EDGEMAKER_TOKN", "", /did you mean EDGEMAKER_TOKEN\?/],
    ["EDGEMAKER_DRY_RUN", "1", /EDGEMAKER_DRY_RUN is not a setting.*--dry-run/],
    ["EDGEMAKER_DRYRUN", "true", /EDGEMAKER_DRYRUN is not a setting.*--dry-run/],
    ["EDGEMAKER_COLOURFUL", "1", /the settings are .*EDGEMAKER_SANDBOX/],
  ])("is rejected by name: %s", (name, value, pattern) => {
    expect(() => parseConfig({ [name]: value })).toThrow(SettingsError);
    expect(() => parseConfig({ [name]: value })).toThrow(pattern);
  });

  it("does not include the settings of other programs", () => {
    expect(() => parseConfig({ MY_EDGEMAKER_DRY_RUN: "1", EDGE: "1" })).not.toThrow();
  });
});

it.each(["0", "-1", "1.5", "86400001", "1e3"])("--tick-interval rejects %s", (text) => {
  expect(() => tickInterval({ "tick-interval": text })).toThrow(
    /--tick-interval must be a whole number from 1 to 86400000/,
  );
});

it("gives plans of agents the flags that name the database", () => {
  const flagsOf = (values: object) => readSettings(values as never, {}).config.mcp.commandFlags;
  expect(flagsOf({ sandbox: true })).toBe(" --sandbox");
  expect(flagsOf({ sandbox: true, db: "file:my grids.db" })).toBe(" --sandbox --db 'file:my grids.db'");
  expect(flagsOf({})).toBe("");
});
