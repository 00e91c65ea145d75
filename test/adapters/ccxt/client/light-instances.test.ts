import { describe, expect, it } from "vitest";
import { lightInstances } from "../../../../src/adapters/ccxt/account/exchange-link.ts";
import { bitget } from "../../../../src/adapters/ccxt/exchanges/bitget.ts";
import { gateio } from "../../../../src/adapters/ccxt/exchanges/gateio.ts";
import { kraken } from "../../../../src/adapters/ccxt/exchanges/kraken.ts";
import { mexc } from "../../../../src/adapters/ccxt/exchanges/mexc.ts";

/** An instance inherits what it has not asked for yet; methods are not told. */
function namesOf(value: object): string[] {
  const names: string[] = [];
  for (const name in value) if (typeof value[name as never] !== "function") names.push(name);
  return names;
}

/** Every object and list within a value, by its place. */
function objectsIn(value: unknown, place = "", found = new Map<object, string>()): Map<object, string> {
  if (typeof value !== "object" || value === null || found.has(value)) return found;
  // What has a class of its own stays one, as ccxt's throttler, which nothing here uses.
  if (!Array.isArray(value) && value.constructor !== Object && place !== "") return found;
  found.set(value, place);
  for (const name of namesOf(value)) objectsIn(value[name as never], `${place}/${name}`, found);
  return found;
}

/** With what is inherited: all that ccxt's code would find. */
const wholeOf = (value: unknown): unknown =>
  Array.isArray(value)
    ? value.map(wholeOf)
    : typeof value === "object" && value !== null && !(value instanceof Promise)
      ? Object.fromEntries(
          namesOf(value)
            .sort()
            .map((name) => [name, wholeOf(value[name as never])]),
        )
      : value;
const plain = (value: object): string => JSON.stringify(wholeOf(value));

describe.each([mexc, gateio, bitget, kraken])("instances of $name", ({ load, options }) => {
  it("share nothing that one of them modifies", async () => {
    const make = lightInstances(await load(), { number: String, enableRateLimit: false, options });
    const [one, other] = [make({ apiKey: "key-of-one", secret: "s" }), make({})];
    const known = objectsIn(one);
    expect(known.size).toBeGreaterThan(100);
    expect([...objectsIn(other)].filter(([part]) => known.has(part)).map(([, place]) => place)).toEqual([]);
    one.options.written = 1;
    expect(other.options.written).toBeUndefined();
    expect(plain(other)).not.toContain("key-of-one");
  });

  it("have the defaults of ccxt's constructor, plus the requested options", async () => {
    const Exchange = await load();
    const config = { number: String, enableRateLimit: false, options };
    const [made, own] = [lightInstances(Exchange, config)({ timeout: 1 }), new Exchange(config)];
    expect(made).toMatchObject({ timeout: 1 });
    expect(own.options).toHaveProperty("networksById");
    // What others ask of an instance, made after all else.
    for (const one of [made, own]) {
      Object.assign(one, { timeout: 0, tokenBucket: 0, throttler: 0, features: 0 });
      one.options.networksById = 0;
    }
    expect(plain(made)).toBe(plain(own));
  });

  it("have the options common to all of them, whatever was requested before", async () => {
    const Exchange = await load();
    const others = lightInstances(Exchange, { number: String, options: { ...options, others: 1 } })({});
    const ours = lightInstances(Exchange, { number: String, options })({});
    expect(others.options.others).toBe(1);
    for (const [name, value] of Object.entries(options ?? {})) expect(ours.options[name]).toEqual(value);
    expect(ours.options.others).toBeUndefined();
    expect(Object.getPrototypeOf(lightInstances(Exchange, { number: String, options })({}))).toBe(
      Object.getPrototypeOf(ours),
    );
  });

  it("read amounts as text only where that is requested", async () => {
    const Exchange = await load();
    const amounts = (common: object) =>
      (
        lightInstances(Exchange, { ...common, options })({}) as unknown as {
          parseNumber(text: string): unknown;
        }
      ).parseNumber("1.10");
    expect(amounts({ number: Number })).toBe(1.1);
    expect(amounts({ number: String })).toBe("1.10");
    expect(amounts({ number: Number })).toBe(1.1);
  });

  it("have every endpoint and method of ccxt's class, and its second names never", async () => {
    const Exchange = await load();
    const config = { number: String, options: { ...options, template: performance.now() } };
    const own: object = new Exchange(config);
    const made = lightInstances(Exchange, config)({}) as unknown as Record<string, unknown>;
    const names = Object.keys(own).filter((name) => typeof own[name as never] === "function");
    const first = names.filter((name) => !name.includes("_"));
    expect(first.length).toBeGreaterThan(50);
    expect(first.filter((name) => typeof made[name] !== "function")).toEqual([]);
    const endpoints: string[] = [];
    for (const name in made) if (typeof made[name] === "function") endpoints.push(name);
    expect(endpoints.filter((name) => name.includes("_"))).toEqual([]);
  });

  it("inherit none of another instance's options", async () => {
    const make = lightInstances(await load(), { number: String, enableRateLimit: false, options });
    const one = make({}) as unknown as Record<string, unknown>;
    one.options = { written: 1 };
    one.markets = { "A/B": {} };
    one.rateLimit = -1;
    const other = make({}) as unknown as Record<string, unknown>;
    expect(other.options).not.toHaveProperty("written");
    expect([other.markets, other.rateLimit]).not.toContain(one.markets);
    expect(other.rateLimit).not.toBe(-1);
    expect(one.options).toEqual({ written: 1 });
  });
});
