import type { PrivateCall } from "../../src/adapters/ccxt/client/quirks.ts";
import type { Simulation } from "../../src/adapters/sandbox/venue.ts";
import { BudgetSpent } from "../../src/kernel/errors.ts";
import type { Pair } from "../../src/kernel/pair.ts";
import { type BookedOrder, toVenueFill, toVenueOrder } from "../../src/market/matching.ts";
import { isBlockedByKill, type Kill } from "../../src/model/kill.ts";
import type { Book } from "../../src/model/market.ts";
import type { NewOrder, OrderKind } from "../../src/model/order.ts";
import type { PassStore } from "../../src/ports/stores/pass-store.ts";
import type {
  AuditStore,
  HistoryStore,
  LimitStore,
  ManualOrderStore,
  Store,
  StrategyStore,
} from "../../src/ports/stores/store.ts";
import type {
  CallRequests,
  CancelOutcome,
  CreateOutcome,
  EndedOrders,
  FillsOfSpan,
  Permit,
  Venue,
  VenueFill,
  VenueOrder,
} from "../../src/ports/venue.ts";
import type { Local } from "../../src/ports/within-time.ts";
import type { Budgets } from "./budgets.ts";
import { call, type Net, storeSilence, venueRefuses, venueSilence } from "./calls.ts";
import { type Clocks, compareClocks } from "./clocks.ts";
import { type FillWindows, type Illegible, legible, windowed } from "./fill-windows.ts";
import type { Past } from "./history.ts";
import type { Requests } from "./requests.ts";
import { type Process, sleep, type Task, timerOf } from "./task.ts";
import type { WrongAnswers } from "./wrong-answers.ts";

const STORE_TIMEOUT = 10_000;

export type SimStore = PassStore &
  StrategyStore &
  HistoryStore &
  ManualOrderStore &
  LimitStore &
  Pick<AuditStore, "note" | "noteAhead">;

type Methods = Record<string, (this: { readonly task: Task }, ...args: unknown[]) => unknown>;

/** The store as each task sees it: every method is a call that can go wrong. */
export function storesOf(net: Net, store: SimStore, knows?: () => Kill): (task: Task) => Store {
  const methods: Methods = {};
  for (const [name, method] of Object.entries(store) as [
    string,
    (...args: unknown[]) => Promise<unknown>,
  ][]) {
    methods[name] = function (...args) {
      return call(net, this.task, {
        kind: "store",
        name,
        timeout: STORE_TIMEOUT,
        effect: () => method(...args),
        silence: storeSilence,
        refused: storeSilence,
        lag: 0,
      });
    };
  }
  // The switch is always turned by another process: this one has to look.
  methods.knownKilled = () => false;
  if (knows) knowing(methods, knows);
  methods.lockedFor = () => 0;
  // Tasks are many and short: each has its own name on methods that are made once.
  class TaskStore {
    readonly task: Task;
    constructor(task: Task) {
      this.task = task;
    }
  }
  Object.assign(TaskStore.prototype, methods);
  return (task) => new TaskStore(task) as unknown as Store;
}

/** The process that has turned the switch on knows it from the answer on. */
function knowing(methods: Methods, knows: () => Kill): void {
  for (const name of ["setKill", "panic"]) {
    const turn = methods[name];
    methods[name] = async function (...args) {
      const answer = await turn?.apply(this, args);
      this.task.process.hasKilled = name === "panic" || args[0] === true;
      return answer;
    };
  }
  methods.knownKilled = function (kind = "slot") {
    return this.task.process.hasKilled === true && isBlockedByKill(knows(), kind as OrderKind);
  };
}

