import { expect, it } from "vitest";
import { drivenApp } from "../support/driven.ts";
import { gridRequest } from "../support/requests.ts";

const GRID = gridRequest();

it("a broken row of one grid stops no other grid, from the market's first trades on", async () => {
  const app = await drivenApp({ parts: false });
  const whole = await app.start({ ...GRID, upperPrice: 63_600 });
  const broken = await app.start(GRID);
  await app.tick();
  // A row that is there already under the id of a trade that is still to come.
  const { rows } = await app.context.client.execute({
    sql: "select client_id, exchange_id, account from orders where strategy = ? and side = 'sell' order by cast(price as real) limit 1",
    args: [broken.id],
  });
  const [order] = rows;
  await app.context.client.execute({
    sql: "insert into fills values (?, 'BTC/USDT', ?, ?, ?, 'sell', '1', '1', '1', '[]', 0, 0)",
    args: [String(order?.account), `${order?.exchange_id}-1`, String(order?.client_id), broken.id],
  });
  await app.move(1.06);
  for (let pass = 0; pass < 4; pass++) await app.tick(20_000);
  expect(await app.grid(broken.id)).toMatchObject({ status: "error" });
  expect(await app.grid(whole.id)).toMatchObject({ status: "running", lastError: null });
  expect((await app.grid(whole.id)).filledOrders).toBeGreaterThan(0);
});
