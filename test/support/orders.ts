import type { liveApp } from "./live.ts";
import { orderRequest } from "./requests.ts";

export type App = Pick<Awaited<ReturnType<typeof liveApp>>, "ask" | "tokens">;
type Headers = Readonly<Record<string, string>>;

export const post = ({ ask, tokens }: App, body: object, headers: Headers = {}) =>
  ask("/api/v1/orders", {
    method: "POST",
    headers: { authorization: `Bearer ${tokens.trade}`, "content-type": "application/json", ...headers },
    body: JSON.stringify(body),
  });

export const get = ({ ask, tokens }: App, path: string, headers: Headers = {}) =>
  ask(`/api/v1${path}`, { headers: { authorization: `Bearer ${tokens.trade}`, ...headers } });

export const del = ({ ask, tokens }: App, path: string) =>
  ask(`/api/v1${path}`, { method: "DELETE", headers: { authorization: `Bearer ${tokens.trade}` } });

/** The body of a small buy far from the market. */
export const buy = (exchange: string, over: object = {}) => orderRequest({ exchange, ...over });
