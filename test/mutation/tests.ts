// In the place of vitest, in a process that runs tests again and again. Vitest 5 does not export its runner: these are the
// runner and the matchers of Vitest 4.
import { readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import * as matchers from "@vitest/expect";
import { getCurrentTest, type Test } from "@vitest/runner";

export {
  afterAll,
  afterEach,
  beforeAll,
  beforeEach,
  describe,
  it,
  onTestFinished,
  test,
} from "@vitest/runner";

const { chai, JestAsymmetricMatchers, JestChaiExpect, JestExtend } = matchers;
chai.use(JestExtend);
chai.use(JestChaiExpect);
chai.use(JestAsymmetricMatchers);
chai.use(({ Assertion }) => {
  /** Vitest's, without writing the file. */
  Assertion.addMethod("toMatchFileSnapshot", async function (this: object, path: string) {
    const { filepath } = getCurrentTest<Test>().file;
    chai.expect(readFileSync(join(dirname(filepath), path), "utf8")).to.equal(chai.util.flag(this, "object"));
  });
});

const asymmetric = (globalThis as unknown as Record<symbol, object>)[matchers.ASYMMETRIC_MATCHERS_OBJECT];

/** How long something is asked for again, in milliseconds of the wall: a change may keep it from ever coming. */
const POLLED = 10_000;

type Assertion = Record<string, (...given: readonly unknown[]) => unknown>;

/** Vitest's `expect.poll`: asserts of what `read` gives again and again, until it holds. */
const poll = (read: () => unknown, _limits?: object, isNot = false): object =>
  new Proxy(
    {},
    {
      get: (_of, name: string) =>
        name === "not"
          ? poll(read, undefined, !isNot)
          : async (...given: readonly unknown[]) => {
              const until = performance.now() + POLLED;
              for (;;)
                try {
                  const asserted = chai.expect(await read());
                  return ((isNot ? asserted.not : asserted) as unknown as Assertion)[name]?.(...given);
                } catch (error) {
                  if (performance.now() > until) throw error;
                  await new Promise((resolve) => setTimeout(resolve, 20));
                }
            },
    },
  );

export const expect = Object.assign(
  (value: unknown, message?: string) => chai.expect(value, message),
  chai.expect,
  asymmetric,
  { poll },
);

(chai.expect as unknown as { extend(on: object, more: object): void }).extend(
  expect,
  matchers.customMatchers,
);

const stubbed = new Map<string, unknown>();

/** What tests use of Vitest's. */
export const vi = {
  stubGlobal(name: string, value: unknown): void {
    const all = globalThis as unknown as Record<string, unknown>;
    if (!stubbed.has(name)) stubbed.set(name, all[name]);
    all[name] = value;
  },
  unstubAllGlobals(): void {
    for (const [name, value] of stubbed) (globalThis as unknown as Record<string, unknown>)[name] = value;
    stubbed.clear();
  },
};
