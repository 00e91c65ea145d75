import { describe, expect, it } from "vitest";
import { drivenApp, type GridOut } from "../support/driven.ts";
import { gridRequest } from "../support/requests.ts";

const GRID = gridRequest();

interface Reported extends GridOut {
  readonly refused: readonly { slot: number; reason: string; detail?: string }[];
  readonly notices: readonly { code: string; message: string }[];
}

async function app(set: object) {
  const driven = await drivenApp();
  const { call } = driven;
  const limit = (body: object) => call("PUT", "/limits", body);
  await limit(set);
  return {
    ...driven,
    limit,
    /** A shock takes half a minute of market time to be whole. */
    moved: async (factor: number) => {
      await driven.move(factor);
      await driven.tick(31_000);
    },
    id: (await driven.start(GRID)).id,
    errors: async (id: string) =>
      (
        await call<{ events: { kind: string; message: string }[] }>("GET", `/strategies/${id}/events`)
      ).body.events
        .filter((event) => event.kind === "error")
        .map(({ message }) => message),
    status: async (id: string) =>
      (await call<{ strategies: [Reported] }>("GET", `/strategy/grid/status?id=${id}`)).body.strategies[0],
    resume: (id: string) => call("POST", `/strategies/${id}/resume`, {}),
    sides: async () => (await driven.resting()).map(({ side }) => side).sort(),
  };
}

describe("a loss limit in an asset that no running strategy has as its quote asset", () => {
  const USTD =
    "strategyLoss in USTD limits nothing now: no running strategy has this quote asset; check its spelling";
  const warnings = async ({ call }: Awaited<ReturnType<typeof app>>) =>
    (await call<{ warnings: string[] }>("GET", "/limits")).body.warnings;

  it("is reported when it is set and as long as it limits nothing", async () => {
    const driven = await app({ strategyLoss: "USDT=20" });
    expect(await warnings(driven)).toEqual([]);
    const set = await driven.limit({ strategyLoss: "USTD=100" });
    expect(set).toMatchObject({ status: 200, body: { message: expect.stringMatching(`; ${USTD}$`) } });
    expect(await warnings(driven)).toEqual([USTD]);
    const other = await driven.limit({ openOrders: 100 });
    expect(other).toMatchObject({ body: { message: expect.not.stringContaining("USTD") } });
    await driven.limit({ strategyLoss: "off" });
    expect(await warnings(driven)).toEqual([]);
  });

  it("is reported for an account without such a strategy, and after the last one has stopped", async () => {
    const driven = await app({ scope: "account:mexc", accountLoss: "USDT=20" });
    await driven.limit({ scope: "account:kraken", accountLoss: "USDT=20" });
    const of = (scope: string) =>
      expect.stringMatching(`^accountLoss in USDT limits nothing now on ${scope}: `);
    expect(await warnings(driven)).toEqual([of("mexc")]);
    await driven.stop(driven.id);
    await driven.tick();
    expect(await warnings(driven)).toEqual([of("mexc"), of("kraken")]);
  });
});

