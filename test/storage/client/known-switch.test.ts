import { describe, expect, it } from "vitest";
import { knownSwitch } from "../../../src/storage/client/known-switch.ts";

const OFF = { on: false, cancels: false, sells: false };
const ON = { ...OFF, on: true };
const SELLING = { ...ON, sells: true };

/** A write that ends when it is told to. */
function writing() {
  let end: (error?: Error) => void = () => undefined;
  const written = new Promise<string>((resolve, reject) => {
    end = (error) => (error ? reject(error) : resolve("written"));
  });
  return { write: () => written, end: (error?: Error) => end(error) };
}

const keptBack = (known: ReturnType<typeof knownSwitch>) =>
  (["slot", "exit", "hand"] as const).filter((kind) => known.keepsBack(kind));

describe("the kill switch in a process", () => {
  it("blocks nothing before its state is read, and counts as not turned", () => {
    const known = knownSwitch();
    expect([keptBack(known), known.isTurning(), known.turns()]).toEqual([[], false, 0]);
  });

  it("blocks orders from the moment it is turned on, during the write and afterwards", async () => {
    const [known, { write, end }] = [knownSwitch(), writing()];
    const turning = known.turn(true, {}, write);
    expect([keptBack(known), known.isTurning(), known.turns()]).toEqual([["slot", "exit", "hand"], true, 1]);
    end();
    expect(await turning).toBe("written");
    expect([keptBack(known), known.isTurning()]).toEqual([["slot", "exit", "hand"], false]);
  });

  it("allows exits where a panic sells", async () => {
    const known = knownSwitch();
    await known.turn(true, { sells: true }, async () => undefined);
    expect(keptBack(known)).toEqual(["slot", "hand"]);
  });

  it("blocks orders after a write with unknown outcome, until it is read", async () => {
    const [known, { write, end }] = [knownSwitch(), writing()];
    const turning = known.turn(true, {}, write);
    end(new Error("no answer"));
    await expect(turning).rejects.toThrow("no answer");
    expect([keptBack(known), known.isTurning()]).toEqual([["slot", "exit", "hand"], false]);
    known.read(OFF, known.turns());
    expect(keptBack(known)).toEqual([]);
  });

  it("blocks orders from the moment it is turned on, also while it is still being turned off", async () => {
    const [known, off, on] = [knownSwitch(), writing(), writing()];
    const turningOff = known.turn(false, {}, off.write);
    const turningOn = known.turn(true, {}, on.write);
    off.end();
    await turningOff;
    expect(keptBack(known)).toEqual(["slot", "exit", "hand"]);
    on.end();
    await turningOn;
    expect(keptBack(known)).toEqual(["slot", "exit", "hand"]);
  });

  it("blocks orders until turning it off is written", async () => {
    const [known, { write, end }] = [knownSwitch(), writing()];
    known.read(ON, 0);
    const turning = known.turn(false, {}, write);
    expect(known.keepsBack("slot")).toBe(true);
    end();
    await turning;
    expect(known.keepsBack("slot")).toBe(false);
  });

  it("blocks orders where turning it off may have failed", async () => {
    const known = knownSwitch();
    known.read(ON, 0);
    await expect(known.turn(false, {}, () => Promise.reject(new Error("no answer")))).rejects.toThrow();
    expect(known.keepsBack("slot")).toBe(true);
  });

  it("has the state read last, unless it was turned meanwhile", () => {
    const known = knownSwitch();
    known.read(ON, 0);
    expect(keptBack(known)).toEqual(["slot", "exit", "hand"]);
    known.read(SELLING, 0);
    expect(keptBack(known)).toEqual(["slot", "hand"]);
    known.read(OFF, 0);
    expect(keptBack(known)).toEqual([]);
  });

  it("ignores a read made while it is being turned", async () => {
    const [known, { write, end }] = [knownSwitch(), writing()];
    const turning = known.turn(true, {}, write);
    known.read(OFF, known.turns());
    expect(known.keepsBack("slot")).toBe(true);
    end();
    await turning;
  });

  it("ignores a read started before it was turned, whenever that returns", async () => {
    const known = knownSwitch();
    const requestCount = known.turns();
    await known.turn(true, {}, async () => undefined);
    known.read(OFF, requestCount);
    expect(known.keepsBack("slot")).toBe(true);
  });

  it("counts as being turned until every caller that turns it is done", async () => {
    const [known, one, two] = [knownSwitch(), writing(), writing()];
    const turning = [known.turn(true, {}, one.write), known.turn(true, {}, two.write)];
    one.end();
    await turning[0];
    expect([known.isTurning(), known.turns()]).toEqual([true, 2]);
    two.end();
    await turning[1];
    expect(known.isTurning()).toBe(false);
  });
});
