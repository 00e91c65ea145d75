import { join } from "node:path";
import { createClient } from "@libsql/client";
import { expect, it } from "vitest";
import { auditSandbox, CLEAN } from "../support/audit.ts";
import { eventually, serve } from "../support/command.ts";
import { tempFolder } from "../support/temp.ts";

it("two servers on one database for thirty seconds lose no write and place no order twice", async () => {
  const folder = tempFolder();
  const db = `file:${join(folder, "shared.db")}`;
  const args = ["--db", db, "--sandbox", "--speed", "3600", "--tick-interval", "100"];
  const servers = [await serve(folder, args), await serve(folder, args)] as const;
  const grid = (exchange: string, width: number) => ({
    exchange,
    symbol: "BTC/USDT",
    lowerPrice: 60_000 - width,
    upperPrice: 60_000 + width,
    gridLevels: 10,
    orderSize: 200,
  });
  const start = async (server: (typeof servers)[number], body: object) =>
    (
      (await (
        await server.ask("/api/v1/strategy/grid", { method: "POST", body: JSON.stringify(body) })
      ).json()) as { id: string }
    ).id;
  const ids = await Promise.all([
    start(servers[0], grid("kraken", 3000)),
    start(servers[1], grid("kraken", 2500)),
    start(servers[0], grid("mexc", 3000)),
  ]);
  const until = performance.now() + 30_000;
  const byHand: string[] = [];
  while (performance.now() < until || byHand.length <= 20) {
    const made = await Promise.all(
      servers.map(async (server) => {
        const body = {
          exchange: "kraken",
          symbol: "ETH/USDT",
          side: "buy",
          type: "limit",
          amount: 0.01,
          price: 1000,
        };
        return (
          await server.ask("/api/v1/orders", { method: "POST", body: JSON.stringify(body) })
        ).json() as Promise<{ order?: { clientOrderId: string } }>;
      }),
    );
    byHand.push(...made.flatMap(({ order }) => (order ? [order.clientOrderId] : [])));
    await new Promise((resolve) => setTimeout(resolve, 500));
  }
  await servers[0].ask("/api/v1/orders?exchange=kraken&symbol=ETH/USDT", { method: "DELETE" });
  for (const id of ids)
    await servers[1].ask("/api/v1/strategy/grid", { method: "DELETE", body: JSON.stringify({ id }) });
  const running = async () =>
    ((await (await servers[0].ask("/api/v1/strategy/grid/list")).json()) as { count: number }).count;
  await eventually(running, (count) => count === 0);
  const [one, two] = servers.map((server) => server.stderr());
  for (const server of servers) await server.kill("SIGTERM");
  for (const exchange of ["kraken", "mexc"]) {
    const audit = await auditSandbox(createClient({ url: db }), exchange);
    expect(
      audit,
      `${exchange}
${one}
${two}`,
    ).toMatchObject(CLEAN);
  }
  const client = createClient({ url: db });
  const rows = await client.execute("select client_id from orders where kind = 'hand'");
  client.close();
  expect(rows.rows.map((row) => String(row[0])).sort()).toEqual(byHand.sort());
}, 240_000);
