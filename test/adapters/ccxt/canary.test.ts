import { inspect } from "node:util";
import { createClient } from "@libsql/client";
import { describe, expect, it } from "vitest";
import { runRound } from "../../../src/engine/pass/round.ts";
import { VENUES, type VenueName } from "../../../src/model/market.ts";
import { lookAt, takeLeaks } from "../../support/canary.ts";
import { heardLog } from "../../support/heard.ts";
import { answering, KEYS, liveApp, liveBox, PERMIT } from "../../support/live.ts";
import { orderRequest } from "../../support/requests.ts";
import { partOf } from "../../support/whole.ts";
import type { FaultKind } from "../../venues/faults.ts";

const NAMES = Object.keys(VENUES) as VenueName[];
const KINDS: readonly FaultKind[] = ["server_error", "bad_gateway", "cut", "drop"];

describe.each(NAMES)("keys of %s", (name) => {
  it("appear in no response, log, error, event or row, whatever the exchange does", async () => {
    let said = 0;
    const client = createClient({ url: "file::memory:", concurrency: 1 });
    const log = (...entry: unknown[]) => {
      said++;
      heardLog(...entry);
    };
    const { ask, tokens, deps, venues } = await liveApp([name], { client, log });
    const venue = venues[name];
    const header = venue.addKeys();
    const headers = [
      {},
      {
        "x-exchange-key": header.key,
        "x-exchange-secret": header.secret,
        "x-exchange-passphrase": header.passphrase,
      },
    ];
    const call = async (method: string, path: string, own: object, body?: object) => {
      const answer = await ask(`/api/v1${path}`, {
        method,
        headers: { authorization: `Bearer ${tokens.trade}`, "content-type": "application/json", ...own },
        ...(body ? { body: JSON.stringify(body) } : {}),
      });
      said++;
      lookAt(path, await answer.text());
    };
    const order = orderRequest({ exchange: name });
    const faults = headers.flatMap((own) => KINDS.map((kind) => ({ own, kind })));
    for (const { own, kind } of partOf(faults, NAMES.indexOf(name))) {
      await call("POST", "/orders", own, order);
      venue.fail({ kind, times: 2, route: ["balance", "open"] });
      await call("GET", `/balance?exchange=${name}`, own);
      await call("GET", `/orders?exchange=${name}&symbol=BTC/USDT`, own);
      venue.fail({ kind, route: "create" });
      await call("POST", "/orders", own, order);
      await runRound(deps);
      venue.heal();
      await call("DELETE", `/orders?exchange=${name}&symbol=BTC/USDT`, own);
    }
    expect(said).toBeGreaterThan(8);
    const { rows: tables } = await client.execute("select name from sqlite_master where type = 'table'");
    for (const { name: table } of tables) {
      const { rows } = await client.execute(`select * from "${table}"`);
      lookAt(
        `rows of ${table}`,
        rows.map((row) => ({ ...row })),
      );
    }
    expect(takeLeaks()).toEqual([]);
  });

  it("are redacted where the exchange's error repeats them", async () => {
    const echo: Record<VenueName, (text: string) => string> = {
      mexc: (text) => JSON.stringify({ code: 10072, msg: text }),
      gateio: (text) => JSON.stringify({ label: "INVALID_KEY", message: text }),
      bitget: (text) => JSON.stringify({ code: "40012", msg: text }),
      kraken: (text) => JSON.stringify({ error: [`EAPI:Invalid key ${text}`] }),
    };
    const server = await answering(({ path, headers, body }) => ({
      status: name === "kraken" ? 200 : 400,
      body: echo[name](`${path} ${JSON.stringify(headers)} ${body} ${KEYS.secret} \u001b[31m\u202e`),
    }));
    const box = await liveBox({ urls: { [name]: server.url } });
    await box.keep(name, [MARKET]);
    await box.classic(name);
    const venue = box.venue(name);
    const failed = await venue.balances().catch((error: unknown) => error);
    const outcome = await venue.create(
      {
        clientId: "em0canarycanary123",
        symbol: "BTC/USDT",
        side: "buy",
        type: "limit",
        price: 10n ** 18n,
        amount: 10n ** 18n,
      },
      PERMIT,
    );
    const output = inspect([failed, outcome], { depth: 9 });
    lookAt("what is told", output);
    expect(outcome.result).toBe("rejected");
    expect(takeLeaks()).toEqual([]);
    expect(output).not.toMatch(/signature=[0-9a-f]/);
    expect(["\u001b", "\u202e"].filter((steering) => output.includes(steering))).toEqual([]);
  });
});

const MARKET = {
  id: "BTCUSDT",
  symbol: "BTC/USDT",
  base: "BTC",
  quote: "USDT",
  baseId: "BTC",
  quoteId: "USDT",
  active: true,
  maker: "0.001",
  taker: "0.001",
  precision: { amount: "0.00001", price: "0.01" },
  limits: { amount: { min: "0.00001" }, cost: { min: "1" } },
};
