import { createClient } from "@libsql/client";
import { nodeLocal } from "../../../cli/host/process/node-local.ts";
import { dryBooks } from "../../../src/adapters/libsql/dry-books.ts";
import { createStore } from "../../../src/adapters/libsql/store.ts";
import { StoreError } from "../../../src/kernel/errors.ts";
import type { ActorAndRequest } from "../../../src/model/events.ts";
import type { LimitTerms } from "../../../src/model/limits.ts";
import { NEW_ORDER, type Order } from "../../../src/model/order.ts";
import type { Strategy } from "../../../src/model/strategy.ts";
import {
  type Changes,
  type Lease,
  NO_CHANGES,
  type Settlement,
  type Snapshot,
} from "../../../src/ports/stores/pass-store.ts";
import type { ManualOrderTerms, Store } from "../../../src/ports/stores/store.ts";
import type { Context } from "../../../src/storage/client/context.ts";
import type { Migration } from "../../../src/storage/client/migrate.ts";
import { openDatabase } from "../../../src/storage/client/safe-client.ts";
import { d, state } from "../../support/grid.ts";

export const START = 1_767_225_600_000;
export const TTL = 5000;

/** Two writers on one database, whose clock moves only when told. */
export type Writers = Awaited<ReturnType<typeof twoWriters>>;

/** Each on a connection of its own: two processes, as far as the database can tell. */
export async function openBoth(url: string, migrations: readonly Migration[]) {
  let now = START;
  const open = (applied: readonly Migration[]): Promise<Context> =>
    openDatabase({
      client: url.startsWith("http") ? { url, fetch } : createClient({ url, concurrency: 1 }),
      local: nodeLocal,
      migrations: applied,
      kind: "sandbox",
      clock: () => now,
    });
  const first = await open(migrations);
  const second = await open([]);
  return {
    first,
    second,
    pass: (millis: number) => {
      now += millis;
    },
    close: () => {
      first.client.close();
      second.client.close();
    },
  };
}

const SIGNED = [
  "setKill",
  "panic",
  "createStrategy",
  "setWants",
  "setPaused",
  "recordByHand",
  "decidePlan",
  "addToken",
  "revokeToken",
  "setLimits",
] as const;
type Name = (typeof SIGNED)[number];
/** A store whose every deed of a person is the same person's. */
export type Signed = Omit<Store, Name> & {
  readonly [N in Name]: Store[N] extends (...args: [...infer A, ActorAndRequest]) => infer R
    ? (...args: A) => R
    : never;
};

function signed(store: Store): Signed {
  const by: ActorAndRequest = { actor: "writer", request: null };
  const own = SIGNED.map((name) => {
    const deed = store[name] as (...args: unknown[]) => unknown;
    return [name, (...args: unknown[]) => deed(...args, by)] as const;
  });
  return { ...store, ...Object.fromEntries(own) } as unknown as Signed;
}

/** For one guard: accounts, grids and ids of its own, whatever others have left in the database. */
export function twoWriters({ first, second, pass }: Awaited<ReturnType<typeof openBoth>>, own: string) {
  const [a, b] = [signed(createStore(first)), signed(createStore(second))] as [Signed, Signed];
  const account = `sandbox:${own}:`;
  let made = 0;
  const order = (of: Strategy | null, over: Partial<Order> = {}): Order => ({
    ...NEW_ORDER,
    clientId: `em${own}-${made++}`,
    account,
    strategy: of?.id ?? null,
    kind: of ? "slot" : "hand",
    generation: 0,
    slot: 0,
    symbol: "BTC/USDT",
    side: "buy",
    type: "limit",
    price: d("1"),
    amount: d("5"),
    timeInForce: "gtc",
    createdAt: START,
    sendBy: START,
    notAfter: START,
    ...over,
  });
  const changes = (over: Partial<Changes>): Changes => ({ ...NO_CHANGES, ...over });
  const takeLease = (store: Signed, owner: string, scheduled?: number, of = account) =>
    store.takeLease({ account: of, owner, ttl: TTL, overlap: 0, scheduled });
  return {
    a,
    b,
    own,
    account,
    pass,
    contexts: { first, second },
    books: { a: dryBooks(first), b: dryBooks(second) },
    takeLease,
    /** The lease, which has to be free. */
    async lease(store: Signed, owner: string, of = account) {
      const accepted = await takeLease(store, owner, undefined, of);
      if (!accepted) throw new Error(`${of} is taken`);
      return accepted.lease;
    },
    start: async (over: Partial<Strategy> = {}): Promise<Strategy> =>
      (await a.createStrategy({
        prefix: `grid-${own}`,
        account,
        symbol: "BTC/USDT",
        kind: "grid",
        version: 1,
        config: {},
        state: state([]),
        wants: "run",
        keepOrders: false,
        sellBase: false,
        status: "running",
        phase: "active",
        lastError: null,
        startedAt: START,
        stoppedAt: null,
        request: null,
        ...over,
      })) as Strategy,
    /** An intent with an id of its own. */
    order,
    changes,
    /** What the store answers to an order by hand. */
    byHand: async (store: Signed, over: Partial<Order> = {}, terms: Partial<ManualOrderTerms> = {}) =>
      (await store.recordByHand(order(null, over), { ...TERMS, ...terms })).result,
    /** How many of these intents a pass of the first writer records. */
    intend: async (lease: Lease, ...intents: readonly Order[]) =>
      (await a.record(lease, [changes({ intents })])).size,
    /** Settles an order as rejected. */
    reject: ({ account: of, clientId }: Order) =>
      a.settleByHand({ account: of, clientId, state: "rejected", exchangeId: null, reason: null }),
  };
}

/** A condition of a statement, or of the schema, and what happens only because it is there. */
export interface Guard {
  readonly name: string;
  readonly file: string;
  /** Stands exactly once in the file; what is left when the guard is taken out. */
  readonly from: string;
  readonly to: string;
  /** What comes of a deed of two writers that the guard decides. */
  readonly deed: (writers: Writers) => Promise<unknown>;
  readonly should: unknown;
}

export const guardsOf = (
  file: string,
  guards: readonly (readonly [string, string, string, unknown, Guard["deed"]])[],
): Guard[] => guards.map(([name, from, to, should, deed]) => ({ name, file, from, to, should, deed }));

/** Of an order by hand whose price is 1, or any, without limits. */
export const TERMS: ManualOrderTerms = { terms: null, limit: 10n ** 18n, ended: [] };

export const SETTLED: Settlement = {
  outcomes: [],
  phases: [],
  events: [],
  memory: null,
  calls: { made: 0, own: {} },
  failure: null,
};

export const FREE: LimitTerms = { version: 0, asset: "USDT", scopes: [], counted: {} };

/** How a write ended: what it answered, or how it failed. */
export async function ending<T>(write: Promise<T>): Promise<T | string> {
  try {
    return await write;
  } catch (error) {
    if (error instanceof StoreError) return error.failure;
    throw error;
  }
}

/** A write that answers nothing: whether it was done. */
export const done = (write: Promise<unknown>): Promise<string> => ending(write.then(() => "done"));

export const idsOf = (snapshot: Snapshot | undefined): string[] =>
  (snapshot?.orders ?? []).map(({ clientId }) => clientId);
