import { createDecipheriv, createECDH, hkdfSync } from "node:crypto";
import { createServer, type IncomingHttpHeaders } from "node:http";
import type { AddressInfo } from "node:net";
import { expect, onTestFinished } from "vitest";

/** RFC 8291, appendix A. */
export const EXAMPLE = {
  text: "When I grow up, I want to be a watermelon",
  senderPublic: "BP4z9KsN6nGRTbVYI_c7VJSPQTBtkgcy27mlmlMoZIIgDll6e3vCYLocInmYWAmS6TlzAC8wEqKK6PBru3jl7A8",
  senderPrivate: "yfWPiYE-n46HLnH0KqZOF1fJJU3MYrct3AELtAQ-oRw",
  browserPublic: "BCVxsr7N_eNgVRqvHtD0zTZsEc6-VV-JvLexhqUzORcxaOzi6-AYWXvTBHm4bjyPjs7Vd8pZGH6SRpkNtoIAiw4",
  browserPrivate: "q1dXpw3UpT5VOmu_cf_v6ih07Aems3njxI-JWgLcM94",
  secret: "BTBZMqHH6r4Tts7J_aSIgg",
  salt: "DGv6ra1nlYgDCS1FRnbzlw",
  body: "DGv6ra1nlYgDCS1FRnbzlwAAEABBBP4z9KsN6nGRTbVYI_c7VJSPQTBtkgcy27mlmlMoZIIgDll6e3vCYLocInmYWAmS6TlzAC8wEqKK6PBru3jl7A_yl95bQpu6cVPTpK4Mqgkf1CXztLVBSt2Ks3oZwbuwXPXLWyouBWLVWGNWQexSgSxsj_Qulcy4a-fN",
};

/** Decrypts a body with Node's own functions, as the browser of the example does. */
export function decrypt(body: Uint8Array): string {
  const { browserPrivate: privateKey, secret } = EXAMPLE;
  const bytes = Buffer.from(body);
  const [salt, sender, sealed] = [bytes.subarray(0, 16), bytes.subarray(21, 86), bytes.subarray(86)];
  expect([bytes.readUInt32BE(16), bytes[20]]).toEqual([4096, 65]);
  const browser = createECDH("prime256v1");
  browser.setPrivateKey(Buffer.from(privateKey, "base64url"));
  const info = Buffer.concat([Buffer.from("WebPush: info\0"), browser.getPublicKey(), sender]);
  const derive = (key: Uint8Array, by: Uint8Array, what: Uint8Array, size: number) =>
    Buffer.from(hkdfSync("sha256", key, by, what, size));
  const key = derive(browser.computeSecret(sender), Buffer.from(secret, "base64url"), info, 32);
  const aes = derive(key, salt, Buffer.from("Content-Encoding: aes128gcm\0"), 16);
  const iv = derive(key, salt, Buffer.from("Content-Encoding: nonce\0"), 12);
  const opened = createDecipheriv("aes-128-gcm", aes, iv);
  opened.setAuthTag(sealed.subarray(-16));
  const plain = Buffer.concat([opened.update(sealed.subarray(0, -16)), opened.final()]);
  expect(plain.at(-1)).toBe(2);
  return plain.subarray(0, -1).toString();
}

/** A push service over a real socket. */
export async function pushService(status: () => number) {
  const requests: { readonly headers: IncomingHttpHeaders; readonly body: Buffer }[] = [];
  const server = createServer(async (request, response) => {
    const parts: Buffer[] = [];
    for await (const part of request) parts.push(part as Buffer);
    requests.push({ headers: request.headers, body: Buffer.concat(parts) });
    response.writeHead(status()).end("push subscription has unsubscribed or expired");
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/push/abc`, requests };
}
