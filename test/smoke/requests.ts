/** What a person wants to know of an account on a real exchange: asked through ccxt's own class, told in one line each. */

import type { Pair } from "../../src/kernel/pair.ts";
import { plainText } from "../../src/kernel/plain-text.ts";
import type { Millis } from "../../src/kernel/time.ts";
import type { VenueName } from "../../src/model/market.ts";
import { ccxtClient } from "../venues/ccxt-client.ts";

export interface Keys {
  readonly key: string;
  readonly secret: string;
  readonly passphrase: string;
}

export type Row = Readonly<Record<string, unknown>>;

export interface Asking {
  readonly symbol: Pair;
  /** The exchange's own id of the pair. */
  readonly market: string;
  readonly now: Millis;
  /** An endpoint under ccxt's name of it, as the exchange answers it. */
  call(endpoint: string, params?: Row): Promise<unknown>;
  readonly client: ReturnType<typeof ccxtClient>;
  readonly isUnified: boolean | undefined;
}

/** One thing that an exchange does or does not do; what it cannot tell from this account is "not seen". */
export interface Behaviour {
  readonly what: string;
  ask(asking: Asking): Promise<string>;
}

export const NOT_SHOWN = "not seen";
export const yesOrNo = (is: boolean | undefined): string =>
  is === undefined ? NOT_SHOWN : is ? "yes" : "no";

export const rowsOf = (value: unknown): readonly Row[] => (Array.isArray(value) ? (value as Row[]) : []);
export const fieldOf = (value: unknown, name: string): unknown =>
  typeof value === "object" && value !== null ? (value as Row)[name] : undefined;

/** The assets in which fees of buys were taken, by how they stand to the pair. */
export function feesOfBuys(assets: readonly unknown[], symbol: Pair): string {
  const [base, quote] = symbol.split("/");
  const kinds = assets.map((asset) => (asset === base ? "base" : asset === quote ? "quote" : `in ${asset}`));
  return kinds.length === 0 ? NOT_SHOWN : [...new Set(kinds)].join(", ");
}

export async function askingOf(
  name: VenueName,
  { url, keys, symbol }: { readonly url: string; readonly keys: Keys; readonly symbol: Pair },
): Promise<Asking> {
  const markets = await reached(ccxtClient(name, { url })).loadMarkets();
  const client = reached(ccxtClient(name, { url, keys }));
  client.setMarkets(markets);
  // This machine's own answers need no pace.
  client.enableRateLimit = !/\/\/(localhost|127\.)/.test(url);
  const endpoints = client as unknown as Record<string, (params: Row) => Promise<unknown>>;
  const call: Asking["call"] = async (endpoint, params = {}) => endpoints[endpoint]?.(params);
  const isUnified = await KINDS[name]?.(call);
  Object.assign(client.options, { uta: isUnified ?? false, unifiedAccount: isUnified ?? false });
  return { symbol, market: String(client.market(symbol).id), now: Date.now(), client, call, isUnified };
}

/** Whether the account is a unified one, where there are two kinds; undefined where nobody says so. */
const KINDS: Partial<Record<VenueName, (call: Asking["call"]) => Promise<boolean | undefined>>> = {
  bitget: (call) =>
    call("privateSpotGetV2SpotAccountInfo").then(
      () => false,
      (error: unknown) => (String(error).includes("40085") ? true : undefined),
    ),
  gateio: (call) =>
    call("privateUnifiedGetUnifiedMode").then(
      (result) => fieldOf(result, "mode") !== "classic",
      () => undefined,
    ),
};

const kindOf = (isUnified: boolean | undefined): string =>
  isUnified === undefined ? NOT_SHOWN : isUnified ? "unified" : "classic";

export const ACCOUNT_KIND: Behaviour = {
  what: "the account is",
  ask: async ({ isUnified }) => kindOf(isUnified),
};

// ccxt's own way to the network is left out of what is bundled.
const reached = <T extends object>(client: T): T =>
  Object.assign(client, {
    proxiesModulesLoading: Promise.resolve(),
    fetchImplementation: (url: string, { method, headers, body }: RequestInit) =>
      fetch(url, { method: method ?? "GET", headers: headers ?? {}, body: body ?? null, redirect: "manual" }),
  });

/** What the exchange said in ccxt's error, without the address that ccxt puts before it. */
export function saidIn(error: unknown, keys: Keys): string {
  const { name, message } = error instanceof Error ? error : { name: "", message: String(error) };
  const body = /\{.*\}/s.exec(message)?.[0];
  let said = body ?? name;
  for (const secret of [keys.key, keys.secret, keys.passphrase])
    if (secret !== "") said = said.replaceAll(secret, "…");
  return plainText(said, 160);
}

/** Prints a line for each behaviour; one that cannot be asked about says why. */
export async function tell(behaviours: readonly Behaviour[], asking: Asking, keys: Keys): Promise<void> {
  for (const { what, ask } of behaviours) {
    const answer = await ask(asking).catch((error: unknown) => `${NOT_SHOWN} (${saidIn(error, keys)})`);
    console.log(`  ${what}: ${answer}`);
  }
}
