import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { edgemaker, type Ran, together } from "../support/command.ts";
import { makeFolder, tempFolder } from "../support/temp.ts";

const FILE = "profile.json";
const TRADE = ["trade", "--strategy", "grid", "--exchange", "kraken", "--symbol", "BTC/USDT", "--preview"];
const PROFILE = {
  name: "calm",
  description: "narrow inside, wide outside",
  levels: 3,
  spacingModel: "custom",
  baseSpacing: 0.01,
  spacingFactor: 1.5,
  sizeModel: "custom",
  baseSize: 200,
  customSpacings: [0.01, 0.03, 0.07],
  sizeWeights: [2, 1, 0.5],
};

interface Planned {
  readonly details: Record<string, number | string>;
  readonly orders: readonly { readonly side: string; readonly price: string; readonly amount: string }[];
}

const ARGS = [...TRADE, "--sandbox", "--grid-profile", FILE, "--json"];
const writeProfile = (folder: string, profile: unknown) =>
  writeFileSync(join(folder, FILE), typeof profile === "string" ? profile : JSON.stringify(profile));

const run = (profile: unknown, flags: readonly string[] = []) => {
  const folder = tempFolder();
  writeProfile(folder, profile);
  return edgemaker(folder, [...ARGS, ...flags]);
};

const WRONG: readonly (readonly [string, unknown, RegExp])[] = [
  ["no JSON", "{levels: 3}", /cannot be read/],
  ["a list", [PROFILE], /profile\.json: .*object/],
  ["an unknown field", { level: 3 }, /level/],
  ["text for a number", { levels: "3" }, /profile\.json: levels: /],
  ["text in a list", { ...PROFILE, customSpacings: [0.01, "0.03", 0.07] }, /: customSpacings\.1: /],
  ["too many levels", { levels: 11 }, /profile\.json: levels: .*1 to 10/],
  ["a negative size", { baseSize: -5 }, /profile\.json: baseSize: .*positive/],
  ["a spacing of nothing", { baseSpacing: 0 }, /profile\.json: baseSpacing: .*positive/],
  ["another model", { spacingModel: "cubic" }, /profile\.json: spacingModel: .*linear or geometric/],
  [
    "a negative share",
    { ...PROFILE, customSpacings: [0.01, -0.03, 0.07] },
    /: customSpacings\.1: .*positive/,
  ],
  ["falling shares", { ...PROFILE, customSpacings: [0.03, 0.01, 0.07] }, /: customSpacings: .*increasing/],
  ["too few multiples", { ...PROFILE, sizeWeights: [1, 2] }, /: sizeWeights: .*one multiple per level/],
];

describe("an invalid field of --grid-profile, named by its path:", () => {
  const { path: folder, remove } = makeFolder();
  let ran: readonly Ran[] = [];
  beforeAll(async () => {
    const lines = WRONG.map(([, profile], place) => {
      const cwd = join(folder, String(place));
      mkdirSync(cwd);
      writeProfile(cwd, profile);
      return { args: ARGS, cwd };
    });
    ran = await together(folder, lines);
  });
  afterAll(remove);

  it.each(WRONG.map(([what, , pattern], place) => ({ what, pattern, place })))(
    "$what",
    ({ pattern, place }) => {
      const { code, stdout, stderr } = ran[place] as Ran;
      expect({ code, stdout }).toEqual({ code: 2, stdout: "" });
      expect(stderr).toMatch(pattern);
      expect(stderr).not.toMatch(/\n {4}at /);
    },
  );
});

describe("--grid-profile", () => {
  it("lays out the grid by the profile and overrides the matching flags", async () => {
    const flags = ["--levels", "8", "--size", "77", "--spacing", "0.2", "--size-model", "flat"];
    const { code, stdout, stderr } = await run(PROFILE, [...flags, "--spacing-model", "linear"]);
    expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
    const { details, orders } = JSON.parse(stdout) as Planned;
    expect(details).toMatchObject({ gridLevels: 6, orderSize: "200" });
    const buys = orders
      .map(({ side, price, amount }) => ({ side, price: Number(price), amount: Number(amount) }))
      .filter(({ side }) => side === "buy")
      .sort((a, b) => b.price - a.price);
    expect(buys.map(({ price, amount }) => Math.round((price * amount) / 10) * 10)).toEqual([400, 200, 100]);
    const center = (buys[0]?.price ?? 0) / 0.99;
    expect(buys.map(({ price }) => Math.round((1 - price / center) * 1000) / 1000)).toEqual([
      0.01, 0.03, 0.07,
    ]);
  });

  it("does not affect flags for fields that the profile omits", async () => {
    const { code, stdout } = await run({ levels: 2 }, [
      "--use-own-base",
      "--size",
      "300",
      "--spacing",
      "0.05",
    ]);
    const { details, orders } = JSON.parse(stdout) as Planned;
    expect({ code, orders: orders.length, size: details.orderSize }).toEqual({
      code: 0,
      orders: 4,
      size: "300",
    });
    expect(Number(details.gridSpacing) / (Number(details.lowerPrice) / 0.9)).toBeCloseTo(0.05, 4);
  });

  it("rejects a missing file", async () => {
    const { code, stderr } = await edgemaker(tempFolder(), [...TRADE, "--grid-profile", "none.json"]);
    expect({ code, stderr }).toEqual({ code: 2, stderr: expect.stringMatching(/none\.json cannot be read/) });
  });

  it("does not blame the profile for the value of a flag", async () => {
    const { code, stderr } = await run({ levels: 2 }, ["--size", "0"]);
    expect(code).toBe(2);
    expect(stderr).toMatch(/^Invalid order size: /);
  });
});
