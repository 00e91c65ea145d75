import { expect, it, onTestFinished } from "vitest";
import { runRound } from "../../src/engine/pass/round.ts";
import { decimal } from "../../src/kernel/decimal.ts";
import { MINUTE, type Millis, SECOND } from "../../src/kernel/time.ts";
import { appOver } from "../support/app.ts";
import { emulatedExchanges } from "../support/emulated.ts";
import { gridInput } from "../support/requests.ts";
import { runOperation } from "../support/sandbox.ts";

interface Reported {
  readonly lastError: string | null;
  readonly refused: readonly { readonly reason: string; readonly detail?: string }[];
}

it("slots at a lasting limit are retried with backoff, and at once when it is raised", async () => {
  const { deps, time, exchange, close } = await emulatedExchanges({ names: ["bitget"] });
  onTestFinished(close);
  const venue = exchange("bitget");
  const app = await appOver(deps);
  const limit = async (dayNotional: string) => {
    const answer = await app.ask("/api/v1/limits", {
      method: "PUT",
      headers: { authorization: `Bearer ${app.tokens.admin}`, "content-type": "application/json" },
      body: JSON.stringify({ dayNotional }),
    });
    expect(answer.status).toBe(200);
  };
  const pass = async (millis: Millis) => {
    for (let passed = 0; passed < millis; passed += 5 * SECOND) {
      time.pass(5 * SECOND);
      await runRound(deps);
    }
  };
  const { id } = await runOperation<{ id: string }>(
    deps,
    "start_grid",
    gridInput({ exchange: "bitget", gridLevels: 6, orderSize: decimal("60") }),
  );
  await limit("USDT=1");
  for (const { id: order } of venue.open()) venue.engine.cancel(venue.account, order);
  venue.resetCounts();
  await pass(10 * MINUTE);
  // Of 120 passes those look at the balance that try again: after 15 s, 30 s, a minute and so on.
  expect(venue.count("balance")).toBeLessThanOrEqual(8);
  const status = async () =>
    (await runOperation<{ strategies: [Reported] }>(deps, "get_grid_status", { id })).strategies[0];
  const result = await status();
  expect(result.lastError).toBeNull();
  expect(result.refused.map(({ reason }) => reason)).toEqual(Array(6).fill("limit_day"));
  expect(result.refused[0]?.detail).toMatch(/the limit dayNotional is .*; it is tried again after \d+ s$/);
  await limit("off");
  await pass(10 * SECOND);
  expect(venue.open()).toHaveLength(6);
  expect((await status()).refused).toEqual([]);
});
