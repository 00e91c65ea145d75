import { expect, it } from "vitest";
import { z } from "../../src/own/package.ts";
import { loadScript, MAX_LOOP_STEPS, SCRIPT_SCOPE } from "../../src/own/script.ts";

type Scope = Readonly<Record<(typeof SCRIPT_SCOPE)[number], unknown>>;
type Step = () => true;

/** A definition from a script with this body, which gets its scope by name. */
const scripted = (write: (scope: Scope) => object | undefined) =>
  loadScript({
    source: "strategies/own.ts:4",
    run: (...given) => {
      const scope = Object.fromEntries(SCRIPT_SCOPE.map((name, place) => [name, given[place]])) as Scope;
      Object.assign((scope.module as { exports: object }).exports, { default: write(scope) });
    },
  });

const own = (orders: () => unknown) => ({ name: "own", config: z.object({}), orders });
/** What its function returns within a call, as a pass makes it. */
const called = (write: (scope: Scope) => unknown): unknown => {
  const { guard, orders } = scripted((scope) => own(() => write(scope)));
  return guard?.(() => orders({} as never));
};

it("loads a definition with its source, and rejects a script without one", () => {
  expect(scripted(() => own(() => []))).toMatchObject({ name: "own", source: "strategies/own.ts:4" });
  for (const exported of [undefined, {}])
    expect(() => scripted(() => exported)).toThrow("strategies/own.ts:4: it exports no strategy");
  expect(() => scripted(() => ({ ...own(() => []), name: "Own" }))).toThrow('name "Own"');
});

it("ends a call whose loops run more than 5,000,000 times, and counts each call separately", () => {
  const loops = (count: number) => (scope: Scope) => {
    const step = scope.__step as Step;
    for (let i = 0; i < count; i++) step();
    return count;
  };
  const ended = "its loops ran more than 5000000 times in one call, and it was ended";
  expect(MAX_LOOP_STEPS).toBe(5_000_000);
  expect(called(loops(MAX_LOOP_STEPS))).toBe(MAX_LOOP_STEPS);
  expect(() => called(loops(MAX_LOOP_STEPS + 1))).toThrow(ended);
  let steps = MAX_LOOP_STEPS;
  const { guard, orders } = scripted((scope) => own(() => loops(steps)(scope)));
  const call = () => guard?.(() => orders({} as never));
  expect([call(), call()]).toEqual([MAX_LOOP_STEPS, MAX_LOOP_STEPS]);
  // A nested call counts with its caller.
  steps = MAX_LOOP_STEPS / 2 + 1;
  expect(() => guard?.(() => [orders({} as never), call()])).toThrow(ended);
});

it("fails the next call once when a callback ran too long after a call", () => {
  let step: Step = () => true;
  const { guard, orders } = scripted(({ __step }) => {
    step = __step as Step;
    return own(() => "answered");
  });
  const call = () => guard?.(() => orders({} as never));
  const late = () => {
    for (let i = 0; i <= MAX_LOOP_STEPS; i++) step();
  };
  const ended = "its loops ran more than 5000000 times in one call, and it was ended";
  expect(call()).toBe("answered");
  expect(late).toThrow(ended);
  // The callback's promise hides the error from the call that made it.
  expect(call).toThrow(ended);
  expect(call()).toBe("answered");
});

it("has the package, but no other module, no clock, no chance and no network", () => {
  const edgemaker = called(({ require: load }) => (load as (name: string) => unknown)("edgemaker"));
  expect(Object.keys(edgemaker as object).sort()).toEqual(["Money", "defineStrategy", "z"]);
  const fails = (write: (scope: Scope) => unknown) => () => called(write);
  expect(fails(({ require: load }) => (load as (name: string) => unknown)("node:fs"))).toThrow(
    '"node:fs" is not available to a strategy',
  );
  const clock = "the clock is absent: use the now that orders() is given";
  expect(fails(({ Date: Clock }) => new (Clock as DateConstructor)())).toThrow(clock);
  expect(fails(({ Date: Clock }) => (Clock as DateConstructor).now())).toThrow(clock);
  expect(called(({ Date: Clock }) => new (Clock as DateConstructor)(7).getTime())).toBe(7);
  expect(fails(({ Math: math }) => (math as Math).random())).toThrow("Math.random is absent");
  expect(called(({ Math: math }) => (math as Math).max(1, 2))).toBe(2);
  expect(fails(({ fetch: ask }) => (ask as () => unknown)())).toThrow("the network is absent");
  const { takeLog } = scripted(({ console: own }) => {
    (own as Console).log("loaded", 7);
    return { name: "own", config: z.object({}), orders: () => [] };
  });
  expect(takeLog?.().lines).toEqual(["loaded 7"]);
  expect(called(({ process: of, setTimeout: later, self }) => [of, later, self])).toEqual([
    undefined,
    undefined,
    undefined,
  ]);
});
