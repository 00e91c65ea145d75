import { expect, it, onTestFinished } from "vitest";
import type { Fetch } from "../../src/adapters/ccxt/client/transport.ts";
import { runRound } from "../../src/engine/pass/round.ts";
import { text } from "../../src/kernel/decimal.ts";
import { isOurs } from "../../src/kernel/ids.ts";
import { SECOND } from "../../src/kernel/time.ts";
import { emulatedExchanges } from "../support/emulated.ts";
import { gridInput } from "../support/requests.ts";
import { runOperation } from "../support/sandbox.ts";

/** Tells the newest trade under another id, once: a row that is malformed may still be one that can be read. */
function renaming(): Fetch {
  let isDone = false;
  return async (url, init) => {
    const answer = await fetch(url, init);
    if (isDone || !url.includes("/trade/fills")) return answer;
    const body = (await answer.json()) as { data: { tradeId: string }[] };
    const [newest] = body.data;
    if (newest) [newest.tradeId, isDone] = ["-0.5", true];
    return Response.json(body, { headers: answer.headers });
  };
}

it("a trade reported under two ids moves its slot once", async () => {
  const setup = await emulatedExchanges({ names: ["bitget"], seed: 1, fetch: renaming() });
  onTestFinished(() => setup.close());
  const venue = setup.exchange("bitget");
  await runOperation(setup.deps, "start_grid", gridInput({ exchange: "bitget", gridLevels: 6 }));
  const step = async (price: string) => {
    setup.time.pass(5 * SECOND);
    venue.advance();
    venue.move("BTC/USDT", price);
    await runRound(setup.deps);
  };
  for (const price of ["60000", "60000", "58900", "58900", "58900", "59500", "60100"])
    for (let pass = 0; pass < 3; pass++) await step(price);
  const { rows } = await setup.context.client.execute(
    "select trade_id, superseded from fills where client_id = (select client_id from fills where trade_id = '-0.5') order by superseded",
  );
  expect(rows).toMatchObject([{ trade_id: "-0.5", superseded: 0 }, { superseded: 1 }]);
  const sold = venue.orders().filter(({ clientId, side }) => isOurs(clientId) && side === "sell");
  // What was bought at 59,000, less its fee.
  expect(sold.filter(({ price }) => text(price) === "60000").map(({ amount }) => text(amount))).toEqual([
    "0.001692",
  ]);
});
