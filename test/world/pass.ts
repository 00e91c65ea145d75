import { kindsOf } from "../../src/engine/accounts.ts";
import { runPass } from "../../src/engine/pass/pass.ts";
import { KINDS } from "../../src/kinds.ts";
import type { Market } from "../../src/model/market.ts";
import type { NewOrder } from "../../src/model/order.ts";
import type { Store } from "../../src/ports/stores/store.ts";
import type { Permit, Timing, Venue } from "../../src/ports/venue.ts";
import { ACCOUNT } from "./setting.ts";

/** What a pass has asked of the world, and waits for. */
export interface Requested {
  readonly kind: "store" | "read" | "create" | "cancel";
  readonly name: string;
  readonly args: readonly unknown[];
}

/** What it was told, and when. */
export type Reported = { readonly at: number } & ({ readonly value: unknown } | { readonly error: unknown });

/** A pass of a process, as far as it has come: beginning again with the same answers, it comes there again. */
export interface Passing {
  readonly process: number;
  /** Tells its lease from that of others. */
  readonly attempt: number;
  readonly startedAt: number;
  readonly results: readonly Reported[];
}

export interface Run {
  /** Undefined once the pass has ended. */
  readonly request: () => Requested | undefined;
  /** Whether it has ended, and nothing kept it from doing its work. */
  readonly isDone: () => boolean;
  /** Whether a write that it waits to send may still leave now. */
  readonly mayLeave: (now: number) => boolean;
  readonly answer: (result: Reported) => Promise<void>;
}

const STORE = ["takeLease", "record", "killed", "settle", "ordersByIds", "nextEpoch"] as const;
const READS = ["ticker", "balances", "openOrders", "order", "fills", "fillsOf"] as const;

/** Takes the real pass to where its answers end. */
export async function openRun(passing: Passing, market: Market, timing: Timing): Promise<Run> {
  const { process, attempt, startedAt, results } = passing;
  let now = startedAt;
  let given = 0;
  /** Oldest first; a pass makes some reads at the same time, and they are answered one after another. */
  let waiting: readonly { readonly request: Requested; readonly give: (result: Reported) => void }[] = [];
  let isDone = false;
  let stopped = () => {};
  const ask =
    (kind: Requested["kind"], name: string) =>
    (...args: unknown[]): Promise<never> =>
      new Promise((resolve, reject) => {
        const give = (one: Reported) => {
          now = one.at;
          if ("error" in one) reject(one.error);
          else resolve(one.value as never);
        };
        const known = results[given++];
        if (known) return give(known);
        waiting = [...waiting, { request: { kind, name, args }, give }];
        return stopped();
      });
  const untilItWaits = async (go: () => void): Promise<void> => {
    const waits = new Promise<void>((resolve) => {
      stopped = resolve;
    });
    go();
    await waits;
  };
  const asks = (kind: Requested["kind"], names: readonly string[]) =>
    Object.fromEntries(names.map((name) => [name, ask(kind, name)]));
  const venue = {
    account: ACCOUNT,
    timing,
    market: () => Promise.resolve(market),
    ...asks("read", READS),
    // As a venue does, it looks at the kill switch in its turn.
    async create(order: NewOrder, permit: Permit) {
      await permit.look?.();
      return ask("create", "create")(order, permit);
    },
    cancel: ask("cancel", "cancel"),
  } as unknown as Venue;
  const deps = {
    kinds: kindsOf(KINDS),
    // What only a server's own process knows of the switch, nobody here does.
    store: { ...asks("store", STORE), knownKilled: () => false } as unknown as Store,
    local: {
      name: `process ${process}`,
      monotonic: () => now,
      randomText: () => String(attempt),
      sleep: () => Promise.reject(new Error("a pass does not sleep")),
    },
    log: () => {},
  };
  await untilItWaits(() => {
    void runPass(deps, venue).then((pass) => {
      isDone = pass.outcome === "stepped";
      waiting = [];
      stopped();
    });
  });
  return {
    request: () => waiting[0]?.request,
    isDone: () => isDone,
    mayLeave(at) {
      now = at;
      return (waiting[0]?.request.args[1] as Permit | undefined)?.mayLeave() ?? true;
    },
    async answer(one) {
      const [first, ...others] = waiting;
      waiting = others;
      if (others.length > 0) first?.give(one);
      else await untilItWaits(() => first?.give(one));
    },
  };
}
