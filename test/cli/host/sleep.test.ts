import type { AddressInfo } from "node:net";
import { connect, createServer, type Socket } from "node:net";
import { expect, it, onTestFinished } from "vitest";
import { startTimer } from "../../../cli/host/timer.ts";
import { HOUR } from "../../../src/kernel/time.ts";
import { emulatedExchanges } from "../../support/emulated.ts";
import { gridInput } from "../../support/requests.ts";
import { runOperation } from "../../support/sandbox.ts";

/** Short enough that connections are still open at the next round. */
const INTERVAL = 2000;

/** A network on the way to a server that loses its connections without a word, as one does while the machine sleeps. */
async function network() {
  const open = new Set<Socket>();
  let [target, lostBytes] = [0, 0];
  const server = createServer((client) => {
    const upstream = connect(target, "127.0.0.1");
    open.add(client);
    client.on("error", () => undefined).on("data", (part) => open.has(client) && upstream.write(part));
    client.on("close", () => upstream.destroy());
    upstream.on("error", () => undefined).on("data", (part) => open.has(client) && client.write(part));
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  onTestFinished(() => void server.close());
  const { port } = server.address() as AddressInfo;
  return {
    fetch: (address: string, init: RequestInit) => {
      const url = new URL(address);
      target = Number(url.port);
      url.port = String(port);
      return fetch(url, init);
    },
    lostBytes: () => lostBytes,
    lose() {
      for (const client of open) client.on("data", (part) => (lostBytes += part.length));
      open.clear();
    },
  };
}

it("opens new connections for the first pass after a sleep of the machine", async () => {
  const { fetch, lose, lostBytes } = await network();
  const { deps, exchange, time, close } = await emulatedExchanges({ names: ["kraken"], fetch });
  onTestFinished(close);
  await runOperation(deps, "start_grid", gridInput({ exchange: "kraken", gridLevels: 4 }));
  let asleep = 0;
  const beats: boolean[] = [];
  const beat = async (isGood: boolean) => {
    beats.push(isGood);
    if (beats.length > 1) return;
    // The process stands still between two rounds.
    lose();
    asleep = HOUR;
    time.pass(HOUR);
    exchange("kraken").resetCounts();
  };
  const wall = () => Date.now() + asleep;
  const timer = startTimer({ ...deps, heartbeat: { beat } }, INTERVAL, { wall });
  await expect.poll(() => beats.length).toBe(2);
  const awake = timer.awakeFor();
  await timer.stop();
  expect(awake).toBeLessThan(HOUR);
  expect([beats, lostBytes()]).toEqual([[true, true], 0]);
  expect(exchange("kraken").count("open")).toBe(1);
});
