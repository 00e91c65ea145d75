/** The switch is looked at when a request leaves, not when it was asked for: real adapter, real sockets. */

import { describe, expect, it, onTestFinished } from "vitest";
import { RECORD_VALID_MS } from "../../src/ports/kill-permit.ts";
import type { Store } from "../../src/ports/stores/store.ts";
import { appOver } from "../support/app.ts";
import { BY } from "../support/by.ts";
import { emulatedExchanges } from "../support/emulated.ts";
import { buy, get, post } from "../support/orders.ts";
import { gridInput } from "../support/requests.ts";
import { runOperation } from "../support/sandbox.ts";

async function kraken() {
  const setup = await emulatedExchanges({ names: ["kraken"] });
  onTestFinished(() => setup.close());
  return {
    ...setup,
    venue: setup.exchange("kraken"),
    /** As another process turns it: this one hears of it from the database alone. */
    killedElsewhere: () => setup.restarted().store.setKill(true, BY),
  };
}

const comes = async (holds: () => boolean) => {
  while (!holds()) await new Promise((after) => setTimeout(after, 2));
};

const GRID = gridInput({ gridLevels: 20 });

describe("the kill switch, activated while an order waits in kraken's queue", () => {
  it.each(["here", "elsewhere"])("%s, prevents a manual order from being signed", async (where) => {
    const { venue, deps, time, killedElsewhere } = await kraken();
    const ahead: Promise<Response>[] = [];
    let letGo = () => {};
    const until = new Promise<void>((resolve) => {
      letGo = resolve;
    });
    // Between its record and its turn, somebody's slow call is under way.
    const recordByHand: Store["recordByHand"] = async (...given) => {
      const recorded = await deps.store.recordByHand(...given);
      venue.fail({ kind: "slow", route: "balance", until });
      const before = venue.count("balance");
      ahead.push(get(app, "/balance?exchange=kraken"));
      await comes(() => venue.count("balance") > before);
      return recorded;
    };
    const app = await appOver({ ...deps, store: { ...deps.store, recordByHand } });
    const placing = post(app, buy("kraken"));
    await comes(() => ahead.length > 0);
    // Looked at right after its record, it would be sent as soon as its turn comes.
    await new Promise((after) => setTimeout(after, 100));
    await (where === "here" ? deps.store.setKill(true, BY) : killedElsewhere());
    time.pass(RECORD_VALID_MS);
    letGo();
    const answer = await placing;
    expect([answer.status, ((await answer.json()) as { error: string }).error]).toEqual([403, "Forbidden"]);
    expect((await ahead[0])?.status).toBe(200);
    expect(venue.count("create")).toBe(0);
  });
});

describe("the kill switch, activated while a pass places twenty orders", () => {
  it("stops all further signing in this process", async () => {
    const { venue, deps } = await kraken();
    venue.latency.before = 15;
    const starting = runOperation(deps, "start_grid", GRID);
    await comes(() => venue.count("create") > 3);
    const turning = deps.store.setKill(true, BY);
    const requestCount = venue.count("create");
    await Promise.all([starting, turning]);
    // One may have been on its way.
    expect(venue.count("create")).toBeLessThanOrEqual(requestCount + 1);
    expect(venue.orders().length).toBeLessThan(20);
  });

  it("stops all further signing in another process within a second", async () => {
    const { venue, deps, time, killedElsewhere } = await kraken();
    venue.latency.before = 15;
    const starting = runOperation(deps, "start_grid", GRID);
    await comes(() => venue.count("create") > 3);
    await killedElsewhere();
    time.pass(1000);
    const requestCount = venue.count("create");
    await starting;
    expect(venue.count("create")).toBeLessThanOrEqual(requestCount + 1);
    expect(venue.orders().length).toBeLessThan(20);
  });
});
