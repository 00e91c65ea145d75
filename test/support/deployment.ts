import { createClient } from "@libsql/client";
import type { Miniflare } from "miniflare";
import { asGrid, type Slot } from "../../src/grid/state/state.ts";
import { type Decimal, decimal, text } from "../../src/kernel/decimal.ts";
import { parseClientOrderId, strategyTag } from "../../src/kernel/ids.ts";
import type { VenueName } from "../../src/model/market.ts";
import { createOperations } from "../../src/operations.ts";
import { TOKENS } from "./app.ts";
import { edgeDatabase } from "./edge.ts";
import { type Accounts, liveAccounts } from "./edge-live.ts";
import { heard } from "./heard.ts";
import { startWorker, type WorkerOptions } from "./worker.ts";

/** One turn of the queue, as the worker's log tells it. */
const MINUTE = 60_000;

export interface Turn {
  readonly account: string;
  readonly scheduled: number;
  readonly outcome: string;
  readonly requests: number;
  readonly reason?: string;
}

/** The deployed whole: workerd, its queue and cron, a libSQL server and emulated exchanges with many accounts. */
export async function deployment(
  each: number,
  {
    only,
    most,
    settings = {},
    ...options
  }: WorkerOptions & {
    only?: readonly VenueName[];
    most?: number;
    settings?: Readonly<Record<string, string>>;
  } = {},
) {
  const accounts = await liveAccounts(each, {
    ...(only ? { only } : {}),
    ...(most === undefined ? {} : { most }),
  });
  const database = await edgeDatabase({ ...accounts.settings, ...settings });
  const turns: Turn[] = [];
  const followUps: Turn[] = [];
  const troubles: Readonly<Record<string, unknown>>[] = [];
  const onLog: WorkerOptions["onLog"] = (entry) => {
    if (entry.message === "a pass")
      (Number(entry.scheduled) % MINUTE === MINUTE / 4 ? followUps : turns).push(turnOf(entry));
    else if (entry.level === "error" || entry.level === "warn") troubles.push(entry);
  };
  const start = (own: Readonly<Record<string, string>> = {}): Promise<Miniflare> =>
    startWorker({ ...database.settings, ...own }, { ...options, onLog });
  return {
    accounts,
    database,
    turns,
    /** Passes that fills have queued within their minute. */
    followUps,
    troubles,
    start,
    /** Starts so many workers, each for its share of the accounts: an emulated queue gives out one turn at a time. */
    startShares: (count: number): Promise<readonly Miniflare[]> =>
      Promise.all(Array.from({ length: count }, (_, place) => start(shareOf(accounts, { place, count })))),
    /** Starts a grid over HTTP and returns its id. */
    async startGrid(worker: Miniflare, body: Record<string, unknown>): Promise<string> {
      const headers = { authorization: `Bearer ${TOKENS.admin}`, "content-type": "application/json" };
      const response = await worker.dispatchFetch("http://localhost/api/v1/strategy/grid", {
        method: "POST",
        headers,
        body: JSON.stringify(body),
      });
      const answer = (await heard("a start", response as unknown as Response).json()) as { id?: string };
      if (!answer.id)
        throw new Error(`the grid was not started: ${JSON.stringify([answer, ...troubles.slice(-3)])}`);
      return answer.id;
    },
    /** How many grids the worker tells of, in its list and in its status alike. */
    async listed(worker: Miniflare): Promise<number> {
      const headers = { authorization: `Bearer ${TOKENS.admin}` };
      const counts = await Promise.all(
        ["list", "status"].map(async (name) => {
          const url = `http://localhost/api/v1/strategy/grid/${name}`;
          const response = (await worker.dispatchFetch(url, { headers })) as unknown as Response;
          const { strategies } = (await heard(`the ${name}`, response).json()) as { strategies?: unknown[] };
          return strategies?.length ?? 0;
        }),
      );
      if (counts[0] !== counts[1]) throw new Error(`listed and told of: ${counts}`);
      return counts[0] ?? 0;
    },
    /** Starts a grid from this process, on the same database and exchanges. */
    async startHere(body: Record<string, unknown>): Promise<void> {
      const operations = createOperations(accounts.ids.map(({ id }) => id));
      const start = operations.find(({ name }) => name === "start_grid");
      await start?.run(database.deps, start.input.parse(body), { actor: "local" });
    },
    /** Waits until so many turns have ended since `from`. */
    async turnsEnded(from: number, count: number, millis = 240_000): Promise<readonly Turn[]> {
      const until = performance.now() + millis;
      while (turns.length < from + count) {
        if (performance.now() > until) throw new Error(`${turns.length - from} of ${count} turns ended`);
        await new Promise((resolve) => setTimeout(resolve, 20));
      }
      return turns.slice(from);
    },
    /** How many slots the grids of each exchange id hold. */
    async slotsOf(): Promise<ReadonlyMap<string, number>> {
      const slots = new Map<string, number>();
      for (const { strategy } of await database.deps.store.strategies({ stopped: false })) {
        const id = strategy.account.split(":")[1] as string;
        slots.set(id, (slots.get(id) ?? 0) + strategy.state.slots.length);
      }
      return slots;
    },
    wrongSlots: () => wrongSlots(accounts, database.deps.store),
    /** The minute that lies between two crons, as counters of calls know it: kraken's and ours have room again. */
    async rested(): Promise<void> {
      for (const venue of Object.values(accounts.venues)) venue.rest();
      const client = createClient({ url: database.url });
      await client.batch(
        ["update rates set full_at = 0", "update accounts set retry_at = 0 where failures = 0"],
        "write",
      );
      client.close();
    },
    async close() {
      await database.close();
      await accounts.close();
    },
  };
}

