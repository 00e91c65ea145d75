import { irisAggregator } from "../../src/adapters/iris.ts";
import { connectDex } from "../../src/compose/deps.ts";
import type { Deps } from "../../src/ports/deps.ts";
import { type Behaviour, type IrisPool, irisPool, irisServer } from "../venues/iris.ts";
import { testApp } from "./app.ts";

export type Json = Record<string, unknown>;
export type Answer = NonNullable<Behaviour["answer"]>;

/** The service over simulated exchanges, with the aggregator's emulator behind its real adapter. */
export async function served(
  pools: readonly IrisPool[],
  behaviour: Behaviour = {},
  over: Partial<Deps> = {},
) {
  const iris = await irisServer(pools, behaviour);
  const app = await testApp({
    connect: (deps) => {
      const parts = { ...deps, ...over };
      // Short only where the limit is what ends it.
      const timeoutMillis = behaviour.hang ? 300 : 10_000;
      const aggregator = irisAggregator({ url: iris.url, timeoutMillis });
      return { ...parts, dex: connectDex({ ...parts, aggregator }) };
    },
  });
  const ask = async (path: string) => {
    const response = await app.ask(`/api/v1/dex/${path}`);
    return { ...((await response.json()) as Json), status: response.status } as Json;
  };
  const ada = async () => {
    const mids = await Promise.all(
      ["mexc", "gateio", "bitget", "kraken"].map(async (id) => {
        const { bid, ask: offered } = (await (
          await app.ask(`/api/v1/ticker?exchange=${id}&symbol=ADA/USDT`)
        ).json()) as { bid: number; ask: number };
        return (bid + offered) / 2;
      }),
    );
    const [, low = 0, high = 0] = mids.sort((a, b) => a - b);
    return (low + high) / 2;
  };
  return { ...iris, app, ask, ada };
}

/** Three pools that count. */
export const three = [
  irisPool("INDY", { ada: 100_000, price: 2, dex: "MinswapV2" }),
  irisPool("INDY", { ada: 50_000, price: 2.02, dex: "SundaeSwapV3" }),
  irisPool("INDY", { ada: 50_000, price: 1.99, dex: "WingRidersV2" }),
];
