import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { step } from "../../src/engine/pass/step.ts";
import { decimal } from "../../src/kernel/decimal.ts";
import { SECOND } from "../../src/kernel/time.ts";
import { gridInput } from "../support/requests.ts";
import { runOperation, testSandbox } from "../support/sandbox.ts";
import { type Figure, repeat } from "./figure.ts";

/** Passes per second over one account with 20 grids of 20 slots, on a database file. */
export async function stepFigures(): Promise<Figure[]> {
  const folder = mkdtempSync(join(tmpdir(), "edgemaker-bench-"));
  const { deps, venue, time, context } = await testSandbox({ url: `file:${join(folder, "steps.db")}` });
  const kraken = venue("kraken");
  for (let place = 0; place < 20; place++) {
    const shift = BigInt(place) * decimal("7");
    await runOperation(
      deps,
      "start_grid",
      gridInput({
        lowerPrice: decimal("55000") + shift,
        upperPrice: decimal("65000") + shift,
        gridLevels: 20,
        orderSize: decimal("50"),
      }),
    );
  }
  const runs = await repeat(async () => {
    const startedAt = performance.now();
    let count = 0;
    for (; performance.now() - startedAt < 3 * SECOND; count++) {
      time.pass(SECOND);
      const { outcome, message } = await step(deps, kraken);
      if (outcome !== "stepped") throw new Error(`a pass ${outcome}: ${message}`);
    }
    return (count * SECOND) / (performance.now() - startedAt);
  });
  context.client.close();
  rmSync(folder, { recursive: true, force: true });
  return [{ name: "passes over one account with 20 grids of 20 slots", unit: "passes/s", runs }];
}
