import { expect, it, onTestFinished } from "vitest";
import { runRound } from "../../../src/engine/pass/round.ts";
import { MINUTE, SECOND } from "../../../src/kernel/time.ts";
import type { VenueName } from "../../../src/model/market.ts";
import { emulatedExchanges } from "../../support/emulated.ts";
import { gridInput } from "../../support/requests.ts";
import { runOperation } from "../../support/sandbox.ts";
import type { Route } from "../../venues/dialect.ts";

const PAIR = "BTC/USDT";
const LOOKUPS: readonly Route[] = ["order", "open", "closed"];

type Json = unknown;
type Row = Record<string, Json>;

/** Where each exchange's orders have what a lookup reads; kraken's ids are the keys of its rows. */
const FIELDS: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  mexc: { id: "orderId", clientId: "clientOrderId", status: "status", symbol: "symbol" },
  gateio: { id: "id", clientId: "text", status: "status", symbol: "currency_pair" },
  bitget: { id: "orderId", clientId: "clientOid", status: "status", symbol: "symbol" },
  "unified bitget": { id: "orderId", clientId: "clientOid", status: "orderStatus", symbol: "symbol" },
  kraken: { clientId: "cl_ord_id", status: "status", symbol: "descr" },
};

const ODD: readonly Json[] = [null, "", {}, 7];

const isRow = (value: Json): value is Row =>
  typeof value === "object" && value !== null && !Array.isArray(value);

/** Changes the rows of one order, wherever in an answer they are. */
function withRow(body: Json, clientId: string, change: (row: Row) => Json): Json {
  if (Array.isArray(body)) return body.map((part) => withRow(part, clientId, change));
  if (!isRow(body)) return body;
  if (Object.values(body).some((value) => value === clientId || value === `t-${clientId}`))
    return change(body);
  return Object.fromEntries(
    Object.entries(body).map(([key, part]) => [key, withRow(part, clientId, change)]),
  );
}

const CASES = Object.entries(FIELDS).flatMap(([account, fields]) => [
  ...Object.entries(fields).flatMap(([what, field]) =>
    // mexc shows orders of its website without such an id.
    ODD.filter((odd) => !(account === "mexc" && what === "clientId" && (odd ?? "") === "")).map(
      (odd) =>
        [account, `${what} is ${JSON.stringify(odd)}`, (row: Row) => ({ ...row, [field]: odd })] as const,
    ),
  ),
  [account, "row is null", () => null] as const,
  [account, "row is empty", () => ({})] as const,
]);

it.each(CASES)(
  "on %s, an unconfirmed order whose %s in every lookup is created once, and delays no other",
  async (account, _, change) => {
    const name = account.replace("unified ", "") as VenueName;
    const setup = await emulatedExchanges({
      names: [name],
      venue: { unified: account !== name },
      timing: { readLag: 5 * SECOND, secondMiss: 5 * SECOND },
    });
    onTestFinished(setup.close);
    const { deps, time } = setup;
    const venue = setup.exchange(name);
    const pass = async (millis = 10 * SECOND, count = 1) => {
      for (let at = 0; at < count; at++) {
        time.pass(millis);
        venue.advance();
        await runRound(deps);
      }
    };
    venue.fail({ kind: "drop", acts: true, route: "create" });
    const { id } = await runOperation<{ id: string }>(deps, "start_grid", gridInput({ exchange: name }));
    for (let count = 0; count < 5 && venue.orders().length === 0; count++) await pass();
    const [lost] = venue.orders();
    if (!lost) throw new Error("no order was created");
    const clientId = lost.clientId.replace(/^t-/, "");
    for (const route of LOOKUPS) venue.alter(route, (body) => withRow(body, clientId, change));
    await pass(10 * SECOND, 3);
    await pass(MINUTE, 6);
    const slots = venue.orders().length;
    expect(slots).toBe(4);
    expect(new Set(venue.orders().map(({ price }) => price)).size).toBe(4);

    // Another slot's order fills, and is answered.
    const [other] = venue.open(PAIR).filter((order) => order !== lost && order.side === "buy");
    venue.fill(other?.id ?? "");
    await pass(10 * SECOND, 4);
    expect(venue.orders()).toHaveLength(slots + 1);

    venue.heal();
    await pass(MINUTE, 4);
    expect(venue.orders()).toHaveLength(slots + 1);
    expect(venue.open(PAIR)).toHaveLength(4);
    const { strategies } = await runOperation<{ strategies: { status: string; refused: object[] }[] }>(
      deps,
      "get_grid_status",
      { id },
    );
    expect(strategies[0]).toMatchObject({ status: "running", refused: [] });
  },
);
