import { sandboxBooks, shock } from "../../src/adapters/libsql/sandbox-books.ts";
import { deposit } from "../../src/adapters/sandbox/venue.ts";
import { VenueError } from "../../src/kernel/errors.ts";
import type { Deps } from "../../src/ports/deps.ts";
import type { Venue } from "../../src/ports/venue.ts";
import type { McpSettings } from "../../src/transport/mcp/plans.ts";
import { appOver } from "./app.ts";
import { type TestSandbox, testSandbox } from "./sandbox.ts";
import { startOf } from "./starts.ts";

export interface GridOut {
  readonly id: string;
  readonly status: "idle" | "running" | "stopped" | "error";
  readonly phase: string;
  readonly gridLevels: number;
  readonly openOrders: number;
  readonly filledOrders: number;
  readonly otherChanges: Readonly<Record<string, string>>;
  readonly refused: readonly { readonly slot: number; readonly reason: string }[];
  readonly lastError: string | null;
}

export interface Answer<T> {
  readonly status: number;
  readonly body: T;
}

/** The app over real libSQL and the sandbox, with a clock moved by hand and a venue that can be cut off or held up. */
export async function drivenApp(
  options: TestSandbox & { readonly frozen?: boolean; readonly mcp?: McpSettings } = {},
) {
  const box = await testSandbox(options);
  const { time, context } = box;
  const switches = new Switches();
  const venues = new Map<Venue, Venue>();
  const behind = (venue: Venue): Venue => {
    const known = venues.get(venue) ?? switches.over(venue);
    venues.set(venue, known);
    return known;
  };
  const deps: Deps = {
    ...box.deps,
    venue: (exchange) => behind(box.deps.venue(exchange)),
    venueOf: (account) => {
      const venue = box.deps.venueOf(account);
      return venue && behind(venue);
    },
    local: options.frozen ? { ...box.deps.local, sleep: () => new Promise(setImmediate) } : box.deps.local,
  };
  const target = await appOver(deps, options.mcp);
  const call = async <T = Record<string, never>>(
    method: string,
    path: string,
    body?: object,
  ): Promise<Answer<T>> => {
    const response = await target.ask(`/api/v1${path}`, {
      method,
      headers: { authorization: `Bearer ${target.tokens.admin}`, "content-type": "application/json" },
      ...(body ? { body: JSON.stringify(body) } : {}),
    });
    return { status: response.status, body: (await response.json()) as T };
  };
  const books = sandboxBooks(context);
  return {
    ...box,
    ...target,
    deps,
    switches,
    call,
    start: async (grid: object) => (await call<GridOut>("POST", "/strategy/grid", grid)).body,
    startCentered: async (grid: object) => (await call<GridOut>("POST", ...startOf("centered", grid))).body,
    stop: (id: string, cancelOrders = true) =>
      call<{ message: string; summary: { openOrders?: readonly { id: string }[] } }>(
        "DELETE",
        "/strategy/grid",
        { id, cancelOrders },
      ),
    grids: async () =>
      (await call<{ strategies: GridOut[] }>("GET", "/strategy/grid/status")).body.strategies,
    grid: async (id: string) =>
      (await call<{ strategies: [GridOut] }>("GET", `/strategy/grid/status?id=${id}`)).body.strategies[0],
    onlyGrid: async () => {
      const { body } = await call<{ strategies: GridOut[] }>("GET", "/strategy/grid/status");
      if (body.strategies.length !== 1) throw new Error(`there are ${body.strategies.length} grids`);
      return (body.strategies[0] as GridOut).id;
    },
    /** Lets time pass, then steps. */
    tick: async (millis = 1000) => {
      time.pass(millis);
      return (await call<{ accounts: { outcome: string }[] }>("POST", "/internal/tick", {})).body.accounts;
    },
    /** Multiplies the price from now on. */
    move: (factor: number) => shock(context, { symbol: "BTC/USDT", factor, at: time.now() }),
    deposit: (asset: string, amount: bigint, exchange = "kraken") =>
      deposit(books, { exchange, asset, amount }),
    /** What really rests, asked past every switch. */
    resting: async (exchange = "kraken") => box.venue(exchange).openOrders(),
  };
}

export type Driven = Awaited<ReturnType<typeof drivenApp>>;

/** The venue's line: cut, it answers nothing; held, a create waits before it asks whether it may leave. */
class Switches {
  isCut = false;
  /** The best bid and ask are those of a book that is 6 % wide. */
  isWide = false;
  /** The best bid is half of the price, or the best ask twice the price: the rest of that side is gone. */
  lacks: "bids" | "asks" | null = null;
  /** A pair of which the exchange refuses to return anything. */
  refused: string | null = null;
  /** Creates do not leave. */
  isLate = false;
  /** Only the order book cannot be read. */
  isBookCut = false;
  /** Nobody tells the past of a price. */
  isCandlesCut = false;
  /** Waited for before each call, where something decides in which order calls of several requests are made. */
  turn: () => Promise<void> = async () => undefined;
  private hold: Promise<void> | undefined;
  private open: () => void = () => undefined;
  private reached: () => void = () => undefined;

  /** Resolves when a create is waiting. */
  holdCreates(): Promise<void> {
    this.hold = new Promise((resolve) => {
      this.open = resolve;
    });
    return new Promise((resolve) => {
      this.reached = resolve;
    });
  }

  letGo(): void {
    this.hold = undefined;
    this.open();
  }

  over(venue: Venue): Venue {
    const read = <A extends unknown[], T>(call: (...args: A) => Promise<T>) => {
      return async (...args: A): Promise<T> => {
        await this.turn();
        if (this.isCut) throw new VenueError("unavailable", "the line is cut");
        return call(...args);
      };
    };
    return {
      ...venue,
      candles: async (symbol, range) => {
        if (this.isCandlesCut) throw new VenueError("unavailable", "the line is cut");
        return venue.candles(symbol, range);
      },
      book: async (symbol, limit) => {
        if (this.isBookCut) throw new VenueError("unavailable", "the book is cut");
        return venue.book(symbol, limit);
      },
      ticker: read(async (symbol) => {
        const ticker = await venue.ticker(symbol);
        if (this.lacks === "bids") return { ...ticker, bid: ticker.bid / 2n };
        if (this.lacks === "asks") return { ...ticker, ask: ticker.ask * 2n };
        return this.isWide
          ? { ...ticker, bid: (ticker.bid * 97n) / 100n, ask: (ticker.ask * 103n) / 100n }
          : ticker;
      }),
      balances: read(venue.balances),
      openOrders: read(async (symbol) => {
        if (symbol === this.refused) throw new VenueError("refused", `${symbol} is delisted`);
        return venue.openOrders(symbol);
      }),
      order: read(venue.order),
      fills: read(venue.fills),
      fillsOf: read(venue.fillsOf),
      create: async (order, permit) => {
        if (this.isLate) return { result: "not_sent" };
        if (this.hold) this.reached();
        await this.hold;
        await this.turn();
        return this.isCut ? { result: "unknown", reason: "the line is cut" } : venue.create(order, permit);
      },
      cancel: async (order, permit) => {
        await this.turn();
        return this.isCut ? { result: "unknown", reason: "the line is cut" } : venue.cancel(order, permit);
      },
    };
  }
}
