import { request } from "node:http";
import { expect, it } from "vitest";
import { serve } from "../support/command.ts";
import { tempFolder } from "../support/temp.ts";

const TOKEN = "em_admin-token-of-a-test";
const ORDER = { exchange: "kraken", symbol: "BTC/USDT", side: "buy", type: "limit", amount: 0.001 };

/** A request as a plain client makes it: no header that is not asked for. */
const ask = (url: string, method: string, { body, ...headers }: Record<string, string> = {}) =>
  new Promise<{ status: number; body: Record<string, unknown> }>((resolve, reject) => {
    const query = request(
      url,
      { method, headers: { authorization: `Bearer ${TOKEN}`, ...headers } },
      (answer) => {
        let text = "";
        answer.on("data", (part) => (text += String(part)));
        answer.on("end", () =>
          resolve({ status: answer.statusCode ?? 0, body: text === "" ? {} : JSON.parse(text) }),
        );
      },
    );
    query.on("error", reject);
    query.end(body);
  });

it("on Node a DELETE without a body needs no media type, and one with a body does", async () => {
  const { url } = await serve(tempFolder(), ["--sandbox"], { EDGEMAKER_TOKEN: TOKEN });
  const orders = `${url}/api/v1/orders`;
  const json = { "content-type": "application/json" };
  const place = async () => {
    const body = JSON.stringify({ ...ORDER, price: 50_000 });
    const { order } = (await ask(orders, "POST", { ...json, body })).body as { order: { id: string } };
    return order.id;
  };
  const one = `${orders}/${await place()}?exchange=kraken&symbol=BTC/USDT`;
  expect((await ask(one, "DELETE", { body: "x", "content-length": "1" })).status).toBe(415);
  expect((await ask(one, "DELETE", { body: "x", "transfer-encoding": "chunked" })).status).toBe(415);
  expect(await ask(one, "DELETE")).toMatchObject({ status: 200, body: { success: true } });
  await place();
  expect(await ask(`${orders}?exchange=kraken`, "DELETE")).toMatchObject({
    status: 200,
    body: { success: true, cancelled: 1 },
  });
  expect(await ask(`${orders}?exchange=kraken`, "DELETE", json)).toMatchObject({ status: 200 });
});
