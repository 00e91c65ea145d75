import { expect, it } from "vitest";
import { deployment } from "../../support/deployment.ts";
import { fireCron } from "../../support/edge-live.ts";

it.each([true, false])(
  "one cron makes a pass each five seconds when twelve a minute are set (queue: %s)",
  async (queue) => {
    const edge = await deployment(1, {
      only: ["mexc"],
      queue,
      settings: { EDGEMAKER_PASSES_PER_MINUTE: "12" },
    });
    const worker = await edge.start();
    const grid = { symbol: "BTC/USDT", lowerPrice: 57_000, upperPrice: 63_000, gridLevels: 4, orderSize: 60 };
    await edge.startGrid(worker, { exchange: "mexc", ...grid });
    const startedAt = performance.now();
    const fired = fireCron(worker, Date.UTC(2026, 0, 1)).catch(() => undefined);
    const turns = await edge.turnsEnded(0, 3);
    const seconds = (performance.now() - startedAt) / 1000;
    expect(turns.slice(0, 3).map(({ outcome }) => outcome)).toEqual(["stepped", "stepped", "stepped"]);
    expect(seconds).toBeGreaterThan(9);
    await worker.dispose();
    await fired;
    await edge.close();
  },
);
