import type { Miniflare } from "miniflare";
import { expect, it } from "vitest";
import { deployment, strangers } from "../../support/deployment.ts";
import { fireCron } from "../../support/edge-live.ts";
import { gridRequest } from "../../support/requests.ts";
import { workerds } from "../../support/workerds.ts";

const ROUNDS = 100;
/** Time enough for any machine: leases and read lags pass by the clock, however fast the rounds go by; back-offs, to 300 s. */
const MAX_RUN_MS = 600_000;
/** Shorter than on real exchanges, so that what dies is taken over within a few rounds. */
const TIMING = "leaseTtl=2500,requestTimeout=1000,expiry=500,skew=1000,readLag=500,secondMiss=200";
const PRICES = ["59800", "60300", "60800", "60300", "59800", "59300"];

it("two crons of one minute, 100 times, while consumers are killed, place nothing twice and lose nothing", async () => {
  const edge = await deployment(1, { settings: { EDGEMAKER_TIMING: TIMING } });
  const processes = new Set<Killable>();
  const start = async (): Promise<Killable> => {
    const before = workerds();
    const worker = await edge.start();
    const one = { worker, pids: workerds().filter((pid) => !before.includes(pid)) };
    processes.add(one);
    return one;
  };
  let [one, two] = [await start(), await start()];
  for (const { id } of edge.accounts.ids)
    await edge.startGrid(one.worker, gridRequest({ exchange: id, gridLevels: 12, orderSize: 60 }));
  const venues = edge.accounts.ids.map(({ venue }) => edge.accounts.venues[venue]);
  for (const venue of venues) venue.latency.before = 15;

  let killed = 0;
  const kill = async (victim: Killable) => {
    for (const pid of victim.pids) process.kill(pid, "SIGKILL");
    killed++;
    processes.delete(victim);
    await victim.worker.dispose().catch(() => undefined);
    return start();
  };
  /** A turn may have died with its consumer, or found its database too slow: it is the next minute's. */
  const missing: unknown[] = [];
  const ended = (from: number) =>
    edge.turnsEnded(from, 4, 20_000).catch(() => {
      const accounts = edge.turns.slice(from).map(({ account, outcome }) => `${account} ${outcome}`);
      missing.push({ accounts, troubles: edge.troubles.slice(-2) });
    });
  const minute = (round: number) => Date.UTC(2026, 0, 1) + round * 60_000;
  const random = seeded(6);
  // Beyond the first order of each slot stand only orders that answer a fill.
  const idle = async () => {
    const slots = await edge.slotsOf();
    expect(slots.size).toBe(venues.length);
    return edge.accounts.ids.filter(({ id, venue, key }) => {
      const emulated = edge.accounts.venues[venue];
      return emulated.orders(emulated.accountOf(key)).length <= (slots.get(id) ?? 0);
    });
  };
  const within = (millis: number) => {
    const until = performance.now() + millis;
    return () => performance.now() < until;
  };
  // On a fast machine a hundred rounds are over before some lease of the dead is: then there are more of them.
  const isTime = within(MAX_RUN_MS);
  let round = 0;
  for (; round < ROUNDS || ((await idle()).length > 0 && isTime()); round++) {
    for (const venue of venues) venue.move("BTC/USDT", PRICES[round % PRICES.length] as string);
    const from = edge.turns.length;
    await edge.rested();
    const both = [one, two].map(({ worker }) => fireCron(worker, minute(round)).catch(() => undefined));
    if (random() < 0.35) {
      await new Promise((resolve) => setTimeout(resolve, random() * 500));
      if (random() < 0.5) one = await kill(one);
      else two = await kill(two);
      await Promise.race([Promise.all(both), new Promise((resolve) => setTimeout(resolve, 2000))]);
    } else {
      await Promise.all(both);
      await ended(from);
    }
  }

  // Left alone, every slot has its one right order again.
  const rounds = round;
  const stillIdle = await idle();
  const isQuiet = within(MAX_RUN_MS);
  for (; (await edge.wrongSlots()).length > 0 && isQuiet(); round++) {
    const from = edge.turns.length;
    await fireCron(one.worker, minute(round));
    await ended(from);
    await edge.rested();
  }
  const { twice, orphans } = await strangers(edge.accounts, edge.database.deps.store);
  const placed = venues.reduce((sum, venue) => sum + venue.orders().length, 0);
  const outcomes = Object.fromEntries(
    [...new Set(edge.turns.map(({ outcome }) => outcome))].map((name) => [
      name,
      edge.turns.filter(({ outcome }) => outcome === name).length,
    ]),
  );
  const wrong = await edge.wrongSlots();
  for (const { worker } of processes) await worker.dispose();
  await edge.close();
  process.stdout.write(
    `\n${rounds} double crons, ${killed} consumers killed: ${placed} orders placed, ${twice.length} twice, ${orphans.length} without an intent; ` +
      `turns ${JSON.stringify(outcomes)}; right again after ${round - rounds} quiet minutes\n`,
  );
  for (const one of missing) process.stdout.write(`not all turns ended: ${JSON.stringify(one)}\n`);
  expect({ twice, orphans, wrong }).toEqual({ twice: [], orphans: [], wrong: [] });
  expect(killed).toBeGreaterThan(20);
  expect(stillIdle, "no order was placed while consumers died").toEqual([]);
});

interface Killable {
  readonly worker: Miniflare;
  readonly pids: readonly number[];
}

function seeded(seed: number): () => number {
  let state = seed;
  return () => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    return state / 2 ** 32;
  };
}
