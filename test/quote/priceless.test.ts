import { expect, it } from "vitest";
import { createOperations } from "../../src/operations.ts";
import { EXCHANGES, runOperation, testSandbox } from "../support/sandbox.ts";

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
  const start = createOperations(EXCHANGES).find(({ name }) => name === "start_quote");
  const input = start?.input.parse(REQUEST) as object;
  await expect(runOperation(setup, "start_quote", input)).rejects.toThrow(/this pair has no reliable price/);
  expect(await store.strategies({ stopped: false })).toEqual([]);
  expect(await venue("kraken").openOrders("BTC/USDT")).toEqual([]);
});
