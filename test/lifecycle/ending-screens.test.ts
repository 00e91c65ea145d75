/** What a user sees of a grid that ends by itself. */
import { describe, expect, it } from "vitest";
import { findChromium } from "../support/browser.ts";
import { edgemaker } from "../support/command.ts";
import { servedPage } from "../support/served.ts";

const START = {
  definition: "grid",
  exchange: "kraken",
  symbol: "BTC/USDT",
  config: {
    geometry: "range",
    lowerPrice: 40_000,
    upperPrice: 80_000,
    gridLevels: 4,
    orderSize: 100,
    maxLoss: 250,
    endsAt: "2099-01-02T03:04:00Z",
    onEnd: "sell",
  },
};
const ENDINGS = [
  "at a loss of more than 250 USDT it places nothing until you resume it",
  "it ends at 2099-01-02 03:04 UTC and sells its base",
];

describe("an end time and a maximum loss of a grid", () => {
  const served = servedPage();
  const started = async () => (await served.call<{ id: string }>("POST", "/strategies", START)).id;
  const typed = async (...args: string[]) => {
    const { code, stdout, stderr } = await edgemaker(served.folder, [...args, "--sandbox"]);
    expect([args, code, stderr]).toEqual([args, 0, ""]);
    return stdout;
  };

  it("are in every status on the command line, but not in the specification's JSON", async () => {
    const id = await started();
    const { endings } = await served.call<{ endings: string[] }>("GET", `/strategies/${id}`);
    expect(endings).toEqual(ENDINGS);
    for (const args of [["grid", "status"], ["grid", "status", id], ["grid", "status", "--all"], ["status"]])
      expect([args, (await typed(...args)).replace(/\s+/g, " ")]).toEqual([
        args,
        expect.stringContaining(`by itself ${ENDINGS.join("; ")}`),
      ]);
    const fieldsOf = ({ strategies: [grid = {}] }: { strategies: object[] }) => Object.keys(grid);
    const contract = await served.call<{ strategies: object[] }>("GET", `/strategy/grid/status?id=${id}`);
    expect(fieldsOf(JSON.parse(await typed("grid", "status", id, "--json")))).toEqual(fieldsOf(contract));
    expect(fieldsOf(contract)).not.toContain("endings");
    await served.call("POST", `/strategies/${id}/stop`, {});
    expect(await typed("grid", "status", id)).not.toContain("by itself");
  });

  it.skipIf(!findChromium())("are on the grid's page (skipped without Chromium)", async () => {
    const id = await started();
    const { page, context, errors } = await served.signIn();
    await page.goto(`${served.url}/#/strategy/${id}`);
    await page.getByText(`By itself, ${ENDINGS.join("; ")}.`).waitFor();
    expect(errors).toEqual([]);
    await context.close();
    await served.call("POST", `/strategies/${id}/stop`, {});
  });
});
