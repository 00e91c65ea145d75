import { plainText } from "../kernel/plain-text.ts";
import { type Post, refusedAddress, secondsOf } from "../ports/outbound.ts";
import { boundedText } from "./bounded-text.ts";

/** For platforms that reach no private addresses: Cloudflare's fetch uses Cloudflare's network. */
export const fetchPost =
  (ask: typeof fetch, named: readonly string[]): Post =>
  async ({ method = "POST", url, headers, body }, timeout) => {
    const refused = refusedAddress(new URL(url), named);
    if (refused !== undefined) throw new Error(refused);
    const signal = AbortSignal.timeout(timeout);
    const response = await ask(url, {
      method,
      headers,
      ...(method === "GET" ? {} : { body }),
      redirect: "manual",
      signal,
    });
    const text = await boundedText(response, signal).catch(() => "");
    return {
      status: response.status,
      text: plainText(text, 200),
      retryAfterSeconds: secondsOf(response.headers.get("retry-after")),
    };
  };
