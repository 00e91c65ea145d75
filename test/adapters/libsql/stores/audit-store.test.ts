import { describe, expect, it } from "vitest";
import { auditStore } from "../../../../src/adapters/libsql/audit-store.ts";
import { digest } from "../../../../src/kernel/digest.ts";
import { EVERY_ACCOUNT, eventText } from "../../../../src/model/events.ts";
import type { Signer } from "../../../../src/ports/stores/store.ts";
import { BY } from "../../../support/by.ts";
import { opened, START } from "./opened.ts";

const signer = { key: "the key", sign: async (text: string) => `signed ${text.length}` } as unknown as Signer;

async function open(...lines: readonly string[]) {
  const { context, time } = await opened();
  const store = auditStore(context);
  const tell = (message: string) =>
    store.note({ account: EVERY_ACCOUNT, strategy: null, kind: "kill", message }, BY);
  for (const message of lines) {
    await tell(message);
    time.pass(1000);
  }
  return { context, store, time, tell };
}

describe("events", () => {
  it("are listed after one of them, oldest first, by pages, and counted", async () => {
    const { store } = await open("first", "second", "third");
    const all = await store.eventsAfter(0, 9);
    expect(all.map(({ message, seq, at }) => [message, seq, at])).toEqual([
      ["first", 1, START],
      ["second", 2, START + 1000],
      ["third", 3, START + 2000],
    ]);
    expect((await store.eventsAfter(all[0]?.id ?? 0, 1)).map(({ message }) => message)).toEqual(["second"]);
    expect(await store.eventCount()).toBe(3);
    expect(await store.pulse()).toEqual({ event: all[2]?.id, steppedAt: 0 });
  });

  it("carry the hash of their content and of the previous event", async () => {
    const { store } = await open("first", "second", "third");
    let before = "";
    for (const event of await store.eventsAfter(0, 9)) {
      expect(event.hash).toBe(await digest(eventText(before, event as Parameters<typeof eventText>[1])));
      before = event.hash ?? "";
    }
  });

  it("are found by their predecessor in the chain", async () => {
    const { store } = await open("first", "second", "third");
    const [chain] = (await store.eventsAfter(0, 1)).map((one) => one.chain);
    const second = (await store.eventsAfter(0, 9))[1];
    expect(await store.placeBefore(chain ?? "", 3)).toEqual({ id: second?.id, seq: 2, hash: second?.hash });
    expect(await store.placeBefore(chain ?? "", 1)).toBeUndefined();
    expect(await store.placeBefore("another", 3)).toBeUndefined();
  });

  it("are empty in a new database", async () => {
    const { store } = await open();
    expect([await store.eventCount(), await store.pulse(), await store.checkpoints()]).toEqual([
      0,
      { event: 0, steppedAt: 0 },
      [],
    ]);
  });
});

describe("a checkpoint", () => {
  it("signs the chain of each account that has one, and the chain of user actions", async () => {
    const { context, store } = await open("first");
    for (const account of ["b", "a", "c"])
      await context.client.execute({
        sql: "insert into accounts (account, memory) values (?, '{}')",
        args: [account],
      });
    for (const [chain, seq] of [
      ["a", 1],
      ["a", 2],
      ["b", 1],
    ] as const)
      await context.client.execute({
        sql: "insert into events (account, at, kind, message, chain, seq, hash) values (?, 5, 'error', 'odd', ?, ?, ?)",
        args: [chain, chain, seq, `${chain}${seq}`],
      });
    const { checkpoint } = await store.checkpoint(signer, undefined, BY);
    expect(checkpoint.marks.slice(1)).toEqual([
      { chain: "a", seq: 2, hash: "a2", from: 1, before: "" },
      { chain: "b", seq: 1, hash: "b1", from: 1, before: "" },
    ]);
  });

  it("signs the head of each chain, after the previous checkpoint", async () => {
    const { store } = await open("first", "second");
    const events = await store.eventsAfter(0, 9);
    const { checkpoint, cut } = await store.checkpoint(signer, undefined, BY);
    const chain = events[0]?.chain;
    expect(checkpoint).toMatchObject({
      number: 1,
      at: START + 2000,
      key: "the key",
      marks: [{ chain, seq: 2, hash: events[1]?.hash, from: 1, before: "" }],
    });
    expect(cut).toBe(0);
    const next = await store.checkpoint(signer, undefined, BY);
    expect(next.checkpoint).toMatchObject({ number: 2, marks: [{ chain, seq: 3, from: 1 }] });
    expect((await store.checkpoints()).map(({ number }) => number)).toEqual([1, 2]);
    expect((await store.eventsAfter(0, 9)).map(({ message }) => message).slice(2)).toEqual([
      "checkpoint 1 signed",
      "checkpoint 2 signed",
    ]);
  });

  it("deletes events past the retention time, and records where each chain continues", async () => {
    const { store } = await open("first", "second", "third");
    const events = await store.eventsAfter(0, 9);
    const { checkpoint, cut } = await store.checkpoint(signer, 1000, BY);
    expect(checkpoint.marks).toMatchObject([{ seq: 3, from: 3, before: events[1]?.hash }]);
    expect(cut).toBe(2);
    const left = (await store.eventsAfter(0, 9)).map(({ message }) => message);
    expect(left).toEqual(["third", "checkpoint 1 signed"]);
    const again = await store.checkpoint(signer, undefined, BY);
    expect(again.checkpoint.marks).toMatchObject([{ from: 3, before: events[1]?.hash }]);
    expect(again.cut).toBe(0);
  });

  it("retains the newest event, however old", async () => {
    const { store, time } = await open("first", "second");
    time.pass(1_000_000);
    const { checkpoint, cut } = await store.checkpoint(signer, 1, BY);
    expect([checkpoint.marks[0]?.from, cut]).toEqual([2, 1]);
  });

  it("deletes nothing while all events are recent", async () => {
    const { store } = await open("first", "second");
    const { checkpoint, cut } = await store.checkpoint(signer, 1_000_000, BY);
    expect([checkpoint.marks[0]?.from, checkpoint.marks[0]?.before, cut]).toEqual([1, "", 0]);
  });
});
