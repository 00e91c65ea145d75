import { describe, expect, it } from "vitest";
import { light } from "../../../src/adapters/ccxt/client/light.ts";
import { bitget } from "../../../src/adapters/ccxt/exchanges/bitget.ts";
import { gateio } from "../../../src/adapters/ccxt/exchanges/gateio.ts";
import { kraken } from "../../../src/adapters/ccxt/exchanges/kraken.ts";
import { mexc } from "../../../src/adapters/ccxt/exchanges/mexc.ts";

/** Every object and list within a value, by its place. */
function objectsIn(value: unknown, place = "", found = new Map<object, string>()): Map<object, string> {
  if (typeof value !== "object" || value === null || found.has(value)) return found;
  if (!Array.isArray(value) && Object.getPrototypeOf(value) !== Object.prototype && place !== "")
    return found;
  found.set(value, place);
  for (const [name, part] of Object.entries(value)) objectsIn(part, `${place}/${name}`, found);
  return found;
}

describe.each([mexc, gateio, bitget, kraken])("instances of $name", ({ load, options }) => {
  it("share nothing that one of them writes", async () => {
    const make = light(await load(), { number: String, enableRateLimit: false, options });
    const [one, other] = [make({ apiKey: "key-of-one", secret: "s" }), make({})];
    const known = objectsIn(one);
    expect(known.size).toBeGreaterThan(100);
    expect([...objectsIn(other)].filter(([part]) => known.has(part)).map(([, place]) => place)).toEqual([]);
    one.options.written = 1;
    expect(other.options.written).toBeUndefined();
    expect(JSON.stringify(Object.values(other).filter((value) => typeof value === "string"))).not.toContain(
      "key-of-one",
    );
  });

  it("have what ccxt's own constructor makes, and what was asked for", async () => {
    const Exchange = await load();
    const config = { number: String, enableRateLimit: false, options };
    const [made, own] = [light(Exchange, config)({ timeout: 1 }), new Exchange(config)];
    const plain = (value: unknown) =>
      JSON.stringify(Object.entries(value as object).filter(([, part]) => typeof part !== "function"));
    expect(plain({ ...made, timeout: 0 })).toBe(plain({ ...own, timeout: 0 }));
    expect(made).toMatchObject({ timeout: 1 });
  });
});
