// Stands for what ccxt takes of `@scure/base`. What is no such text is refused here, too: a secret with a letter too many is none.
import { Buffer } from "node:buffer";

const coder = (form, isText) => ({
  encode: (bytes) => Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length).toString(form),
  decode(text) {
    if (!isText.test(text)) throw new Error(`not a text of ${form}`);
    return Uint8Array.from(Buffer.from(text, form));
  },
});

export const hex = coder("hex", /^(?:[0-9a-f]{2})*$/i);
export const base64 = coder("base64", /^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$/);
export const utf8 = {
  encode: (bytes) => new TextDecoder().decode(bytes),
  decode: (text) => new TextEncoder().encode(text),
};

const unreached = () => {
  throw new Error("this part of a library is left out of the bundle");
};
export const base58 = { encode: unreached, decode: unreached };
export const base32 = base58;