describe("a grid beyond its loss limit", () => {
  it("places nothing more and reports why, through a rebound, until a person resumes it", async () => {
    const { id, moved, tick, status, resume, resting } = await app({ strategyLoss: "USDT=20" });
    await moved(0.94);
    for (const _pass of [1, 2, 3]) await tick();
    const result = await status(id);
    expect(result).toMatchObject({ status: "running", phase: "paused" });
    expect(result.notices).toMatchObject([
      {
        code: "loss_limit",
        message: expect.stringMatching(
          /strategyLoss is USDT=20, but this grid lost [\d.]+ USDT from the best result of 0; resume/,
        ),
      },
      { code: "paused" },
    ]);
    expect(new Set(result.refused.map(({ reason }) => reason))).toEqual(new Set(["limit_loss"]));
    const before = await resting();
    await moved(1 / 0.94);
    for (const _pass of [1, 2, 3]) await tick();
    expect((await status(id)).phase).toBe("paused");
    expect((await resting()).length).toBeLessThanOrEqual(before.length);
    await resume(id);
    for (const _pass of [1, 2]) await tick();
    expect((await status(id)).phase).toBe("active");
    expect(await resting()).toHaveLength(6);
  });

  it.each(["strategyLoss", "accountLoss"])(
    "sends one alert when %s pauses it, and one more for the next pause",
    async (limited) => {
      const { id, moved, tick, errors, resume } = await app({ [limited]: "USDT=20" });
      expect(await errors(id)).toEqual([]);
      await moved(0.94);
      for (const _pass of [1, 2, 3]) await tick();
      const alert = expect.stringMatching(
        new RegExp(`^it is paused: the limit ${limited} is USDT=20, but .* lost`),
      );
      expect(await errors(id)).toEqual([alert]);
      await resume(id);
      for (const _pass of [1, 2]) await tick();
      await moved(0.94);
      for (const _pass of [1, 2, 3]) await tick();
      expect(await errors(id)).toEqual([alert, alert]);
    },
  );

  it("sends no second alert if the limit stops it", async () => {
    const { id, moved, tick, errors } = await app({ strategyLoss: "USDT=20", onLoss: "stop" });
    await moved(0.94);
    for (const _pass of [1, 2, 3, 4]) await tick();
    expect(await errors(id)).toEqual([]);
  });

  it("stops and sells where the setting says so", async () => {
    const { id, moved, tick, status, resting } = await app({ strategyLoss: "USDT=20", onLoss: "stop" });
    await moved(0.94);
    for (const _pass of [1, 2, 3, 4]) await tick();
    expect(await status(id)).toMatchObject({ status: "stopped", notices: [{ code: "loss_limit" }] });
    expect(await resting()).toEqual([]);
  });

  it.each(["strategyLoss", "accountLoss"])(
    "waits for a narrower book and reports it, with a limit of %s",
    async (limited) => {
      const set = { [limited]: "USDT=20", onLoss: "stop" };
      const { id, moved, tick, status, resting, switches, limit } = await app(set);
      await limit(set);
      await tick();
      // The best bid lies at half of the price: at that mid, the grid would have lost 150 USDT or more.
      switches.lacks = "bids";
      for (const _pass of [1, 2, 3]) await tick(6000);
      const waiting = await status(id);
      expect(waiting.status).toBe("running");
      expect(waiting.notices[0]).toMatchObject({
        code: "wide_spread",
        message: expect.stringContaining("a loss limit waits"),
      });
      // A result at twice the price is not its best result, either.
      switches.lacks = "asks";
      for (const _pass of [1, 2, 3]) await tick(6000);
      switches.lacks = null;
      for (const _pass of [1, 2, 3]) await tick(6000);
      expect(await status(id)).toMatchObject({ status: "running", phase: "active", notices: [] });
      expect(await resting()).toHaveLength(6);
      await moved(0.94);
      for (const _pass of [1, 2, 3, 4]) await tick(6000);
      expect(await status(id)).toMatchObject({ status: "stopped", notices: [{ code: "loss_limit" }] });
    },
  );

  it("counts from its best result, which is stored", async () => {
    const { id, moved, tick, status, context } = await app({ strategyLoss: "USDT=20" });
    await moved(1.04);
    for (const _pass of [1, 2]) await tick();
    const { rows } = await context.client.execute("select state from strategies");
    const { loss } = JSON.parse(String(rows[0]?.state)) as { loss: { peak: string } };
    expect(Number(loss.peak.slice(1))).toBeGreaterThan(10);
    expect((await status(id)).phase).toBe("active");
    await moved(0.98);
    for (const _pass of [1, 2]) await tick();
    expect((await status(id)).phase).toBe("active");
    await moved(0.95);
    for (const _pass of [1, 2]) await tick();
    expect((await status(id)).phase).toBe("paused");
  });

  it("resumes when the limit is raised", async () => {
    const { id, moved, tick, status, limit } = await app({ strategyLoss: "USDT=20" });
    await moved(0.94);
    await tick();
    await tick();
    expect((await status(id)).phase).toBe("paused");
    await limit({ strategyLoss: "USDT=2000" });
    for (const _pass of [1, 2]) await tick();
    expect((await status(id)).phase).toBe("active");
  });
});

describe("an account beyond its loss limit", () => {
  it("pauses every grid of that quote, and counts a stopped grid's loss too", async () => {
    const { id, start, stop, moved, tick, status, limit, resume } = await app({ accountLoss: "USDT=30" });
    const second = (await start({ ...GRID, lowerPrice: 56_500 })).id;
    await tick();
    await limit({ accountLoss: "USDT=30" });
    await moved(0.985);
    for (const _pass of [1, 2]) await tick();
    expect((await status(id)).phase).toBe("active");
    await stop(second);
    await moved(0.95);
    for (const _pass of [1, 2, 3]) await tick();
    const result = await status(id);
    expect(result.phase).toBe("paused");
    expect(result.notices).toMatchObject([
      {
        code: "loss_limit",
        message: expect.stringMatching(/accountLoss is USDT=30, but the account's grids lost/),
      },
      { code: "paused" },
    ]);
    await resume(id);
    for (const _pass of [1, 2]) await tick();
    expect((await status(id)).phase).not.toBe("paused");
  });
});
