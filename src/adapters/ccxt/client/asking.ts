import type { Ccxt, Dict } from "./ccxt.ts";
import type { Send } from "./transport.ts";

/**
 * Stands for ccxt's own way from an endpoint to its answer, which has a rate, proxies, a time limit and repetitions of its own.
 * Exchanges are told who asks, as ccxt tells them on Node.
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
