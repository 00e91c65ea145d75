import { expect, it } from "vitest";
import { BODIES, bodyServer } from "../support/bodies.ts";
import { edgeApp } from "../support/edge.ts";
import { eventually } from "../support/server.ts";

it("workerd aborts an endless response from an exchange", async () => {
  const servers = await Promise.all(BODIES.map(bodyServer));
  const [gzip, endless, dripping] = servers.map(({ url }) => url);
  const app = await edgeApp({
    EDGEMAKER_SANDBOX: "0",
    EDGEMAKER_EXCHANGES: "mexc,gateio,kraken",
    EDGEMAKER_VENUE_URLS: `mexc=${gzip},gateio=${endless},kraken=${dripping}`,
    EDGEMAKER_TIMING: "requestTimeout=10000",
  });
  try {
    const readOutput = async (exchange: string) =>
      (await (await app.ask(`/api/v1/ticker?exchange=${exchange}&symbol=BTC/USDT`)).json()) as object;
    const tooLong = { error: "Exchange error", message: expect.stringMatching(/too long/) };
    expect(await readOutput("mexc")).toMatchObject(tooLong);
    expect(await readOutput("gateio")).toMatchObject(tooLong);
    expect(await readOutput("kraken")).toMatchObject({
      error: "Exchange error",
      message: expect.stringMatching(/in time/),
    });
    for (const { sent } of servers) {
      expect(sent.answers).toBeGreaterThan(0);
      await eventually(
        async () => sent.open,
        (open) => open === 0,
      );
    }
  } finally {
    await app.close();
    for (const server of servers) server.close();
  }
});
