import { expect, it } from "vitest";
import { RECORD_VALID_MS, SWITCH_READ_VALID_MS, watchKill } from "../../src/ports/kill-permit.ts";
import type { Permit } from "../../src/ports/venue.ts";

const NOW = 1_000_000;

/** A switch that another process turns, or this one, and the looks at it. */
function switchAt({ lasts = 0, recordedAt }: { lasts?: number; recordedAt?: number } = {}) {
  const setup = { now: NOW, isOn: false, isKnown: false, mayLeave: true, looks: 0 };
  const store = {
    async killed() {
      setup.looks++;
      const { isOn } = setup;
      setup.now += lasts;
      return isOn;
    },
    knownKilled: () => setup.isKnown,
  };
  const local = { monotonic: () => setup.now };
  const given = { store, local } as unknown as Parameters<typeof watchKill>[0];
  const watched = watchKill(given, { account: "kraken/1", kind: "slot" }, recordedAt);
  const permit = watched.unlessOn({ mayLeave: () => setup.mayLeave, sendBy: 7 });
  return { setup, watched, permit: permit as Required<Permit> };
}

it("the kill permit blocks orders until it has read the switch, then allows them while it is fresh", async () => {
  const { setup, permit } = switchAt();
  expect(permit.sendBy).toBe(7);
  expect(permit.mayLeave()).toBe(false);
  await permit.look();
  expect([setup.looks, permit.mayLeave()]).toEqual([1, true]);
  setup.now += SWITCH_READ_VALID_MS - 1;
  await permit.look();
  expect([setup.looks, permit.mayLeave()]).toEqual([1, true]);
  setup.now += 1;
  expect(permit.mayLeave()).toBe(false);
  await permit.look();
  expect([setup.looks, permit.mayLeave()]).toEqual([2, true]);
});

it("the kill permit blocks once another process turned the switch on, and reads it no more", async () => {
  const { setup, watched, permit } = switchAt();
  setup.isOn = true;
  expect(watched.isOn()).toBe(false);
  await permit.look();
  await permit.look();
  expect([setup.looks, permit.mayLeave(), watched.isOn()]).toEqual([1, false, true]);
});

it("the kill permit blocks at once, without a read, when this process turns the switch on", async () => {
  const { setup, watched, permit } = switchAt();
  await permit.look();
  setup.isKnown = true;
  expect([permit.mayLeave(), watched.isOn()]).toEqual([false, true]);
  setup.now += SWITCH_READ_VALID_MS;
  await permit.look();
  expect(setup.looks).toBe(1);
});

it("the kill permit accepts a fresh order record as a read, dated to its request", async () => {
  const young = switchAt({ recordedAt: NOW - RECORD_VALID_MS + 1 });
  await young.permit.look();
  expect([young.setup.looks, young.permit.mayLeave()]).toEqual([0, true]);
  young.setup.now = NOW - RECORD_VALID_MS + SWITCH_READ_VALID_MS;
  expect(young.permit.mayLeave()).toBe(true);
  young.setup.now += 1;
  expect(young.permit.mayLeave()).toBe(false);

  const old = switchAt({ recordedAt: NOW - RECORD_VALID_MS });
  await old.permit.look();
  expect([old.setup.looks, old.permit.mayLeave()]).toEqual([1, true]);
});

it("the kill permit reads once more after a slow response, while the request can still be sent", async () => {
  const { setup, permit } = switchAt({ lasts: SWITCH_READ_VALID_MS / 2 });
  await permit.look();
  expect([setup.looks, permit.mayLeave()]).toEqual([1, true]);

  // Each read is a request, and a Worker has few of them.
  const slow = switchAt({ lasts: SWITCH_READ_VALID_MS });
  await slow.permit.look();
  expect([slow.setup.looks, slow.permit.mayLeave()]).toEqual([2, false]);

  const late = switchAt({ lasts: SWITCH_READ_VALID_MS });
  const looking = late.permit.look();
  late.setup.mayLeave = false;
  await looking;
  expect([late.setup.looks, late.permit.mayLeave()]).toEqual([1, false]);
});

it("the kill permit reads nothing for a request that cannot be sent, and blocks it", async () => {
  const { setup, permit } = switchAt();
  setup.mayLeave = false;
  await permit.look();
  expect(setup.looks).toBe(0);
  setup.mayLeave = true;
  await permit.look();
  setup.mayLeave = false;
  expect(permit.mayLeave()).toBe(false);
});
