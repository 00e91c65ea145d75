import type { Ccxt, Dict } from "./ccxt.ts";
import type { Send } from "./transport.ts";

/**
 * Replaces ccxt's request function, which has its own rate limit, proxies, timeout and retries. It sends ccxt's user
 * agent, as ccxt does on Node.
 */
export const askingBy = (send: Send) =>
  async function request(
    this: Ccxt,
    path: string,
    api: string | readonly string[],
    verb: string,
    params: Dict,
  ): Promise<unknown> {
    const { url, method, headers, body } = this.sign(path, api, verb, params);
    const { status, text } = await send({
      url,
      method,
      headers: { "User-Agent": "edgemaker", ...this.headers, ...headers },
      body,
    });
    const result = this.parseJson(text);
    this.handleErrors(status, "", url, method, {}, text, result, headers, body);
    return result || text;
  };
