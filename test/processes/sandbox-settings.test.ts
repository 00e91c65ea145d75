import { expect, it } from "vitest";
import { edgemaker, serve } from "../support/command.ts";
import { orderRequest } from "../support/requests.ts";
import { tempFolder } from "../support/temp.ts";

const TICKER = ["ticker", "--exchange", "kraken", "--symbol", "BTC/USDT", "--sandbox"];
const ORDER = orderRequest();

it("a read of the sandbox does not block serving it with other settings, but trades in it do", async () => {
  const folder = tempFolder();
  expect((await edgemaker(folder, TICKER)).code).toBe(0);
  const server = await serve(folder, ["--sandbox", "--speed", "60", "--seed", "7"]);
  const time = async () =>
    (
      (await (await server.ask("/api/v1/ticker?exchange=kraken&symbol=BTC/USDT")).json()) as {
        timestamp: number;
      }
    ).timestamp;
  const first = await time();
  await expect.poll(time).toBeGreaterThan(first + 30_000);

  const beneath = await edgemaker(folder, [...TICKER, "--seed", "8"]);
  expect([beneath.code, beneath.stderr]).toEqual([
    2,
    expect.stringContaining("was created with another --seed"),
  ]);
  expect((await server.ask("/api/v1/orders", { method: "POST", body: JSON.stringify(ORDER) })).status).toBe(
    200,
  );
  await server.kill("SIGTERM");
  const refused = await edgemaker(folder, [...TICKER, "--seed", "8"]);
  expect([refused.code, refused.stderr]).toEqual([
    2,
    expect.stringContaining("was created with another --seed"),
  ]);
  expect((await edgemaker(folder, TICKER)).code).toBe(0);
});
