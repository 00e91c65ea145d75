import { join } from "node:path";
import { hmac } from "@noble/hashes/hmac.js";
import { sha256, sha512 } from "@noble/hashes/sha2.js";
import { concatBytes, utf8ToBytes } from "@noble/hashes/utils.js";
import { expect, it } from "vitest";
import { HASHES } from "../../../cli/build/aliases.mjs";
import { root } from "../../support/bundle.ts";

interface Hashes {
  readonly sha256: typeof sha256;
  readonly sha512: typeof sha512;
  readonly hmac: typeof hmac;
  readonly concatBytes: typeof concatBytes;
  readonly utf8ToBytes: typeof utf8ToBytes;
}
interface Coder {
  readonly encode: (bytes: Uint8Array) => string;
  readonly decode: (text: string) => Uint8Array;
}
type Coders = Readonly<Record<"hex" | "base64" | "utf8", Coder>>;

const own = (await import(HASHES)) as Hashes;
const coders = (await import(join(root, "cli/build/stubs/coders.mjs"))) as Coders;
const library = (await import(join(root, "node_modules/@scure/base/index.js"))) as Coders;

const LENGTHS = [0, 1, 2, 3, 31, 55, 56, 63, 64, 65, 127, 128, 129, 300];
/** A part of a longer buffer, as a library may hand it on. */
const bytesOf = (length: number, from = 0): Uint8Array<ArrayBuffer> =>
  Uint8Array.from({ length: length + 7 }, (_, at) => (at * 151 + from) % 256).subarray(7);

it("the platform's hashes are those of the library that they stand for", () => {
  for (const length of LENGTHS) {
    const [data, key] = [bytesOf(length), bytesOf(length, 99)];
    expect(own.sha256(data)).toEqual(sha256(data));
    expect(own.sha512(data)).toEqual(sha512(data));
    expect(own.hmac(own.sha256 as typeof sha256, key, data)).toEqual(hmac(sha256, key, data));
    expect(own.hmac(own.sha512 as typeof sha512, key, data)).toEqual(hmac(sha512, key, data));
    expect(own.concatBytes(data, key, data)).toEqual(concatBytes(data, key, data));
  }
  expect(own.utf8ToBytes("grüße €")).toEqual(utf8ToBytes("grüße €"));
});

it("bytes are coded as text, and read of it, as by the library", () => {
  for (const form of ["hex", "base64"] as const)
    for (const length of LENGTHS) {
      const text = library[form].encode(bytesOf(length));
      expect(coders[form].encode(bytesOf(length))).toBe(text);
      expect(coders[form].decode(text)).toEqual(bytesOf(length));
    }
  expect(coders.utf8.decode("grüße €")).toEqual(library.utf8.decode("grüße €"));
  expect(coders.utf8.encode(coders.utf8.decode("grüße €"))).toBe("grüße €");
  expect(coders.hex.decode("0aFF")).toEqual(library.hex.decode("0aFF"));
});

it.each([
  ["base64", ["a", "YQ", "YQ=", "YQ===", "Y Q=", "YWJj\n", "YW-_", "not a secret!"]],
  ["hex", ["a", "0g", "0a ", "0x0a"]],
] as const)("what is no text of %s is refused by both", (form, texts) => {
  for (const text of texts) {
    expect(() => library[form].decode(text), text).toThrow();
    expect(() => coders[form].decode(text), text).toThrow();
  }
});
