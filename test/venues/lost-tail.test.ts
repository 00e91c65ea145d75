import { join } from "node:path";
import { expect, it, onTestFinished } from "vitest";
import { runRound } from "../../src/engine/pass/round.ts";
import { movedBase } from "../../src/grid/booking.ts";
import { asGrid, type Slot } from "../../src/grid/state/state.ts";
import { decimal, text } from "../../src/kernel/decimal.ts";
import { isOurs } from "../../src/kernel/ids.ts";
import { SECOND } from "../../src/kernel/time.ts";
import type { VenueName } from "../../src/model/market.ts";
import type { Deps } from "../../src/ports/deps.ts";
import { copyInto } from "../../src/storage/client/backup.ts";
import { emulatedExchanges } from "../support/emulated.ts";
import { gridInput } from "../support/requests.ts";
import { runOperation } from "../support/sandbox.ts";
import { tempFolder } from "../support/temp.ts";

const PAIR = "BTC/USDT";
/** Through slots below and above the start, and back. */
const SWING = ["58900", "61100", "59900"];
const orderOf = ({ side, lower, upper }: Slot): string => `${side} ${text(side === "buy" ? lower : upper)}`;

it.each<VenueName>(["mexc", "gateio", "bitget", "kraken"])(
  "on %s a grid recovers from a database that lost its last writes unnoticed",
  async (name) => {
    const setup = await emulatedExchanges({ names: [name] });
    onTestFinished(setup.close);
    const { time } = setup;
    const exchange = setup.exchange(name);
    const before = exchange.total("BTC");
    const passes = async (deps: Deps, count: number) => {
      for (let pass = 0; pass < count; pass++) {
        time.pass(5 * SECOND);
        await runRound(deps);
      }
    };
    const swing = async (deps: Deps) => {
      for (const price of SWING) {
        exchange.move(PAIR, price);
        await passes(deps, 3);
      }
    };
    const { id } = await runOperation<{ id: string }>(
      setup.deps,
      "start_grid",
      gridInput({ exchange: name, symbol: PAIR, gridLevels: 12, orderSize: decimal("60") }),
    );
    await passes(setup.deps, 4);
    const file = join(tempFolder(), "earlier.db");
    await copyInto(setup.context.client, file);
    const placed = exchange.orders().length;
    await swing(setup.deps);
    expect(exchange.orders().length).toBeGreaterThan(placed);

    const deps = await setup.over(`file:${file}`);
    await passes(deps, 60);
    await swing(deps);
    await passes(deps, 10);
    const [view] = await deps.store.strategies({ id });
    expect(view?.strategy).toMatchObject({ status: "running", lastError: null });
    const ours = exchange.orders().filter(({ clientId }) => isOurs(clientId.replace(/^t-/, "")));
    const ids = ours.map(({ clientId }) => clientId);
    expect(ids.filter((one, place) => ids.indexOf(one) !== place)).toEqual([]);
    const slots = view ? asGrid(view.strategy).state.slots : [];
    const open = exchange.open(PAIR).map(({ side, price }) => `${side} ${text(price)}`);
    expect(open.sort()).toEqual(slots.map(orderOf).sort());
    expect(text(view ? movedBase(asGrid(view.strategy).state) : 0n)).toBe(
      text(exchange.total("BTC") - before),
    );
  },
);
