import { expect, it, onTestFinished } from "vitest";
import { runRound } from "../../src/engine/pass/round.ts";
import type { Deps } from "../../src/ports/deps.ts";
import { bearer } from "../contract/suite.ts";
import { appOver } from "../support/app.ts";
import { edgemaker, eventually, serve } from "../support/command.ts";
import { emulatedExchanges } from "../support/emulated.ts";
import { gridInput } from "../support/requests.ts";
import { runOperation } from "../support/sandbox.ts";
import { tempFolder } from "../support/temp.ts";

const INTERVAL = 5000;

async function stepped() {
  const setup = await emulatedExchanges({ names: ["kraken"] });
  onTestFinished(() => setup.close());
  const deps: Deps = { ...setup.deps, interval: INTERVAL };
  // Who is asked steps nothing itself, and does not know how often others do.
  const { interval: _, ...request } = deps;
  const app = await appOver(request);
  const { id } = await runOperation<{ id: string }>(deps, "start_grid", gridInput());
  const ask = async (path: string) =>
    (await app.ask(path, { headers: bearer(app.tokens.read) })).json() as Promise<Record<string, never>>;
  return {
    id,
    exchange: setup.exchange("kraken"),
    pass: (millis: number) => setup.time.pass(millis),
    step: async (times: number) => {
      for (let at = 0; at < times; at++) {
        setup.time.pass(INTERVAL);
        await runRound(deps);
      }
    },
    output: async () => {
      const status = (await ask(`/api/v1/strategy/grid/status?id=${id}`)) as {
        strategies?: { notices: { code: string; message: string }[] }[];
      };
      const list = (await ask("/api/v1/strategy/grid/list")) as { strategies?: { stalled: boolean }[] };
      const ready = await app.ask("/ready");
      const { message = "" } = (await ready.json()) as { message?: string };
      return {
        notice: status.strategies?.[0]?.notices.find(({ code }) => code === "stalled")?.message,
        listed: list.strategies?.[0]?.stalled,
        ready: ready.status,
        message,
      };
    },
  };
}

const WELL = { notice: undefined, listed: false, ready: 200, message: "" };

it("a grid without a tick for three of its intervals is reported as stalled, until its next tick", async () => {
  const grid = await stepped();
  await grid.step(2);
  grid.pass(3 * INTERVAL);
  expect(await grid.output()).toEqual(WELL);
  // A public answer serves for a second.
  grid.pass(1001);
  expect(await grid.output()).toMatchObject({
    notice: expect.stringMatching(/no pass over kraken has been complete for 16 s: .* `edgemaker serve`/),
    listed: true,
    ready: 503,
    message: expect.stringContaining(`stalled: ${grid.id}`),
  });
  await grid.step(1);
  expect(await grid.output()).toEqual(WELL);
});

it("a pass that fails once is retried before the grid is reported as stalled, with the reason", async () => {
  const grid = await stepped();
  await grid.step(2);
  grid.exchange.fail({ kind: "server_error", route: ["ticker", "open"], times: 1_000_000 });
  await grid.step(4);
  expect(await grid.output()).toEqual(WELL);
  await grid.step(10);
  expect((await grid.output()).notice).toMatch(/complete for \d\d s: kraken/);
});

it("`grid status` exits with code 3 and reports a stalled grid after the only server was killed", async () => {
  const folder = tempFolder();
  const bounds = ["--lower", "57000", "--upper", "63000", "--levels", "4", "--size", "100"];
  const market = ["--exchange", "kraken", "--symbol", "BTC/USDT", "--sandbox"];
  const server = await serve(folder, ["--sandbox", "--tick-interval", "200"]);
  expect((await edgemaker(folder, ["grid", "start", ...market, ...bounds, "--yes"])).code).toBe(0);
  const status = () => edgemaker(folder, ["grid", "status", "--sandbox"]);
  await eventually(status, ({ code, stdout }) => /active/.test(stdout) && code === 0);
  await server.kill("SIGKILL");
  const { code, stdout } = await eventually(status, (ran) => ran.code !== 0);
  expect(code).toBe(3);
  expect(stdout).toMatch(/stalled +no pass over kraken has been complete for \d+ s/);
});
