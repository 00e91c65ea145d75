import { describe, expect, it } from "vitest";
import { killOperations } from "../../../src/controls/operations/panic.ts";
import { gridOperations } from "../../../src/grid/operations/grids.ts";
import { passProblemsWatch } from "../../../src/grid/operations/status.ts";
import { MINUTE } from "../../../src/kernel/time.ts";
import { prepareStart } from "../../../src/lifecycle/operations/start.ts";
import type { Deps } from "../../../src/ports/deps.ts";
import { BY } from "../../support/by.ts";
import { REQUEST } from "../../support/grid.ts";
import { askingOf, EXCHANGES, testSandbox } from "../../support/sandbox.ts";

interface Grid {
  readonly id: string;
  readonly status: string;
  readonly stalled: boolean;
  readonly dryRun: boolean;
  readonly exchange: string;
  readonly lastError: string | null;
  readonly notices: readonly { readonly code: string; readonly message: string }[];
  readonly slots?: readonly object[];
}
interface Grids {
  readonly strategies: readonly Grid[];
  readonly count: number;
  readonly next: string | null;
  readonly warnings: readonly string[];
}

async function started(over: object = {}) {
  const box = await testSandbox();
  const asking = askingOf(box.deps);
  const { id } = await asking.ask<{ id: string }>("start_grid", { ...REQUEST, useOwnBase: false, ...over });
  const status = (input: object = {}, of: Partial<Deps> = {}) =>
    asking.ask<Grids>("get_grid_status", input, of);
  const list = (of: Partial<Deps> = {}) => asking.ask<Grids>("list_grids", {}, of);
  return { ...box, ...asking, id, status, list, away: { venueOf: () => undefined } as Partial<Deps> };
}
const codesOf = ({ strategies }: Grids) =>
  strategies.flatMap(({ notices }) => notices.map(({ code }) => code));

describe("the status of grids", () => {
  it("lists running grids at once, or one grid with its slots", async () => {
    const { id, status, ask } = await started();
    const other = await ask<{ id: string }>("start_grid", { ...REQUEST, gridLevels: 4 });
    const all = await status();
    expect(all).toMatchObject({ count: 2, next: null, warnings: [] });
    expect(all.strategies.map((one) => one.id)).toEqual([id, other.id]);
    expect(all.strategies[0]).not.toHaveProperty("slots");
    const one = await status({ id });
    expect(one.strategies.map(({ slots }) => slots?.length)).toEqual([6]);
    await expect(status({ id: "grid-none-1" })).rejects.toMatchObject({
      label: "Not found",
      message: "there is no strategy grid-none-1",
    });
    expect(await status({}, { keys: { warnings: async () => ["the keys are old"] } as never })).toMatchObject(
      {
        warnings: ["the keys are old"],
      },
    );
  });

  it("continues in pages, newest first, with stopped grids", async () => {
    const { id, status, ask, time } = await started();
    time.pass(10);
    const { id: second } = await ask<{ id: string }>("start_grid", { ...REQUEST, gridLevels: 4 });
    await ask("stop_strategy", { id });
    expect((await status()).strategies.map((one) => one.id)).toEqual([second]);
    const all = await status({ stopped: true });
    expect(all.strategies.map((one) => one.id)).toEqual([second, id]);
    expect(all.next).toBeNull();
    const first = await status({ stopped: true, limit: 1 });
    expect(first.strategies.map((one) => one.id)).toEqual([second]);
    expect(first.next).toMatch(/^\d+$/);
    const then = await status({ stopped: true, limit: 2, before: first.next });
    expect(then).toMatchObject({ count: 1, next: null, strategies: [{ id }] });
    // A page of those that run.
    expect((await status({ limit: 1 })).next).toMatch(/^\d+$/);
    expect((await status({ before: first.next })).count).toBe(0);
    expect((await status({ id })).strategies).toHaveLength(1);
  });

  it("names the other process that has to step it, and says that nothing is placed", async () => {
    const { id, status, list, store, away, ask } = await started();
    expect((await status({}, away)).strategies[0]?.lastError).toBe(
      "this process is not configured for sandbox:kraken:: another process has to run it",
    );
    expect((await status()).strategies[0]?.lastError).toBeNull();
    expect(codesOf(await status())).toEqual([]);
    await store.setKill(true, BY);
    expect(codesOf(await status())).toContain("killed");
    expect(codesOf(await list())).toContain("killed");
    await ask("stop_strategy", { id });
    const [stopped] = (await status({ id }, away)).strategies;
    expect(stopped).toMatchObject({ status: "stopped", lastError: null });
    expect(stopped?.notices.map(({ code }) => code)).not.toContain("killed");
    expect((await list()).count).toBe(0);
  });

  it("reports that no process steps it or watches its stop price", async () => {
    const { id, status, list, time, deps, away } = await started({ stopLossPrice: 50_000 });
    expect((await list()).strategies).toMatchObject([
      {
        id,
        symbol: "BTC/USDT",
        startedAt: expect.any(Number),
        stalled: false,
        dryRun: false,
        exchange: "kraken",
        status: "running",
        notices: [],
      },
    ]);
    const watch = passProblemsWatch(deps);
    expect(await watch()).toBeUndefined();
    time.pass(3 * MINUTE + 1);
    expect(codesOf(await status())).toEqual(["stalled", "stop_price_unwatched"]);
    expect(codesOf(await list())).toEqual(["stalled", "stop_price_unwatched"]);
    expect((await list()).strategies[0]?.stalled).toBe(true);
    const text = await watch();
    expect(text).toMatch(
      /^stalled: grid-\S+; the stop prices of 1 of 1 grids are not being watched: grid-\S+; see their status$/,
    );
    // Those of other processes are theirs.
    expect(await passProblemsWatch({ ...deps, ...away })()).toBeUndefined();
    // With passes an hour apart it is no delay.
    expect(codesOf(await status({}, { interval: 60 * MINUTE }))).toEqual([]);
  });
});

