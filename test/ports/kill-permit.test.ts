import { expect, it } from "vitest";
import { LOOK_HOLDS, RECORD_HOLDS, watchKill } from "../../src/ports/kill-permit.ts";
import type { Permit } from "../../src/ports/venue.ts";

const NOW = 1_000_000;

/** A switch that another process turns, or this one, and the looks at it. */
function switchAt({ lasts = 0, recordedAt }: { lasts?: number; recordedAt?: number } = {}) {
  const world = { now: NOW, isOn: false, isKnown: false, mayLeave: true, looks: 0 };
  const store = {
    async killed() {
      world.looks++;
      const { isOn } = world;
      world.now += lasts;
      return isOn;
    },
    knownKilled: () => world.isKnown,
  };
  const local = { monotonic: () => world.now };
  const given = { store, local } as unknown as Parameters<typeof watchKill>[0];
  const watched = watchKill(given, { account: "kraken/1", kind: "slot" }, recordedAt);
  const permit = watched.unlessOn({ mayLeave: () => world.mayLeave, sendBy: 7 });
  return { world, watched, permit: permit as Required<Permit> };
}

it("lets no order leave before it has looked, and then for as long as the look holds", async () => {
  const { world, permit } = switchAt();
  expect(permit.sendBy).toBe(7);
  expect(permit.mayLeave()).toBe(false);
  await permit.look();
  expect([world.looks, permit.mayLeave()]).toEqual([1, true]);
  world.now += LOOK_HOLDS - 1;
  await permit.look();
  expect([world.looks, permit.mayLeave()]).toEqual([1, true]);
  world.now += 1;
  expect(permit.mayLeave()).toBe(false);
  await permit.look();
  expect([world.looks, permit.mayLeave()]).toEqual([2, true]);
});

it("lets none leave where another process has turned it on, and looks no more", async () => {
  const { world, watched, permit } = switchAt();
  world.isOn = true;
  expect(watched.isOn()).toBe(false);
  await permit.look();
  await permit.look();
  expect([world.looks, permit.mayLeave(), watched.isOn()]).toEqual([1, false, true]);
});

it("lets none leave once this process has turned it on, however fresh its look is, and asks nobody", async () => {
  const { world, watched, permit } = switchAt();
  await permit.look();
  world.isKnown = true;
  expect([permit.mayLeave(), watched.isOn()]).toEqual([false, true]);
  world.now += LOOK_HOLDS;
  await permit.look();
  expect(world.looks).toBe(1);
});

it("takes an order's record for a look, from when it was asked for, while it is young", async () => {
  const young = switchAt({ recordedAt: NOW - RECORD_HOLDS + 1 });
  await young.permit.look();
  expect([young.world.looks, young.permit.mayLeave()]).toEqual([0, true]);
  young.world.now = NOW - RECORD_HOLDS + LOOK_HOLDS;
  expect(young.permit.mayLeave()).toBe(true);
  young.world.now += 1;
  expect(young.permit.mayLeave()).toBe(false);

  const old = switchAt({ recordedAt: NOW - RECORD_HOLDS });
  await old.permit.look();
  expect([old.world.looks, old.permit.mayLeave()]).toEqual([1, true]);
});

it("asks again where the answer took as long as a look holds, while the request may leave at all", async () => {
  const { world, permit } = switchAt({ lasts: LOOK_HOLDS / 2 });
  await permit.look();
  expect([world.looks, permit.mayLeave()]).toEqual([1, true]);

  const slow = switchAt({ lasts: LOOK_HOLDS });
  const looking = slow.permit.look();
  while (slow.world.looks < 3) await Promise.resolve();
  slow.world.mayLeave = false;
  await looking;
  expect([slow.world.looks, slow.permit.mayLeave()]).toEqual([3, false]);
});

it("asks nothing for a request that may not leave, and lets none leave that may not by itself", async () => {
  const { world, permit } = switchAt();
  world.mayLeave = false;
  await permit.look();
  expect(world.looks).toBe(0);
  world.mayLeave = true;
  await permit.look();
  world.mayLeave = false;
  expect(permit.mayLeave()).toBe(false);
});
