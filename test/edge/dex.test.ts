import { expect, it } from "vitest";
import { edgeApp } from "../support/edge.ts";
import { irisPool, irisServer } from "../venues/iris.ts";

it("the worker reads the aggregator, and aborts a hanging request at the time limit", async () => {
  const iris = await irisServer([irisPool("INDY", { ada: 5000, price: 2, dex: "Only" })]);
  const edge = await edgeApp({
    EDGEMAKER_VENUE_URLS: `iris=${iris.url}`,
    EDGEMAKER_READ_TIMEOUT_MILLIS: "12000",
  });
  try {
    const price = async () => (await edge.ask("/api/v1/dex/price/indy")).json();
    expect(await price()).toMatchObject({
      symbol: "INDY/USDT",
      sources: [{ exchange: "Only" }, {}, {}, {}, {}],
    });
    const compared = await (await edge.ask("/api/v1/price/compare?symbol=INDY/USDT&dex=true")).json();
    expect(compared).toMatchObject({ prices: [{}, {}, {}, {}, { exchange: "Only" }] });
    iris.behaviour.hang = "after headers";
    expect(await price()).toMatchObject({
      error: "Price fetch failed",
      message: expect.stringMatching(/aggregator/),
    });
  } finally {
    await edge.close();
  }
});
