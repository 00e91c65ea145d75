import { type Millis, SECOND } from "../../kernel/time.ts";
import type { ChannelSecrets, Message } from "../../model/channel.ts";
import type { OutboundRequest } from "../../ports/outbound.ts";

/**
 * Signs a request with the three headers of Standard Webhooks (standardwebhooks.com), if the channel has a secret: a
 * receiver checks `v1,` + base64 of HMAC-SHA256 over `id.timestamp.body`, and refuses old timestamps.
 */
export async function signedRequest(
  request: OutboundRequest,
  {
    message,
    secrets,
    now,
  }: { readonly message: Message; readonly secrets: ChannelSecrets; readonly now: Millis },
): Promise<OutboundRequest> {
  const { secret } = secrets;
  if (secret === undefined) return request;
  const timestamp = String(Math.floor(now / SECOND));
  const raw = Uint8Array.from(atob(secret.slice(SECRET_PREFIX.length)), (one) => one.charCodeAt(0));
  const algorithm = { name: "HMAC", hash: "SHA-256" };
  const key = await crypto.subtle.importKey("raw", raw, algorithm, false, ["sign"]);
  const content = new TextEncoder().encode(`${message.id}.${timestamp}.${request.body}`);
  const bytes = new Uint8Array(await crypto.subtle.sign("HMAC", key, content));
  const signature = `v1,${btoa(String.fromCharCode(...bytes))}`;
  return {
    ...request,
    headers: {
      ...request.headers,
      "webhook-id": message.id,
      "webhook-timestamp": timestamp,
      "webhook-signature": signature,
    },
  };
}

const SECRET_PREFIX = "whsec_";

/** Returns a new Standard Webhooks secret from 32 random bytes. */
export const newWebhookSecret = (bytes: Uint8Array): string =>
  `${SECRET_PREFIX}${btoa(String.fromCharCode(...bytes))}`;
