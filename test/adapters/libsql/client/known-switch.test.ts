import { describe, expect, it } from "vitest";
import { knownSwitch } from "../../../../src/adapters/libsql/client/known-switch.ts";

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

describe("the kill switch that a process knows", () => {
  it("keeps nothing back before anything is known, and has not been turned", () => {
    const known = knownSwitch();
    expect([keptBack(known), known.isTurning(), known.turns()]).toEqual([[], false, 0]);
  });

  it("holds from the moment it is turned on, while that is being written and afterwards", async () => {
    const [known, { write, end }] = [knownSwitch(), writing()];
    const turning = known.turn(true, {}, write);
    expect([keptBack(known), known.isTurning(), known.turns()]).toEqual([["slot", "exit", "hand"], true, 1]);
    end();
    expect(await turning).toBe("written");
    expect([keptBack(known), known.isTurning()]).toEqual([["slot", "exit", "hand"], false]);
  });

  it("lets exits go where a panic sells", async () => {
    const known = knownSwitch();
    await known.turn(true, { sells: true }, async () => undefined);
    expect(keptBack(known)).toEqual(["slot", "hand"]);
  });

  it("holds where nobody knows whether it was written, until it is read", async () => {
    const [known, { write, end }] = [knownSwitch(), writing()];
    const turning = known.turn(true, {}, write);
    end(new Error("no answer"));
    await expect(turning).rejects.toThrow("no answer");
    expect([keptBack(known), known.isTurning()]).toEqual([["slot", "exit", "hand"], false]);
    known.read(OFF, known.turns());
    expect(keptBack(known)).toEqual([]);
  });

  it("turned off, goes on holding until that is written", async () => {
    const [known, { write, end }] = [knownSwitch(), writing()];
    known.read(ON, 0);
    const turning = known.turn(false, {}, write);
    expect(known.keepsBack("slot")).toBe(true);
    end();
    await turning;
    expect(known.keepsBack("slot")).toBe(false);
  });

  it("goes on holding where it may not have been turned off", async () => {
    const known = knownSwitch();
    known.read(ON, 0);
    await expect(known.turn(false, {}, () => Promise.reject(new Error("no answer")))).rejects.toThrow();
    expect(known.keepsBack("slot")).toBe(true);
  });

  it("is what was read last, where it was not turned meanwhile", () => {
    const known = knownSwitch();
    known.read(ON, 0);
    expect(keptBack(known)).toEqual(["slot", "exit", "hand"]);
    known.read(SELLING, 0);
    expect(keptBack(known)).toEqual(["slot", "hand"]);
    known.read(OFF, 0);
    expect(keptBack(known)).toEqual([]);
  });

  it("is not what is read while it is being turned", async () => {
    const [known, { write, end }] = [knownSwitch(), writing()];
    const turning = known.turn(true, {}, write);
    known.read(OFF, known.turns());
    expect(known.keepsBack("slot")).toBe(true);
    end();
    await turning;
  });

  it("is not what was asked for before it was turned, whenever that is answered", async () => {
    const known = knownSwitch();
    const requestCount = known.turns();
    await known.turn(true, {}, async () => undefined);
    known.read(OFF, requestCount);
    expect(known.keepsBack("slot")).toBe(true);
  });

  it("is being turned until each of those who turn it has done", async () => {
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
