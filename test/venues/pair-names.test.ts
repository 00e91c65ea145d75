import { expect, it, onTestFinished } from "vitest";
import { runRound } from "../../src/engine/pass/round.ts";
import { SECOND } from "../../src/kernel/time.ts";
import { appOver } from "../support/app.ts";
import { emulatedExchanges } from "../support/emulated.ts";

const PAIR = "币安人生/USDT";
const ROW = [PAIR, "0.5", "0.0001", "0.01", "1"] as const;

it.each(["gateio", "bitget", "mexc"] as const)(
  "a grid on a pair of %s with a name beyond A–Z starts, fills, shows and stops",
  async (name) => {
    const setup = await emulatedExchanges({ names: [name], venue: { pairs: [ROW] } });
    onTestFinished(setup.close);
    const { deps, time } = setup;
    const exchange = setup.exchange(name);
    const app = await appOver(deps);
    const headers = { authorization: `Bearer ${app.tokens.trade}`, "content-type": "application/json" };
    const ask = async (path: string, method = "GET", body?: object) => {
      const init = { method, headers, ...(body ? { body: JSON.stringify(body) } : {}) };
      const response = await app.ask(`/api/v1${path}`, init);
      const text = await response.text();
      expect([response.status, text]).toEqual([200, text]);
      return text;
    };
    const place = { exchange: name, symbol: PAIR };
    const range = { lowerPrice: 0.4, upperPrice: 0.48, gridLevels: 2, orderSize: 20 };
    const started = JSON.parse(await ask("/strategy/grid", "POST", { ...place, ...range })) as { id: string };
    expect(started.id).toMatch(new RegExp(`^grid-${name}-币安人生-USDT-\\d+$`));
    expect(exchange.open(PAIR).map(({ side }) => side)).toEqual(["buy", "buy"]);
    exchange.move(PAIR, "0.43");
    time.pass(5 * SECOND);
    await runRound(deps);
    expect(exchange.open(PAIR).map(({ side }) => side)).toContain("sell");
    const id = encodeURIComponent(started.id);
    const query = `exchange=${name}&symbol=${encodeURIComponent(PAIR)}`;
    expect(await ask(`/strategy/grid/status?id=${id}`)).toContain(PAIR);
    expect(await ask(`/strategies/${id}/fills?format=csv`)).toContain("buy");
    expect(JSON.parse(await ask(`/orders?${query}`))).toMatchObject({ count: 2 });
    expect(await ask(`/ticker?${query}`)).toContain(PAIR);
    await ask("/strategy/grid", "DELETE", { id: started.id });
    time.pass(5 * SECOND);
    await runRound(deps);
    expect(exchange.open(PAIR)).toEqual([]);
  },
);
