import { describe, expect, it } from "vitest";
import { DAY } from "../../../src/kernel/time.ts";
import type { VenueName } from "../../../src/model/market.ts";
import { liveApp } from "../../support/live.ts";
import { runOperation } from "../../support/sandbox.ts";

const CASES: readonly (readonly [string, VenueName, boolean])[] = [
  ["mexc", "mexc", false],
  ["gateio", "gateio", false],
  ["gateio, a unified account", "gateio", true],
  ["bitget", "bitget", false],
  ["bitget, a unified account", "bitget", true],
  ["kraken", "kraken", false],
];

describe.each(CASES)("a key of %s", (_case, name, unified) => {
  it.each([true, false])("is detected with its rights (may withdraw: %s)", async (withdraw) => {
    const { deps, venues } = await liveApp([name], { unified });
    const keys = venues[name].addKeys({ account: venues[name].account, may: { withdraw } });
    const result = await deps.live?.venues.checkKeys(name, keys);
    const hasKinds = name === "bitget" || name === "gateio";
    const kind = hasKinds ? (unified ? "unified" : "classic") : undefined;
    expect(result).toEqual({ assets: 8, unreadable: [], mayWithdraw: withdraw, kind });
  });
});

describe("the rights of a key", () => {
  const mayWithdraw = async (name: VenueName, code: string) => {
    const { deps, venues } = await liveApp([name]);
    venues[name].fail({ kind: "says", route: "permissions", code, text: "no permission for this" });
    return (await deps.live?.venues.checkKeys(name))?.mayWithdraw;
  };

  // The key reads balances: it lacks a right, and is a right one.
  it.each<[VenueName, string]>([
    ["gateio", "FORBIDDEN"],
    ["bitget", "40014"],
    ["kraken", "EGeneral:Permission denied"],
  ])("are not reported by %s to a key without permission to read them (%s)", async (name, code) => {
    expect(await mayWithdraw(name, code)).toBeUndefined();
  });

  it("are not reported by gate for a key that is not among the main account's", async () => {
    const { deps, venues } = await liveApp(["gateio"]);
    const keys = venues.gateio.addKeys({ account: venues.gateio.account, key: "0000-of-a-sub-account" });
    expect((await deps.live?.venues.checkKeys("gateio", keys))?.mayWithdraw).toBeUndefined();
  });
});

describe("the configured keys", () => {
  const NAMES = ["mexc", "gateio", "bitget", "kraken"] as const;
  const start = async (withdraw: boolean) => {
    const said: string[] = [];
    const log = (level: string, message: string) => void said.push(`${level}: ${message}`);
    const app = await liveApp(NAMES, { log });
    for (const name of NAMES) app.venues[name].grant({ withdraw });
    const warnings = async () =>
      (await runOperation<{ warnings: string[] }>(app.deps, "get_grid_status", {})).warnings;
    return { ...app, said, warnings, rights: app.deps.live?.venues.rights };
  };

  it("are checked at the start; those that can withdraw appear in the log and in the status", async () => {
    const { said, warnings, rights, venues } = await start(true);
    expect(await warnings()).toEqual([]);
    expect(await rights?.ask(0)).toBe(true);
    const lines = NAMES.map(
      (name) => `the keys of ${name} can withdraw; create keys that can only read and trade`,
    );
    expect(said.filter((line) => line.includes("withdraw"))).toEqual(lines.map((line) => `warn: ${line}`));
    expect(await warnings()).toEqual(lines);
    for (const name of NAMES) venues[name].grant({ withdraw: false });
    await rights?.ask(DAY);
    expect(await warnings()).toEqual(lines);
    await rights?.ask(0);
    expect(await warnings()).toEqual([]);
  });

  it("cause no warning where they can only read and trade", async () => {
    const { said, warnings, rights } = await start(false);
    await rights?.ask(0);
    expect([said.filter((line) => !line.startsWith("debug")), await warnings()]).toEqual([[], []]);
  });

  it("keep their warning when the check fails, and are not checked again within a day", async () => {
    const { said, warnings, rights, venues } = await start(true);
    await rights?.ask(0);
    for (const name of NAMES) venues[name].fail({ kind: "bad_gateway", route: ["permissions", "balance"] });
    await rights?.ask(0);
    expect(said.filter((line) => line.includes("does not show the permissions"))).toHaveLength(4);
    expect(await warnings()).toHaveLength(4);
    for (const name of NAMES) venues[name].resetCounts();
    expect(await rights?.ask(DAY)).toBe(true);
    expect(NAMES.map((name) => venues[name].count())).toEqual([0, 0, 0, 0]);
  });

  it("are checked one after the other while there is time", async () => {
    const { rights, venues } = await start(false);
    let left = 2;
    expect(await rights?.ask(0, () => left-- > 0)).toBe(false);
    expect(NAMES.filter((name) => venues[name].count() > 0)).toHaveLength(2);
    expect(await rights?.ask(DAY)).toBe(true);
    expect(NAMES.filter((name) => venues[name].count() > 0)).toHaveLength(4);
  });
});
