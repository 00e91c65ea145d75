import { deposit, simulatedVenue } from "../../src/adapters/sandbox/venue.ts";
import { wire } from "../../src/kernel/decimal.ts";
import { isOurs } from "../../src/kernel/ids.ts";
import type { Operation } from "../../src/operation.ts";
import { createOperations } from "../../src/operations.ts";
import type { Permit } from "../../src/ports/venue.ts";
import { quoteEditConfig } from "../../src/quote/schema/input.ts";
import { isQuote } from "../../src/quote/state.ts";
import { actOnFollow } from "../kinds/deeds.ts";
import { actOnOwnStrategy } from "../own/deeds.ts";
import { exampleConfig } from "../own/examples.ts";
import { actOnQuote } from "../quote/deeds.ts";
import { starts } from "../support/starts.ts";
import type { Deed } from "./deeds.ts";
import { EXCHANGE, OTHER_EXCHANGES } from "./shape.ts";
import type { Sim } from "./world.ts";

const operations = createOperations([EXCHANGE, ...OTHER_EXCHANGES]);
const operation = (name: string): Operation => {
  const found = operations.find((one) => one.name === name);
  if (!found) throw new Error(`there is no operation ${name}`);
  return found;
};

/** What has no operation of its own for another kind than a grid. */
const FOLLOWED = new Set<Deed["kind"]>(["start", "start_centered", "stop", "pause", "run", "edit"]);

const ACTS = {
  follow: actOnFollow,
  quote: actOnQuote,
  declared: actOnOwnStrategy(),
  example: actOnOwnStrategy(exampleConfig),
};

/** Decimals as the numbers that a person types. */
const asTyped = (fields: Readonly<Record<string, unknown>>): object =>
  Object.fromEntries(
    Object.entries(fields).map(([name, value]) => [name, typeof value === "bigint" ? wire(value) : value]),
  );

const HALF = 5n * 10n ** 17n;

const permit: Permit = { mayLeave: () => true, sendBy: Number.MAX_SAFE_INTEGER };

/** What has been moved on an account beside the strategies, per asset. */
export type Moved = Map<string, bigint>;
/** The same on each exchange. */
export type Beside = Map<string, Moved>;

/** Returns the fields that running quotes can change: a drawn size can have others. */
const editable = (fields: Readonly<Record<string, unknown>>) =>
  Object.fromEntries(Object.entries(fields).filter(([name]) => name in quoteEditConfig().shape));

/** Returns fields as a request has them. */
const wired = (fields: Readonly<Record<string, unknown>>) =>
  Object.fromEntries(
    Object.entries(fields).map(([name, value]) => [name, typeof value === "bigint" ? wire(value) : value]),
  );