/** What of a venue's behaviour is simulated beside its books. */
export interface Behaviour {
  readonly past: Past;
  /** How far the venue's clock is from the store's. */
  readonly skew: number;
  /** How old a read may be; beyond the timing's bound where that is broken. */
  readonly readLag: number;
  /** How old every read is now; undefined where none is, and balances are never old. */
  readonly lag: (() => number) | undefined;
  /** It tells of many orders in one call. */
  readonly looksAtMany: boolean;
  readonly readsTogether: boolean;
  /** It refuses requests that are older than their expiry. */
  readonly expires: boolean;
  readonly windows: FillWindows;
  /** Which rows of trades cannot be read now. */
  readonly illegible: Illegible;
  readonly isClosed: () => boolean;
  /** Told in the turn in which a create leaves. */
  readonly leaving: (clientId: string, process: Process) => void;
  readonly requests: Requests;
  readonly clocks: Clocks;
  readonly wrong?: WrongAnswers;
  readonly budgets?: Budgets | undefined;
  /** It alone is down. */
  readonly isAway: (exchange: string) => boolean;
  /** A pass compares its clock with the exchange's. */
  readonly compares: boolean;
  /** A book as the venue tells it now. */
  readonly shownBook: (symbol: Pair, book: Book) => Book;
}

/** Reads that count to no account. */
const PUBLIC = new Set(["ticker", "book"]);

/** When a pass took its lease, by the database's clock and by its process's own. */
interface PassClock {
  readonly now: number;
  readonly requestedAt: number;
  readonly isUrgent?: boolean;
  readonly paid?: CallRequests | undefined;
}

