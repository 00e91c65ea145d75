// In the place of vitest, in a process that runs tests again and again.
import * as matchers from "@vitest/expect";

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

const asymmetric = (globalThis as unknown as Record<symbol, object>)[matchers.ASYMMETRIC_MATCHERS_OBJECT];

export const expect = Object.assign(
  (value: unknown, message?: string) => chai.expect(value, message),
  chai.expect,
  asymmetric,
);

(chai.expect as unknown as { extend(on: object, more: object): void }).extend(
  expect,
  matchers.customMatchers,
);
