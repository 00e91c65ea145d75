import { join } from "node:path";
import { createClient } from "@libsql/client";
import { expect, it } from "vitest";
import { auditSandbox, CLEAN } from "../support/audit.ts";
import { besideServer } from "../support/beside.ts";
import { eventually, serve } from "../support/command.ts";
import { orderRequest } from "../support/requests.ts";
import { startOf } from "../support/starts.ts";
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
        const body = orderRequest({ symbol: "ETH/USDT", amount: 0.01, price: 1000 });
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
  const client = besideServer(db);
  const rows = await client.execute("select client_id from orders where kind = 'hand'");
  client.close();
  expect(rows.rows.map((row) => String(row[0])).sort()).toEqual(byHand.sort());
});

/** Every order that comes to a venue while one of the account's that it could trade with rests there is written down. */
const WATCH = [
  "create table crossed (client_id text not null, other text not null)",
  `create trigger watch_crossed after insert on venue_orders begin
    insert into crossed
    select new.client_id, other.client_id from venue_orders other
    where other.exchange = new.exchange and other.symbol = new.symbol and other.side <> new.side
      and other.id <> new.id and other.status in ('open', 'partially_filled')
      and case new.side when 'buy' then cast(new.price as real) >= cast(other.price as real)
        else cast(new.price as real) <= cast(other.price as real) end;
  end`,
];

const COLUMNS =
  "exchange id client_id symbol side type price amount filled notional reserved fee fills status at meets_from".split(
    " ",
  );
const TWIN: Readonly<Record<string, string>> = { id: "'twin ' || :side", side: ":side", status: "'open'" };

it("quotes of two servers, one of which is killed, place no order twice and none against their own", async () => {
  const folder = tempFolder();
  const db = `file:${join(folder, "shared.db")}`;
  const args = ["--db", db, "--sandbox", "--speed", "60", "--tick-interval", "100"];
  const [one, two] = [await serve(folder, args), await serve(folder, args)];
  const client = besideServer(db);
  for (const statement of WATCH) await client.execute(statement);
  const ask = async (server: typeof one, method: string, path: string, body?: object) => {
    const sent = body === undefined ? {} : { body: JSON.stringify(body) };
    const answer = await server.ask(`/api/v1${path}`, { method, ...sent });
    expect(answer.status, path).toBeLessThan(300);
    return (await answer.json()) as { id: string; count: number; strategies: { filledOrders: number }[] };
  };
  const quotes = (exchange: string, spreadPercent: number) => ({
    exchange,
    symbol: "BTC/USDT",
    spreadPercent,
    levels: 3,
    size: 150,
    volatilityFactor: 0,
    quoteBudget: 2000,
    baseBudget: 0.04,
  });
  const range = { lowerPrice: 58_000, upperPrice: 62_000, gridLevels: 10, orderSize: 100 };
  const grid = await ask(two, "POST", "/strategy/grid", {
    exchange: "kraken",
    symbol: "BTC/USDT",
    ...range,
  });
  const started = await Promise.all([
    ask(one, "POST", ...startOf("quote", quotes("kraken", 0.06))),
    ask(two, "POST", ...startOf("quote", quotes("kraken", 0.1))),
    ask(two, "POST", ...startOf("quote", quotes("mexc", 0.06))),
  ]);
  const filled = async () => {
    const { strategies } = await ask(one, "GET", "/strategies?definition=quote");
    return strategies.map(({ filledOrders }) => filledOrders);
  };
  const each = (least: number) => (counts: readonly number[]) => counts.every((count) => count >= least);
  await eventually(filled, each(10));
  await two.kill("SIGKILL");
  const three = await serve(folder, args);
  const before = await filled();
  await eventually(filled, (counts) => counts.every((count, place) => count >= (before[place] ?? 0) + 10));
  for (const { id } of started) await ask(three, "DELETE", "/strategy/grid", { id });
  await ask(one, "DELETE", "/strategy/grid", { id: grid.id });
  const running = async () =>
    (await ask(one, "GET", "/strategies?definition=quote")).count +
    (await ask(one, "GET", "/strategy/grid/list")).count;
  await eventually(running, (count) => count === 0);
  for (const server of [one, three]) await server.kill("SIGTERM");
  const crossed = async () => (await client.execute("select * from crossed")).rows.length;
  expect(await crossed()).toBe(0);
  for (const exchange of ["kraken", "mexc"])
    expect(await auditSandbox(createClient({ url: db }), exchange)).toMatchObject(CLEAN);
  // The watch sees one that is: each side of an order that was, once more at one price.
  for (const side of ["buy", "sell"]) {
    const [columns, values] = [COLUMNS.join(), COLUMNS.map((name) => TWIN[name] ?? name).join()];
    await client.execute({
      sql: `insert into venue_orders (${columns}) select ${values} from venue_orders limit 1`,
      args: { side },
    });
  }
  expect(await crossed()).toBe(1);
  client.close();
});