/** A venue as one task sees it: every method is a call, requests expire there, and reads may lag. */
export function venueOf(
  net: Net,
  task: Task,
  ports: { readonly inner: Venue } & Pick<Simulation, "timing" | "account">,
  behaviour: Behaviour,
  hold?: PassClock,
): Venue {
  const { inner, timing, account } = ports;
  const { clocks, wrong } = behaviour;
  const { past, skew, readLag, lag: lagging, expires, windows, illegible, isClosed, leaving } = behaviour;
  const { exchange } = account;
  const now = () => net.scheduler.now();
  const exchangeNow = () => now() + skew + clocks.off("exchange");
  /** A pass goes by the database's clock when it began, a person's call by its process's own. */
  const spent = behaviour.budgets && spenderFor(behaviour.budgets, net, task, hold);
  const ours = () =>
    hold ? hold.now + (now() - task.process.bornAt - hold.requestedAt) : now() + clocks.off("process");
  const read = async <T>(name: string, fresh: () => Promise<T>, stale?: (at: number) => T): Promise<T> => {
    if (!PUBLIC.has(name)) await spent?.take("order");
    const found = await readAsIs(name, fresh, stale);
    if (hold && behaviour.compares) compareClocks(ours(), exchangeNow(), timing);
    return found;
  };
  const readAsIs = <T>(name: string, fresh: () => Promise<T>, stale?: (at: number) => T): Promise<T> =>
    call(net, task, {
      kind: "read",
      name,
      timeout: timing.requestTimeout,
      async effect(once) {
        const lag = Math.max(once, lagging?.() ?? 0);
        if (behaviour.isAway(exchange)) venueSilence();
        wrong?.read();
        return lag > 0 && stale ? stale(now() - lag) : fresh();
      },
      silence: venueSilence,
      refused: venueRefuses,
      lag: readLag,
    });
  const shown = (answer: FillsOfSpan): FillsOfSpan => ({
    ...answer,
    ...legible(answer.fills, illegible, now()),
  });
  // The simulated exchange itself refuses a request that is older than its expiry, by its own clock.
  const isExpired = (signedAt: number) =>
    expires &&
    timing.expiry > 0 &&
    (exchangeNow() > signedAt + timing.expiry || exchangeNow() < signedAt - timing.expiry - 2 * timing.skew);
  const bound = (permit: Permit): Permit => ({
    mayLeave: () => true,
    sendBy: timing.expiry > 0 ? Number.MAX_SAFE_INTEGER : permit.sendBy,
  });

  const named = (fill: VenueFill): VenueFill => (wrong ? { ...fill, id: wrong.id(fill) } : fill);
  const stamped = (fills: readonly VenueFill[]) =>
    fills.map((fill) => ({ ...named(fill), at: clocks.stamp(fill.at) }));
  /** All there are, where the exchange has stamped some with other times. */
  const since = (from: number) => (clocks.hasJumped() ? 0 : from);
  const under: NonNullable<Venue["under"]> = ({ now: at }, { requestedAt, isUrgent, paid }) =>
    venueOf(net, task, ports, behaviour, { now: at, requestedAt, isUrgent, paid });
  const shownOf = (
    span: { readonly from: number; readonly to?: number | undefined },
    fills: readonly VenueFill[],
  ) => {
    const at = now();
    const request = { from: span.from, to: span.to ?? (clocks.hasJumped() ? Number.MAX_SAFE_INTEGER : at) };
    const answer = windowed(windows, request, { fills: stamped(fills), now: at });
    const { from, to } = answer.covered;
    return shown({ ...answer, covered: { from, to: span.to === undefined ? Math.min(to, at) : to } });
  };

  return {
    ...inner,
    ...((behaviour.compares || behaviour.budgets) && !hold ? { under } : {}),
    ...(behaviour.budgets && { opening: behaviour.budgets.opening }),
    ...(spent && { enter: spent.begin }),
    ...(spent && behaviour.budgets?.isScarce && { spare: spent.spare }),
    readsTogether: behaviour.readsTogether,
    market: async (symbol) => ({ ...(await inner.market(symbol)), active: !isClosed() }),
    ticker: (symbol) => read("ticker", () => inner.ticker(symbol)),
    book: (symbol, limit) =>
      read("book", async () => behaviour.shownBook(symbol, await inner.book(symbol, limit))),
    balances: () =>
      read(
        "balances",
        () => inner.balances(),
        lagging &&
          ((at) =>
            Object.entries(past.holdings(exchange, at)).map(([asset, { total, used }]) => ({
              asset,
              free: total - used,
              used,
            }))),
      ),
    openOrders: async (symbol) => {
      const list = await read(
        "openOrders",
        () => inner.openOrders(symbol),
        (at) =>
          past
            .open(exchange, at)
            .filter((order) => order.symbol === symbol)
            .map(toVenueOrder),
      );
      return wrong?.list(list) ?? list;
    },
    order: async ({ symbol, ...key }) => {
      const found = await read(
        "order",
        () => inner.order({ symbol, ...key }),
        (at) => maybe(past.order(exchange, key, at)),
      );
      return wrong ? wrong.order(found) : found;
    },
    ...(behaviour.looksAtMany && {
      orders: (symbol, ids) =>
        read(
          "orders",
          async () => format(await Promise.all(ids.map((id) => inner.order({ symbol, id })))),
          (at) => format(ids.map((id) => maybe(past.order(exchange, { id }, at)))),
        ),
    }),
    fills: (symbol, span) =>
      read(
        "fills",
        async () => {
          const { fills } = await inner.fills(symbol, { ...span, from: since(span.from) });
          return shownOf(span, fills);
        },
        // What it shows is old; the venue does not know that.
        (at) => {
          return shownOf(span, past.fills(exchange, symbol, since(span.from), at).map(toVenueFill));
        },
      ),
    endedOrders: (symbol, from, page) =>
      read(
        "endedOrders",
        async () => endedPage(past.ended(exchange, symbol, since(from), now()), page),
        (at) => endedPage(past.ended(exchange, symbol, since(from), at), page),
      ),
    fillsOf: (symbol, ids, from) =>
      read(
        "fillsOf",
        async () => legible(stamped((await inner.fillsOf(symbol, ids, since(from))).fills), illegible, now()),
        (at) => {
          const fills = past
            .fills(exchange, symbol, since(from), at)
            .filter(({ orderId }) => ids.includes(orderId));
          return legible(stamped(fills.map(toVenueFill)), illegible, now());
        },
      ),
    async create(order: NewOrder, permit: Permit): Promise<CreateOutcome> {
      if (!((await spent?.mayWrite("create")) ?? true))
        return { result: "not_sent", failure: "rate_limited" };
      await permit.look?.();
      let signedAt = 0;
      return call<CreateOutcome>(net, task, {
        kind: "create",
        name: `create ${order.clientId} ${order.side}`,
        timeout: timing.requestTimeout,
        leaves() {
          signedAt = ours();
          if (!permit.mayLeave() || ours() > permit.sendBy + timing.skew) return { result: "not_sent" };
          spent?.sent("create");
          leaving(order.clientId, task.process);
          return undefined;
        },
        async effect() {
          if (behaviour.isAway(exchange)) return { result: "unknown", reason: "no answer" };
          const arrived = behaviour.requests.create(exchange, order);
          if (isClosed()) return { result: "rejected", reason: "cancel only" };
          if (isExpired(signedAt)) return { result: "rejected", reason: "request expired" };
          const send = async () => arrived(await inner.create(order, bound(permit)));
          return wrong ? wrong.create(send) : send();
        },
        silence: () => ({ result: "unknown", reason: "no answer" }),
        refused: () => ({ result: "rejected", reason: "rate limit exceeded" }),
        lag: 0,
      });
    },
    async cancel(order, permit): Promise<CancelOutcome> {
      if (!((await spent?.mayWrite("cancel")) ?? true))
        return { result: "not_sent", failure: "rate_limited" };
      return call<CancelOutcome>(net, task, {
        kind: "cancel",
        name: `cancel ${order.id}`,
        timeout: timing.requestTimeout,
        leaves() {
          if (!permit.mayLeave()) return { result: "not_sent" };
          spent?.sent("cancel");
          return undefined;
        },
        async effect() {
          if (behaviour.isAway(exchange)) return { result: "unknown", reason: "no answer" };
          const random = net.drawFor(behaviour.requests.cancel(exchange, order));
          // Some venues take a cancel in and carry it out later: until then the order may still fill.
          if (!random.chance(0.15)) return inner.cancel(order, bound(permit));
          net.scheduler.at(now() + random.whole(100, 20_000), async () => {
            // By then its pair can be delisted, and the order gone with it.
            await inner.cancel(order, bound(permit)).catch(() => undefined);
          });
          return { result: "accepted" };
        },
        silence: () => ({ result: "unknown", reason: "no answer" }),
        refused: () => ({ result: "rejected", reason: "rate limit exceeded" }),
        lag: 0,
      });
    },
  };
}

