import { hmac } from "@noble/hashes/hmac.js";
import { sha256, sha512 } from "@noble/hashes/sha2.js";
import { hexOf } from "../../kernel/digest.ts";

const bytes = (text: string) => new TextEncoder().encode(text);

/** Returns HMAC-SHA512 as hexadecimal text. */
export const hexSignature = (secret: string, text: string): string =>
  hexOf(hmac(sha512, bytes(secret), bytes(text)));

/** Returns HMAC-SHA256 in base64. */
export const base64Signature = (secret: string, text: string): string =>
  btoa(String.fromCharCode(...hmac(sha256, bytes(secret), bytes(text))));
