import { deposit } from "../../src/adapters/sandbox/person.ts";
import { simulatedVenue } from "../../src/adapters/sandbox/venue.ts";
import { isOurs } from "../../src/kernel/ids.ts";
import type { Operation } from "../../src/operation.ts";
import { createOperations } from "../../src/operations.ts";
import type { Permit } from "../../src/ports/venue.ts";
import { actOnDeclared } from "../declared/deeds.ts";
import { actOnFollow } from "../kinds/deeds.ts";
import { actOnQuote } from "../quote/deeds.ts";
import type { Deed } from "./deeds.ts";
import { EXCHANGE, type World } from "./world.ts";

const operations = createOperations([EXCHANGE]);
const operation = (name: string): Operation => {
  const found = operations.find((one) => one.name === name);
  if (!found) throw new Error(`there is no operation ${name}`);
  return found;
};

/** What has no operation of its own for another kind than a grid. */
const FOLLOWED = new Set<Deed["kind"]>(["start", "start_centered", "stop", "pause", "run", "edit"]);

const ACTS = { follow: actOnFollow, quote: actOnQuote, declared: actOnDeclared };

const HALF = 5n * 10n ** 17n;

const permit: Permit = { mayLeave: () => true, sendBy: Number.MAX_SAFE_INTEGER };

/** What has been moved on the account beside the strategies, per asset. */
export type Beside = Map<string, bigint>;

/** Does what the plan says, through the service where a person would use it, and behind its back where not. */
export async function act(world: World, deed: Deed, beside: Beside): Promise<void> {
  const { trace, state, scheduler, random } = world;
  trace.add(`deed ${deed.kind}`);
  const process = random.pick(world.alive().length > 0 ? world.alive() : world.processes);
  const ask = (name: string, input: object) =>
    world.run(process, (deps) => operation(name).run(deps, input, { actor: "person" }));
  const nth = (place: number) => {
    const all = [...world.tables().strategies.values()];
    return all[place % Math.max(1, all.length)];
  };
  const later = (millis: number, run: () => void) => scheduler.at(scheduler.now() + millis, run);
  // Behind the service's back, and at once.
  const venue = simulatedVenue(world.simulation);

  if (world.strategy && FOLLOWED.has(deed.kind)) {
    const id = "nth" in deed ? nth(deed.nth)?.id : undefined;
    const act = ACTS[world.strategy];
    return world.run(process, (deps) => act(deps, EXCHANGE, deed, id));
  }
  switch (deed.kind) {
    case "start":
      return ask("start_grid", {
        exchange: EXCHANGE,
        symbol: deed.symbol,
        lowerPrice: deed.lower,
        upperPrice: deed.upper,
        gridLevels: deed.levels,
        orderSize: deed.size,
        ...deed.options,
      });
    case "start_centered":
      return ask("start_centered_grid", { exchange: EXCHANGE, symbol: deed.symbol, ...deed.options });
    case "stop": {
      const strategy = nth(deed.nth);
      return (
        strategy &&
        ask("stop_grid", { id: strategy.id, cancelOrders: !deed.keep, sellBase: deed.sell ?? false })
      );
    }
    case "pause":
    case "run": {
      const strategy = nth(deed.nth);
      if (!strategy || strategy.wants === "stop") return undefined;
      return ask(deed.kind === "pause" ? "pause_grid" : "resume_grid", { id: strategy.id });
    }
    case "edit": {
      const strategy = nth(deed.nth);
      return strategy && ask("edit_grid", { id: strategy.id, ...deed.fields });
    }
    case "kill":
      return ask("set_kill_switch", { on: deed.on, cancel: false });
    case "panic":
      if (world.tables().kill.cancels) return undefined;
      later(10_000, () => act(world, deed, beside));
      return ask("panic", { sell: deed.sell });
    case "limits":
      return ask("set_limits", { scope: "every", ...deed.settings });
    case "hand":
      return ask("create_order", {
        exchange: EXCHANGE,
        symbol: deed.symbol,
        side: deed.side,
        type: "limit",
        amount: deed.amount,
        price: deed.price,
      });
    case "hand_against_own": {
      const open = (await venue.openOrders()).filter(({ clientId = "" }) => isOurs(clientId));
      const order = open[deed.nth % Math.max(1, open.length)];
      if (!order) return undefined;
      const side = order.side === "buy" ? "sell" : "buy";
      const price = order.price + (side === "buy" ? deed.beyond : -deed.beyond);
      const request = { exchange: EXCHANGE, symbol: order.symbol, side, type: "limit", amount: HALF, price };
      return price > 0n ? ask("create_order", request) : undefined;
    }
    case "hand_both": {
      const request = {
        exchange: EXCHANGE,
        symbol: deed.symbol,
        type: "limit",
        amount: HALF,
        price: deed.price,
      };
      await Promise.all(["buy", "sell"].map((side) => ask("create_order", { ...request, side })));
      return undefined;
    }
    case "hand_cancel_all":
      return ask("cancel_all_orders", { exchange: EXCHANGE, symbol: deed.symbol });
    case "outside_order": {
      const clientId = `person${random.text(6)}`;
      await venue.create(
        {
          clientId,
          symbol: deed.symbol,
          side: deed.side,
          type: "limit",
          price: deed.price,
          amount: 10n ** 17n,
        },
        permit,
      );
      return undefined;
    }
    case "outside_cancel": {
      const open = (await venue.openOrders()).filter(({ clientId }) => !clientId?.startsWith("person"));
      const order = open[deed.nth % Math.max(1, open.length)];
      if (order) await venue.cancel(order, permit);
      return undefined;
    }
    case "deposit":
      await deposit(world.simulation.books, { exchange: EXCHANGE, ...deed }).then(
        () => beside.set(deed.asset, (beside.get(deed.asset) ?? 0n) + deed.amount),
        () => undefined,
      );
      return undefined;
    case "duplicate_tick":
      await world.stepOnce(process);
      return undefined;
    case "kill_process":
      return world.killProcess(process);
    case "backup":
      return world.backup();
    case "restore":
      return world.restore();
    case "keep_tail":
      return world.keepTail();
    case "lose_tail":
      return world.loseTail();
    case "clock_step":
      state.clockOff = deed.millis;
      return undefined;
    case "clock_jump":
      world.clocks.jump(deed);
      return later(deed.lasts, () => world.clocks.right(deed));
    case "outage":
      state.down.add(deed.what);
      return later(deed.millis, () => state.down.delete(deed.what));
    case "maintenance":
      state.isClosed = true;
      return later(deed.millis, () => {
        state.isClosed = false;
      });
  }
}
