import { act, type Beside } from "./actions.ts";
import type { Violation } from "./checks.ts";
import { finish } from "./finish.ts";
import { createWorld, type Options } from "./world.ts";

export interface Result {
  readonly seed: number;
  readonly violations: readonly Violation[];
  readonly passes: number;
  readonly calls: number;
  readonly hash: number;
  readonly orders: number;
  readonly fills: number;
  readonly lines: readonly string[];
}

/** One run from its seed: deeds and faults, then quiet, then what has to hold. */
export async function simulate(options: Options): Promise<Result> {
  const world = await createWorld(options);
  const { plan, scheduler, state, checks, trace } = world;
  const beside: Beside = new Map();
  for (let count = 0; count < plan.processes; count++) world.spawn();
  for (const { at, deed } of plan.deeds) scheduler.at(at, () => act(world, deed, beside));
  // Also after the last of the slow requests that may still switch it on.
  for (const wait of [0, 181_000]) {
    scheduler.at(plan.quietAt + wait, () => {
      world.tables().kill = false;
    });
  }
  let last = "";
  const after = () => {
    if (!state.dirty) return;
    if (process.env.DEBUG) {
      for (const st of world.tables().strategies.values()) {
        const line =
          st.state.slots
            .map(
              (x) =>
                `${x.index}:${x.side} b${Number(x.base) / 1e18} s${Number(x.sold) / 1e18} c${Number(x.cost) / 1e18} bt${Number(x.bought) / 1e18} q${x.sequence}`,
            )
            .join(" | ") +
          ` quote ${Number(st.state.ledger.quote) / 1e18} real ${Number(st.state.ledger.realized) / 1e18}`;
        if (st.id.includes(process.env.DEBUG) && line !== last) {
          trace.add(line);
          last = line;
        }
      }
    }
    state.dirty = false;
    checks.looked();
  };
  await scheduler.runUntil(plan.endAt, after);
  const { commits } = await quietly(world, after);
  if (commits > 0)
    checks.violate(`two passes over what had come to rest wrote to the venue ${commits} times`);
  finish(world, beside);
  if (process.env.DEBUG) {
    for (const o of world.tables().orders.values())
      console.log(
        o.clientId,
        o.strategy,
        o.slot,
        o.side,
        o.state,
        o.settled,
        Number(o.booked) / 1e18,
        Number(o.filled) / 1e18,
        Number(o.amount) / 1e18,
        o.exchangeId,
      );
    for (const f of world.history.allFills("sim"))
      console.log("venue", f.id, f.side, Number(f.amount) / 1e18);
    for (const f of world.tables().fills.values())
      console.log("fill", f.tradeId, f.clientId, f.superseded, f.account, f.symbol);
    for (const st of world.tables().strategies.values())
      console.log(st.id, st.status, st.wants, st.keepOrders, st.state.ledger, st.state.slots);
  }
  return {
    seed: options.seed,
    violations: checks.violations,
    passes: state.passes,
    calls: trace.calls(),
    hash: trace.hash(),
    orders: world.tables().orders.size,
    fills: world.history.allFills("sim").length,
    lines: trace.lines,
  };
}

/** Two more passes: over a world that has come to rest they do nothing. */
async function quietly(world: Awaited<ReturnType<typeof createWorld>>, after: () => void) {
  const { scheduler, plan, history } = world;
  const before = history.latest("sim").version;
  await scheduler.runUntil(plan.endAt + 2 * plan.interval + 1000, after);
  return { commits: history.latest("sim").version - before };
}