describe("the watch over grids", () => {
  it("reads once a second, however often it is called", async () => {
    const { deps, time } = await started();
    let looks = 0;
    const strategies: Deps["store"]["strategies"] = (filter) => {
      looks++;
      return deps.store.strategies(filter);
    };
    const watch = passProblemsWatch({ ...deps, store: { ...deps.store, strategies } });
    await watch();
    time.pass(999);
    await watch();
    expect(looks).toBe(1);
    time.pass(1);
    expect([await watch(), looks]).toEqual([undefined, 2]);
  });

  it("names twenty at most", async () => {
    const { deps, time, store } = await started();
    const [view] = await store.strategies({});
    time.pass(4 * MINUTE);
    const readOutput = async (count: number) => {
      const views = Array.from({ length: count }, () => ({ ...view, now: time.now() }));
      return passProblemsWatch({
        ...deps,
        store: { ...deps.store, strategies: async () => views as never },
      })();
    };
    expect(await readOutput(1)).toMatch(/^stalled: grid-[^,]+$/);
    expect(await readOutput(20)).not.toContain("more");
    expect(await readOutput(22)).toMatch(/, grid-\S+ and 2 more$/);
  });
});

describe("the amount that can be withdrawn", () => {
  it("is shown with what each strategy needs and what they lack", async () => {
    const { id, ask, time, venue } = await started();
    interface Plan {
      readonly balances: readonly {
        readonly asset: string;
        readonly total: string;
        readonly missing: string;
      }[];
      readonly needs: readonly { readonly id: string; readonly symbol: string; readonly quote: string }[];
      readonly warnings: readonly { readonly code: string; readonly message: string }[];
    }
    const plan = (of: Partial<Deps> = {}) =>
      ask<Plan>("get_balance", { exchange: "kraken", withdrawable: true }, of);
    const result = await plan();
    expect(result).toMatchObject({ exchange: "kraken", needs: [{ id, symbol: "BTC/USDT" }], warnings: [] });
    const poor = {
      venue: () => ({ ...venue("kraken"), balances: async () => [] }),
    } as unknown as Partial<Deps>;
    const lacking = await plan(poor);
    expect(lacking.warnings).toMatchObject([
      { code: "funds_missing", message: expect.stringMatching(/lack [\d.]+ USDT/) },
    ]);
    await ask("start_grid", { ...REQUEST, gridLevels: 4 });
    time.pass(4 * MINUTE);
    // Once for the account.
    expect((await plan()).warnings.map(({ code }) => code)).toEqual(["stalled"]);
    expect((await plan()).needs).toHaveLength(2);
  });
});

