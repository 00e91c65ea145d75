import { describe, expect, it } from "vitest";
import { refusedSecrets } from "../../../src/notify/channels.ts";
import {
  base64Url,
  encryptPush,
  fromBase64Url,
  newMessageKeys,
  pushRequest,
  vapidHeader,
} from "../../../src/notify/operations/push.ts";
import { notifyBox } from "../../support/notify.ts";
import { decrypt, EXAMPLE, pushService } from "../../support/push.ts";

const HOUR_SECONDS = 3600;

const jwkOf = (point: string, d: string) => {
  const raw = fromBase64Url(point);
  return { kty: "EC", crv: "P-256", x: base64Url(raw.slice(1, 33)), y: base64Url(raw.slice(33)), d };
};

const SENDER_KEY = `${EXAMPLE.senderPublic}.${EXAMPLE.senderPrivate}`;

const secretsFor = (url: string) => ({
  url,
  "browser key": EXAMPLE.browserPublic,
  "browser secret": EXAMPLE.secret,
  "sender key": SENDER_KEY,
  from: "https://edge.example.org",
});

/** Checks a header with the key that it names, and returns its claims. */
async function claimsOf(header: string) {
  const [, token = "", k = ""] = /^vapid t=([\w.-]+), k=([\w-]+)$/.exec(header) ?? [];
  const [head = "", claims = "", signature = ""] = token.split(".");
  const algorithm = { name: "ECDSA", namedCurve: "P-256", hash: "SHA-256" };
  const key = await crypto.subtle.importKey("raw", fromBase64Url(k), algorithm, false, ["verify"]);
  const signed = new TextEncoder().encode(`${head}.${claims}`);
  expect(await crypto.subtle.verify(algorithm, key, fromBase64Url(signature), signed)).toBe(true);
  expect(JSON.parse(Buffer.from(head, "base64url").toString())).toEqual({ typ: "JWT", alg: "ES256" });
  return JSON.parse(Buffer.from(claims, "base64url").toString()) as Record<"aud" | "sub", string> & {
    readonly exp: number;
  };
}

