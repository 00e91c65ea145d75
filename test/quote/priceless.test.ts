import { expect, it } from "vitest";
import { runOperation, testSandbox } from "../support/sandbox.ts";
import { readStarts } from "../support/starts.ts";

const REQUEST = {
  exchange: "kraken",
  symbol: "BTC/USDT",
  spreadPercent: 1,
  size: 100,
  useOthers: false,
  useDex: false,
};

it("quotes do not start without a price to book their base at", async () => {
  const box = await testSandbox();
  const { deps, store, venue } = box;
  const emptied = (exchange: string) => ({
    ...venue(exchange),
    book: async () => ({ bids: [], asks: [], at: await store.now() }),
  });
  const setup = { ...deps, venue: emptied, venueOf: () => emptied("kraken") } as typeof deps;
  await expect(runOperation(setup, ...readStarts("quote", REQUEST))).rejects.toThrow(
    /this pair has no reliable price/,
  );
  expect(await store.strategies({ stopped: false })).toEqual([]);
  expect(await venue("kraken").openOrders("BTC/USDT")).toEqual([]);
});