describe("the operations on grids", () => {
  const all = [...gridOperations(EXCHANGES, prepareStart), ...killOperations];
  const of = (holds: (one: (typeof all)[number]) => unknown) => all.filter(holds).map(({ name }) => name);

  it("have a route, a description, schemas and a label for external failures", () => {
    expect(
      all.map(({ name, effect, access, http }) => `${name}: ${effect} ${access} ${http.route} ${http.from}`),
    ).toEqual([
      "start_grid: trade token POST /strategy/grid body",
      "guide_grid: read token POST /strategy/grid/guide body",
      "get_grid_status: read token GET /strategy/grid/status query",
      "list_grids: read token GET /strategy/grid/list query",
      "tick: admin token POST /internal/tick body",
      "get_kill_switch: read token GET /kill query",
      "set_kill_switch: admin token POST /kill body",
    ]);
    for (const { summary, failure, input, output, run } of all) {
      expect(summary.length).toBeGreaterThan(10);
      expect(["Start failed", "Cancel failed", "Internal error", "Exchange error"]).toContain(failure);
      expect([typeof input.parse, typeof output.parse, typeof run]).toEqual([
        "function",
        "function",
        "function",
      ]);
    }
  });

  it("preview anything that trades, and accept a start once per key", () => {
    expect(of((operation) => "prepare" in operation)).toEqual(of(({ effect }) => effect === "trade"));
    expect(of(({ http }) => http.idempotent)).toEqual(["start_grid"]);
    expect(of(({ lane }) => lane === "urgent")).toEqual(["set_kill_switch"]);
    expect(of(({ hasNoTool }) => hasNoTool)).toEqual(["start_grid", "get_grid_status", "list_grids"]);
  });

  it("have a command where a person enters one", () => {
    expect(all.flatMap(({ cli }) => cli?.path ?? [])).toEqual([
      "grid new",
      "grid status",
      "grid list",
      "tick",
      "kill status",
      "kill",
    ]);
    expect(of(({ cli }) => cli?.steps)).toEqual(["guide_grid"]);
    expect(of(({ cli }) => cli?.watch)).toEqual(["get_grid_status"]);
    const byId = ["get_grid_status"];
    expect(of(({ cli }) => cli?.positional?.[0] === "id")).toEqual(byId);
    expect(of(({ cli }) => cli && !cli.examples)).toEqual(["list_grids", "tick"]);
    const kill = all.find(({ name }) => name === "set_kill_switch")?.cli;
    expect(Object.entries(kill?.words ?? {}).map(([words, { input }]) => [words, input])).toEqual([
      ["kill on", { on: true }],
      ["kill off", { on: false }],
      ["panic", { on: true, stop: true }],
    ]);
    expect([{ done: false }, { done: true }, {}].map((answer) => kill?.until?.isDone(answer))).toEqual([
      false,
      true,
      true,
    ]);
    const exit = all.find(({ name }) => name === "get_grid_status")?.cli?.exit;
    const answer = (code: string) => ({ strategies: [{ notices: [{ code, message: "" }] }] });
    expect([exit?.(answer("stalled")), exit?.(answer("killed"))]).toEqual([3, 0]);
  });
});
