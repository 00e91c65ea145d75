import { expect, it } from "vitest";
import { keptDocuments } from "../../../../src/adapters/libsql/tables/kept-documents.ts";
import { encode } from "../../../../src/kernel/codec.ts";
import { decimal } from "../../../../src/kernel/decimal.ts";

interface Document {
  readonly name: string;
  readonly price: bigint;
  readonly slots: readonly { readonly amount: bigint }[];
}

const textOf = (name: string, length = 300): string =>
  encode({ name: name.padEnd(length, "."), price: decimal("1.5"), slots: [{ amount: decimal("0.25") }] });

it("parses a text once, and another one afresh", () => {
  const read = keptDocuments<Document>();
  const first = read(textOf("first"));
  expect(first.price).toBe(decimal("1.5"));
  expect(read(textOf("first"))).toBe(first);
  expect(read(textOf("other"))).not.toEqual(first);
});

it("returns a document that callers cannot change for others", () => {
  const read = keptDocuments<{ slots: { amount: bigint }[] }>();
  const result = read(textOf("first"));
  expect(() => result.slots.push({ amount: 1n })).toThrow(TypeError);
  expect(() => Object.assign(result.slots[0] as object, { amount: 1n })).toThrow(TypeError);
});

it("caches the most recently used documents that fit", () => {
  const read = keptDocuments<Document>();
  const [often, once] = [read(textOf("often")), read(textOf("once"))];
  for (let count = 0; count < 600; count++) {
    read(textOf(`more ${count}`));
    expect(read(textOf("often"))).toBe(often);
  }
  expect(read(textOf("once"))).not.toBe(once);
  for (const name of ["long", "longer"]) read(textOf(name, 2_500_000));
  expect(read(textOf("often"))).not.toBe(often);
});

it("drops a document that no read has used for long", () => {
  const read = keptDocuments<Document>();
  const replaced = read(textOf("replaced"));
  for (let count = 0; count < 1000; count++) read(textOf("next"));
  expect(read(textOf("replaced"))).toBe(replaced);
  for (let count = 0; count < 2001; count++) read(textOf("next"));
  // Only a new document makes room.
  read(textOf("another"));
  expect(read(textOf("replaced"))).not.toBe(replaced);
});
