import fc from "fast-check";
import { expect, it } from "vitest";
import { decode, encode } from "../../src/kernel/codec.ts";

const { part } = fc.letrec<{ part: unknown }>((tie) => ({
  part: fc.oneof(
    { maxDepth: 4 },
    fc.bigInt({ min: -(10n ** 30n), max: 10n ** 30n }),
    fc.string(),
    fc.string().map((text) => `=${text}`),
    fc.oneof(fc.integer(), fc.boolean(), fc.constant(null)),
    fc.array(tie("part"), { maxLength: 4 }),
    fc.dictionary(fc.stringMatching(/^[a-z]{1,6}$/), tie("part"), { maxKeys: 4, noNullPrototype: true }),
  ),
}));

it("the codec reads what it has written: decimals, decimal-like text, and their containers", () => {
  fc.assert(
    fc.property(part, (value) => {
      expect(decode(encode(value))).toEqual(value);
    }),
  );
});
