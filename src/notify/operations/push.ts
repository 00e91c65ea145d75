/** Web Push with WebCrypto alone: RFC 8030 (delivery), RFC 8291 (encryption) and RFC 8292 (identity of the sender). */
import { DAY, HOUR, type Millis, SECOND } from "../../kernel/time.ts";
import type { AlertLevel, ChannelSecrets, Message } from "../../model/channel.ts";
import type { OutboundRequest } from "../../ports/outbound.ts";
import { SENDER_KEY } from "../channels.ts";

type Bytes = Uint8Array<ArrayBuffer>;

const ECDH = { name: "ECDH", namedCurve: "P-256" } as const;
const ECDSA = { name: "ECDSA", namedCurve: "P-256" } as const;

const utf8 = (text: string): Bytes => new TextEncoder().encode(text);

const concat = (...parts: readonly Uint8Array[]): Bytes =>
  Uint8Array.from(parts.flatMap((part) => [...part]));

/** Encodes as base64url without padding, as RFC 7515 does. */
export const base64Url = (bytes: Uint8Array): string =>
  btoa(String.fromCharCode(...bytes))
    .replaceAll("+", "-")
    .replaceAll("/", "_")
    .replace(/=+$/, "");

export const fromBase64Url = (text: string): Bytes =>
  Uint8Array.from(atob(text.replaceAll("-", "+").replaceAll("_", "/")), (one) => one.charCodeAt(0));

/** Size of a record; RFC 8291 allows one only, and push services accept 4096 bytes in all. */
const RECORD_BYTES = 4096;
const HEADER_BYTES = 16 + 4 + 1 + 65;
/** Bytes of a text that fit with the end of the record and its tag. */
const MAX_TEXT_BYTES = RECORD_BYTES - HEADER_BYTES - 1 - 16;
const LAST_RECORD = Uint8Array.of(2);

async function derive(secret: Bytes, salt: Bytes, info: Bytes, length: number): Promise<Bytes> {
  const key = await crypto.subtle.importKey("raw", secret, "HKDF", false, ["deriveBits"]);
  const terms = { name: "HKDF", hash: "SHA-256", salt, info };
  return new Uint8Array(await crypto.subtle.deriveBits(terms, key, 8 * length));
}

/** A salt of 16 bytes and a pair of keys for ECDH on P-256: new ones for each message. */
interface MessageKeys {
  readonly salt: Bytes;
  readonly pair: CryptoKeyPair;
}

/** Returns the body for a browser with this public key and authentication secret, both as base64url (RFC 8291). */
export async function encryptPush(
  text: Bytes,
  browser: { readonly key: string; readonly secret: string },
  { salt, pair }: MessageKeys,
): Promise<Bytes> {
  const receiver = fromBase64Url(browser.key);
  const sender = new Uint8Array(await crypto.subtle.exportKey("raw", pair.publicKey));
  const publicKey = await crypto.subtle.importKey("raw", receiver, ECDH, false, []);
  const shared = await crypto.subtle.deriveBits({ name: "ECDH", public: publicKey }, pair.privateKey, 256);
  const info = concat(utf8("WebPush: info\0"), receiver, sender);
  const secret = await derive(new Uint8Array(shared), fromBase64Url(browser.secret), info, 32);
  const key = await derive(secret, salt, utf8("Content-Encoding: aes128gcm\0"), 16);
  const iv = await derive(secret, salt, utf8("Content-Encoding: nonce\0"), 12);
  const sealing = await crypto.subtle.importKey("raw", key, "AES-GCM", false, ["encrypt"]);
  const sealed = await crypto.subtle.encrypt({ name: "AES-GCM", iv }, sealing, concat(text, LAST_RECORD));
  const size = new Uint8Array(4);
  new DataView(size.buffer).setUint32(0, RECORD_BYTES);
  return concat(salt, size, Uint8Array.of(sender.length), sender, new Uint8Array(sealed));
}

/** A push service refuses an identity that is valid for more than a day. */
const IDENTITY_LIFE_MS: Millis = 12 * HOUR;

/** Returns the header with which a sender identifies itself to one push service (RFC 8292). */
export async function vapidHeader(
  senderKey: string,
  { endpoint, contact, now }: { readonly endpoint: string; readonly contact?: string; readonly now: Millis },
): Promise<string> {
  const [, publicKey = "", d = ""] = SENDER_KEY.exec(senderKey) ?? [];
  const point = fromBase64Url(publicKey);
  const [x, y] = [base64Url(point.slice(1, 33)), base64Url(point.slice(33))];
  const jwk = { kty: "EC", crv: "P-256", x, y, d };
  const key = await crypto.subtle.importKey("jwk", jwk, ECDSA, false, ["sign"]);
  const claims = {
    aud: new URL(endpoint).origin,
    exp: Math.floor((now + IDENTITY_LIFE_MS) / SECOND),
    ...(contact === undefined ? {} : { sub: contact }),
  };
  const parts = [{ typ: "JWT", alg: "ES256" }, claims].map((part) => base64Url(utf8(JSON.stringify(part))));
  const signed = parts.join(".");
  const signature = await crypto.subtle.sign({ ...ECDSA, hash: "SHA-256" }, key, utf8(signed));
  return `vapid t=${signed}.${base64Url(new Uint8Array(signature))}, k=${publicKey}`;
}

/** How long a push service keeps a message for a browser that is off. */
const KEPT_SECONDS = DAY / SECOND;

const URGENCY: Record<AlertLevel, string> = { info: "low", warning: "normal", alert: "high" };

/** Returns the text of a message, without the last lines if it is too long for a push. */
function pushText({ id, title, lines }: Message): Bytes {
  for (let count = lines.length; ; count--) {
    const more = count < lines.length ? ["…"] : [];
    const text = utf8(JSON.stringify({ id, title, body: [...lines.slice(0, count), ...more].join("\n") }));
    if (text.length <= MAX_TEXT_BYTES || count === 0) return text;
  }
}

/** Returns the request to a browser's push service. A retry replaces a message that the service still has. */
export async function pushRequest(
  message: Message,
  secrets: ChannelSecrets,
  { now, ...keys }: MessageKeys & { readonly now: Millis },
): Promise<OutboundRequest> {
  const { url = "", from, "browser key": key = "", "browser secret": secret = "" } = secrets;
  const contact = from?.startsWith("https:") ? { contact: from } : {};
  const identity = { endpoint: url, ...contact, now };
  return {
    url,
    headers: {
      authorization: await vapidHeader(secrets["sender key"] ?? "", identity),
      "content-encoding": "aes128gcm",
      "content-type": "application/octet-stream",
      ttl: String(KEPT_SECONDS),
      urgency: URGENCY[message.level],
      topic: message.id,
    },
    body: await encryptPush(pushText(message), { key, secret }, keys),
  };
}

/** Returns the keys of one message. */
export const newMessageKeys = async (): Promise<MessageKeys> => ({
  salt: crypto.getRandomValues(new Uint8Array(16)),
  pair: await crypto.subtle.generateKey(ECDH, true, ["deriveBits"]),
});
