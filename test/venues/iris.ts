import { createServer, type IncomingMessage } from "node:http";
import type { AddressInfo } from "node:net";
import { onTestFinished } from "vitest";
import { CHAIN_TOKENS, type ChainToken } from "../../src/kernel/pair.ts";

/** A pool in the aggregator's own shape. */
export interface IrisPool {
  dex: string;
  identifier: string;
  tokenA: { policyId: string; nameHex: string } | null;
  tokenB: { policyId: string; nameHex: string; decimals: number | null; ticker: string };
  state: Record<"reserveA" | "reserveB" | "tvl" | "buyFeePercent" | "sellFeePercent" | "slot", number> | null;
}

export interface Behaviour {
  /** Replaces the answer of a path's end: `pools` or `prices`. */
  answer?: (what: "pools" | "prices", answer: unknown) => unknown;
  status?: number;
  /** Where a redirect leads. */
  location?: string;
  /** Text in place of JSON. */
  text?: string;
  /** Never answers; or answers the headers alone. */
  hang?: "before" | "after headers";
  /** Identifiers that have no price. */
  gaps?: readonly string[];
}

export interface Requested {
  readonly path: string;
  readonly body: Record<string, unknown>;
}

const MAX_POOLS_PER_PAGE = 100;

/** The aggregator, for as long as a test runs. */
export async function irisServer(pools: readonly IrisPool[], behaviour: Behaviour = {}) {
  const { close, ...server } = await startIris(pools, behaviour);
  onTestFinished(close);
  return server;
}

/** The aggregator of Cardano's exchanges on loopback, as its public server answers. */
export async function startIris(pools: readonly IrisPool[], behaviour: Behaviour = {}) {
  const requests: Requested[] = [];
  const server = createServer(async (request, response) => {
    const url = new URL(request.url ?? "/", "http://iris");
    const body = await readJson(request);
    requests.push({ path: `${url.pathname}${url.search}`, body });
    if (behaviour.hang === "before") return;
    response.writeHead(behaviour.status ?? 200, {
      "content-type": "application/json",
      ...(behaviour.location ? { location: behaviour.location } : {}),
    });
    if (behaviour.hang) return void response.flushHeaders();
    response.end(behaviour.text ?? JSON.stringify(reply(url, body)));
  });

  const reply = (url: URL, body: Record<string, unknown>): unknown => {
    const given = (what: "pools" | "prices", answer: unknown) => behaviour.answer?.(what, answer) ?? answer;
    if (url.pathname === "/api/liquidity-pools") return given("pools", page(pools, url, body));
    if (url.pathname === "/api/liquidity-pools/prices")
      return given("prices", prices(pools, body, behaviour.gaps ?? []));
    return { success: false, message: "Cannot find that" };
  };

  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const close = () => {
    server.closeAllConnections();
    server.close();
  };
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    requests,
    behaviour,
    close,
  };
}

/** The filter is in the body, the page in the query; at most 100 a page, whatever is asked. */
function page(pools: readonly IrisPool[], url: URL, { tokenA, tokenB }: Record<string, unknown>) {
  const limit = Math.min(Number(url.searchParams.get("limit") ?? MAX_POOLS_PER_PAGE), MAX_POOLS_PER_PAGE);
  const number = Number(url.searchParams.get("page") ?? 1);
  const matching = pools.filter(
    (pool) =>
      (tokenA !== "lovelace" || pool.tokenA === null) &&
      (tokenB === undefined || `${pool.tokenB.policyId}.${pool.tokenB.nameHex}` === tokenB),
  );
  return {
    data: matching.slice((number - 1) * limit, number * limit),
    pagination: { page: number, limit, totalPages: Math.ceil(matching.length / limit) },
  };
}

/** In an order of its own, with gaps; one pool without a state fails the whole request. */
function prices(
  pools: readonly IrisPool[],
  { identifiers }: Record<string, unknown>,
  gaps: readonly string[],
): unknown {
  const expected = pools.filter(({ identifier }) => (identifiers as string[]).includes(identifier));
  if (expected.some(({ state }) => state === null))
    return { success: false, message: "Unable to retrieve liquidity pool prices" };
  return expected
    .filter(({ identifier }) => !gaps.includes(identifier))
    .reverse()
    .map(({ identifier, state, tokenB }) => {
      const ada = (state?.reserveA ?? 0) / 1e6;
      const price = ada / ((state?.reserveB ?? 0) / 10 ** (tokenB.decimals ?? 0));
      return { identifier, price, dayLow: price, dayHigh: price, dayChange: 0, hourChange: 0 };
    });
}

async function readJson(request: IncomingMessage): Promise<Record<string, unknown>> {
  let text = "";
  for await (const part of request) text += String(part);
  return JSON.parse(text || "{}") as Record<string, unknown>;
}

/** A pool that holds so much ADA and as much of the token at so many ADA each. */
export function irisPool(
  token: ChainToken,
  {
    ada,
    price,
    decimals = 6,
    dex = "MinswapV2",
    identifier = `${dex}-${ada}`,
  }: {
    ada: number;
    price: number;
    decimals?: number;
    dex?: string;
    identifier?: string;
  },
): IrisPool {
  return {
    dex,
    identifier,
    tokenA: null,
    tokenB: { ...CHAIN_TOKENS[token], decimals, ticker: token },
    state: {
      reserveA: ada * 1e6,
      reserveB: Math.round((ada / price) * 10 ** decimals),
      tvl: 2 * ada * 1e6,
      buyFeePercent: 0.3,
      sellFeePercent: 0.3,
      slot: 1,
    },
  };
}