/** The calls of one pass, or of a person. */
function spenderFor(budgets: Budgets, net: Net, task: Task, hold: PassClock | undefined) {
  const local = localOf(net, task);
  const who = hold ? (hold.isUrgent ? "urgent pass" : "pass") : "person";
  const paid = hold?.paid && { ...hold.paid, at: hold.requestedAt };
  const spending = budgets.spenderOf(local, { who, paid });
  return {
    begin: spending.begin,
    spare: spending.spare,
    sent: budgets.sent,
    async take(kind: PrivateCall): Promise<void> {
      const request = await spending.take(kind);
      await request();
      budgets.sent(kind);
    },
    async mayWrite(kind: PrivateCall): Promise<boolean> {
      try {
        const request = await spending.take(kind);
        await request();
        return true;
      } catch (error) {
        if (error instanceof BudgetSpent) return false;
        throw error;
      }
    },
  };
}

const format = (orders: readonly (VenueOrder | undefined)[]): VenueOrder[] =>
  orders.filter((order) => order !== undefined);

/** So few that a search after a restore goes on in another pass now and then. */
const ENDED_PAGE = 3;

function endedPage(ended: readonly BookedOrder[], after: string | undefined): EndedOrders {
  const rest = ended.filter(({ at, id }) => after === undefined || placeOf({ at, id }) < after);
  const shown = rest.slice(0, ENDED_PAGE);
  const last = shown.at(-1);
  return {
    orders: shown.map(toVenueOrder),
    ...(last && shown.length < rest.length ? { next: placeOf(last) } : {}),
  };
}

const placeOf = ({ at, id }: Pick<BookedOrder, "at" | "id">): string => `${at} ${id}`;

const maybe = (order: BookedOrder | undefined): VenueOrder | undefined => order && toVenueOrder(order);

export function localOf(net: Net, task: Task): Local {
  return {
    name: "simulated",
    monotonic: () => net.scheduler.now() - task.process.bornAt,
    randomText: (length) => net.random.text(length),
    sleep: (millis) => sleep(net.scheduler, task, millis),
    timer: timerOf(net.scheduler, task),
  };
}