/** Does what the plan says, through the service where a person would use it, and behind its back where not. */
export async function act(sim: Sim, deed: Deed, beside: Beside): Promise<void> {
  const { trace, state, scheduler, random } = sim;
  const { exchange = EXCHANGE } = deed;
  trace.add(`deed ${deed.kind}`);
  const process = random.pick(sim.alive().length > 0 ? sim.alive() : sim.processes);
  const ask = (name: string, input: object) =>
    sim.run(process, (deps) => operation(name).run(deps, input, { actor: "person" }));
  /** Fields are checked and completed as a request's are. */
  const askInWords = (name: string, fields: object) => ask(name, operation(name).input.parse(fields));
  const nth = (place: number) => {
    const all = [...sim.tables().strategies.values()];
    return all[place % Math.max(1, all.length)];
  };
  const later = (millis: number, run: () => void) => scheduler.at(scheduler.now() + millis, run);
  // Behind the service's back, and at once.
  const venue = simulatedVenue(sim.simulations.get(exchange) ?? sim.simulation);

  if (sim.strategy && FOLLOWED.has(deed.kind)) {
    const id = "nth" in deed ? nth(deed.nth)?.id : undefined;
    const act = ACTS[sim.strategy];
    return sim.run(process, (deps) => act(deps, exchange, deed, id));
  }
  const ofQuotes = "nth" in deed ? nth(deed.nth) : undefined;
  if (ofQuotes && isQuote(ofQuotes)) {
    const { id } = ofQuotes;
    if (deed.kind === "stop") return askInWords("stop_strategy", { id, sellBase: deed.sell ?? false });
    if (deed.kind === "pause") return askInWords("pause_strategy", { id });
    if (deed.kind === "run") return askInWords("resume_strategy", { id });
    if (deed.kind === "edit_quote") return askInWords("edit_strategy", { id, config: editable(deed.fields) });
    if (deed.kind === "edit") return undefined;
  }
  switch (deed.kind) {
    case "start_quote":
      return askInWords(...starts("quote", { exchange, symbol: deed.symbol, ...deed.fields }));
    case "edit_quote":
      return undefined;
    case "rules":
      // What the price has filled until now it has filled by the rules until now.
      await venue.openOrders();
      return sim.changeRules(deed.symbol, deed.rules);
    case "delist": {
      for (const order of await venue.openOrders(deed.symbol)) await venue.cancel(order, permit);
      return sim.delist(deed.symbol);
    }
    case "exchange_down":
      state.away.add(exchange);
      return later(deed.millis, () => state.away.delete(exchange));
    case "endpoint_down":
      for (const name of deed.names) state.downAlone.add(name);
      return later(deed.millis, () => {
        for (const name of deed.names) state.downAlone.delete(name);
      });
    case "start":
      return ask("start_grid", {
        exchange,
        symbol: deed.symbol,
        lowerPrice: deed.lower,
        upperPrice: deed.upper,
        gridLevels: deed.levels,
        orderSize: deed.size,
        ...deed.options,
      });
    case "start_centered":
      return askInWords(...starts("centered", { exchange, symbol: deed.symbol, ...asTyped(deed.options) }));
    case "stop": {
      const strategy = nth(deed.nth);
      return (
        strategy &&
        ask("stop_strategy", { id: strategy.id, cancelOrders: !deed.keep, sellBase: deed.sell ?? false })
      );
    }
    case "pause":
    case "run": {
      const strategy = nth(deed.nth);
      if (!strategy || strategy.wants === "stop") return undefined;
      return ask(deed.kind === "pause" ? "pause_strategy" : "resume_strategy", { id: strategy.id });
    }
    case "edit": {
      const strategy = nth(deed.nth);
      return strategy && ask("edit_strategy", { id: strategy.id, config: wired(deed.fields) });
    }
    case "kill":
      return ask("set_kill_switch", { on: deed.on, cancel: false });
    case "panic":
      if (sim.tables().kill.cancels) return undefined;
      later(10_000, () => act(sim, deed, beside));
      return ask("set_kill_switch", { on: true, stop: true, sell: deed.sell });
    case "limits":
      return ask("set_limits", { scope: "every", ...deed.settings });
    case "hand":
      return ask("create_order", {
        exchange,
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
      const request = { exchange, symbol: order.symbol, side, type: "limit", amount: HALF, price };
      return price > 0n ? ask("create_order", request) : undefined;
    }
    case "hand_both": {
      const request = {
        exchange,
        symbol: deed.symbol,
        type: "limit",
        amount: HALF,
        price: deed.price,
      };
      await Promise.all(["buy", "sell"].map((side) => ask("create_order", { ...request, side })));
      return undefined;
    }
    case "hand_cancel_all":
      return ask("cancel_all_orders", { exchange, symbol: deed.symbol });
    case "outside_order": {
      if (sim.isDelisted(deed.symbol)) return undefined;
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
      await deposit(sim.simulation.books, { ...deed, exchange }).then(
        () => noteMoved(beside, exchange, deed),
        () => undefined,
      );
      return undefined;
    case "duplicate_tick":
    case "hint":
      await sim.stepOnce(process);
      return undefined;
    case "kill_process":
      return sim.killProcess(process);
    case "backup":
      return sim.backup();
    case "restore":
      return sim.restore();
    case "keep_tail":
      return sim.keepTail();
    case "lose_tail":
      return sim.loseTail();
    case "clock_step":
      state.clockOff = deed.millis;
      return undefined;
    case "clock_jump":
      sim.clocks.jump(deed);
      return later(deed.lasts, () => sim.clocks.right(deed));
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

function noteMoved(beside: Beside, exchange: string, { asset, amount }: Extract<Deed, { kind: "deposit" }>) {
  const moved = beside.get(exchange) ?? new Map<string, bigint>();
  beside.set(exchange, moved);
  moved.set(asset, (moved.get(asset) ?? 0n) + amount);
}