describe("a push to a browser", () => {
  it("is encrypted as in the example of RFC 8291, to the byte", async () => {
    const algorithm = { name: "ECDH", namedCurve: "P-256" };
    const { d: _, ...open } = jwkOf(EXAMPLE.senderPublic, "");
    const pair = {
      publicKey: await crypto.subtle.importKey("jwk", open, algorithm, true, []),
      privateKey: await crypto.subtle.importKey(
        "jwk",
        jwkOf(EXAMPLE.senderPublic, EXAMPLE.senderPrivate),
        algorithm,
        false,
        ["deriveBits"],
      ),
    };
    const body = await encryptPush(
      new TextEncoder().encode(EXAMPLE.text),
      { key: EXAMPLE.browserPublic, secret: EXAMPLE.secret },
      { salt: fromBase64Url(EXAMPLE.salt), pair },
    );
    expect(base64Url(body)).toBe(EXAMPLE.body);
    expect(decrypt(body)).toBe(EXAMPLE.text);
  });

  it("names its sender in a token for that push service, which its own key verifies", async () => {
    const now = Date.UTC(2026, 0, 1);
    const identity = { endpoint: "https://push.example.net/push/JzLQ3raZJfFBR0aqvOMsLrt54w4rJUsV", now };
    const claims = await claimsOf(await vapidHeader(SENDER_KEY, identity));
    expect(claims).toEqual({ aud: "https://push.example.net", exp: now / 1000 + 12 * HOUR_SECONDS });
    const { sub } = await claimsOf(
      await vapidHeader(SENDER_KEY, { ...identity, contact: "https://edge.example.org" }),
    );
    expect(sub).toBe("https://edge.example.org");
  });

  it("arrives over a socket, and only the browser can read it", async () => {
    const box = await notifyBox();
    const service = await pushService(() => 201);
    await box.add("desk", service.url, { kind: "browser", secrets: secretsFor(service.url) });
    await box.tell("error", "the ledger and the account differ", "grid-1");
    await box.round(1);
    await box.round(600);
    const [request, ...others] = service.requests;
    if (!request) throw new Error("nothing was sent");
    expect(others).toEqual([]);
    const { id, title, body } = JSON.parse(decrypt(request.body));
    expect(title).toBe("edgemaker alert: grid-1: error, the ledger and the account differ");
    expect(body).toContain("alert: grid-1");
    expect(request.headers).toMatchObject({
      "content-encoding": "aes128gcm",
      ttl: "86400",
      urgency: "high",
      topic: id,
      "content-length": String(request.body.length),
    });
    expect(request.body.includes("ledger")).toBe(false);
    const claims = await claimsOf(request.headers.authorization ?? "");
    expect(claims).toMatchObject({ aud: new URL(service.url).origin, sub: "https://edge.example.org" });
    expect((await box.channel("desk")).channel.error).toBeNull();
  });

  it.each([404, 410])(
    "is given up at once if the browser has gone (%i), and the channel says so",
    async (status) => {
      const box = await notifyBox();
      const service = await pushService(() => status);
      await box.add("desk", service.url, { kind: "browser", secrets: secretsFor(service.url) });
      await box.tell("error", "the ledger and the account differ", "grid-1");
      for (let hours = 0; hours < 5; hours++) await box.round(HOUR_SECONDS);
      expect(service.requests).toHaveLength(1);
      expect(await box.channel("desk")).toMatchObject({
        pending: 0,
        dead: 1,
        channel: {
          error: "this browser no longer accepts messages; remove the channel and add the browser again",
        },
      });
    },
  );

  it("is sent again after another failure, as the same message with other keys", async () => {
    const box = await notifyBox();
    let isUp = false;
    const service = await pushService(() => (isUp ? 201 : 503));
    await box.add("desk", service.url, { kind: "browser", secrets: secretsFor(service.url) });
    await box.tell("error", "the ledger and the account differ", "grid-1");
    await box.round(1);
    isUp = true;
    await box.round(60);
    const [first, second] = service.requests;
    expect(service.requests).toHaveLength(2);
    expect(first?.headers.topic).toBe(second?.headers.topic);
    expect(first?.body.subarray(0, 16).equals(second?.body.subarray(0, 16) as Buffer)).toBe(false);
  });

  it("has at most the 4096 bytes that a push service accepts", async () => {
    const lines = Array.from({ length: 50 }, (_, at) => `${at} ${"ü€".repeat(60)}`);
    const message = {
      id: "m1",
      kind: "news",
      level: "info",
      title: "edgemaker: 50 fills",
      lines,
      at: 0,
    } as const;
    const { body } = await pushRequest(message, secretsFor("https://push.example.net/x"), {
      ...(await newMessageKeys()),
      now: 0,
    });
    expect(body.length).toBeLessThanOrEqual(4096);
    const { body: text } = JSON.parse(decrypt(body as Uint8Array));
    expect(text).toMatch(/^0 ü€[\s\S]*\n…$/);
  });

  it("goes to no private address, and to no keys that are none of a browser", async () => {
    const refused = (secrets: Record<string, string>) => refusedSecrets("browser", secrets, { hosts: [] });
    expect(await refused(secretsFor("https://fcm.googleapis.com/fcm/send/x"))).toBeUndefined();
    for (const url of ["https://127.0.0.1/x", "http://push.example.net/x", "https://169.254.169.254/x"])
      expect(await refused(secretsFor(url)), url).toMatch(/an address must be/);
    for (const name of ["browser key", "browser secret", "sender key"])
      expect(await refused({ ...secretsFor("https://push.example.net/x"), [name]: "x" })).toMatch(
        /its own keys/,
      );
  });
});