/** Those settings that name each account, of every so many-th alone. */
function shareOf({ ids, settings }: Accounts, { place, count }: { place: number; count: number }) {
  const own = new Set(ids.filter((_, at) => at % count === place).map(({ id }) => id));
  const names = ["EDGEMAKER_EXCHANGES", "EDGEMAKER_TIERS", "EDGEMAKER_VENUE_URLS"];
  return Object.fromEntries(
    names.map((name) => {
      const entries = (settings[name] ?? "").split(",");
      return [name, entries.filter((entry) => own.has(entry.split("=")[0] ?? "")).join(",")];
    }),
  );
}

const turnOf = ({
  account,
  scheduled,
  outcome,
  requests,
  ...rest
}: Readonly<Record<string, unknown>>): Turn => ({
  account: String(account),
  scheduled: Number(scheduled),
  outcome: String(outcome),
  requests: Number(requests),
  ...(rest.reason === undefined ? {} : { reason: String(rest.reason) }),
});

type Store = Awaited<ReturnType<typeof edgeDatabase>>["deps"]["store"];

/**
 * Each account's open orders on its venue against what its grids' slots should rest: one order each, at its level or,
 * where that would take, at a price that is better; its id names the slot. Whatever is missing, strange or double is told.
 */
async function wrongSlots({ venues, ids }: Accounts, store: Store): Promise<string[]> {
  const views = await store.strategies({ stopped: false });
  return ids.flatMap(({ id, venue, key }) => {
    const emulated = venues[venue];
    const open = emulated.open(undefined, emulated.accountOf(key)).map((order) => ({
      side: order.side,
      price: order.price,
      slot: slotOf(order.clientId.replace(/^t-/, "")),
      market: decimal(emulated.price(order.listing.symbol)),
    }));
    const expected = views
      .filter(({ strategy }) => strategy.account.split(":")[1] === id)
      .map(({ strategy }) => asGrid(strategy))
      .flatMap(({ number, state }) =>
        state.slots.map((slot) => ({
          side: slot.side,
          price: slot.side === "buy" ? slot.lower : slot.upper,
          slot: `${strategyTag(number)} slot ${slot.index}`,
        })),
      );
    return [
      ...expected
        .filter((slot) => !open.some((one) => answers(one, slot)))
        .map((slot) => `${id} lacks ${format(slot)}`),
      ...open
        .filter((one) => !expected.some((slot) => answers(one, slot)))
        .map((one) => `${id} has ${format(one)}`),
    ];
  });
}

interface Resting extends Pick<Slot, "side"> {
  readonly slot: string;
  readonly price: Decimal;
}

/** A post-only order whose level lies beyond the market may rest short of it, and stays there as long as it does. */
function answers(one: Resting & { readonly market: Decimal }, slot: Resting): boolean {
  if (one.slot !== slot.slot || one.side !== slot.side) return false;
  if (one.price === slot.price) return true;
  return slot.side === "buy"
    ? one.price < slot.price && slot.price >= one.market
    : one.price > slot.price && slot.price <= one.market;
}

const format = ({ slot, side, price }: Resting): string => `${slot} ${side} ${text(price)}`;

function slotOf(clientId: string): string {
  const key = parseClientOrderId(clientId);
  return key ? `${key.tag} slot ${key.slot}` : clientId;
}

/** Client ids that a venue has taken twice, and orders of ours on it without an intent in the database. */
export async function strangers({ venues, ids }: Accounts, store: Store) {
  const twice: string[] = [];
  const orphans: string[] = [];
  for (const { id, venue, key } of ids) {
    const orders = venues[venue].orders(venues[venue].accountOf(key));
    const clientIds = orders.map(({ clientId }) => clientId.replace(/^t-/, ""));
    twice.push(...clientIds.filter((one, place) => clientIds.indexOf(one) !== place));
    const host = new URL(venues[venue].url).host;
    const known = await store.ordersByIds(`live:${id}:${host}`, { exchange: [], client: clientIds });
    const intents = new Set(known.map(({ clientId }) => clientId));
    orphans.push(...clientIds.filter((one) => !intents.has(one)));
  }
  return { twice, orphans };
}
