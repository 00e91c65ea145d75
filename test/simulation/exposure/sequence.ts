/** A random sequence of actions by a limited caller, and what each of them has traded an hour of market time later. */
import { sandboxBooks, shock } from "../../../src/adapters/libsql/sandbox-books.ts";
import { deposit } from "../../../src/adapters/sandbox/venue.ts";
import { type Decimal, decimal, fromNumber, text, wire, ZERO } from "../../../src/kernel/decimal.ts";
import { digest } from "../../../src/kernel/digest.ts";
import type { Pair } from "../../../src/kernel/pair.ts";
import { midOf } from "../../../src/kernel/spread.ts";
import { HOUR, MINUTE, type Millis } from "../../../src/kernel/time.ts";
import { httpCaller, mcpCaller } from "../../pentest/overspend.ts";
import { BY } from "../../support/by.ts";
import { EXCHANGES } from "../../support/sandbox.ts";
import type { Random } from "../random.ts";
import {
  type Drawn,
  drawAction,
  drawCentered,
  drawGrid,
  drawQuotes,
  type Market,
  type Targets,
} from "./draw.ts";
import { ADMIN, type Cluster, Crashed, type Server } from "./servers.ts";
import { type Traded, type TradedFill, tradedIn } from "./traded.ts";

const SYMBOLS: readonly Pair[] = ["BTC/USDT", "ETH/USDT", "ADA/USDT"];

/** Actions that the caller sends at the same time. */
interface Action {
  readonly tools: readonly Drawn[];
  readonly outcomes: readonly string[];
  readonly counted: Decimal;
  readonly traded: readonly Traded[];
}

export interface SequenceResult {
  readonly actions: readonly Action[];
  /** Actions that have traded more than was counted. */
  readonly beyond: readonly string[];
  readonly crashes: number;
}

/** The strategy or the order that an action changes, and the first fill that counts as the action's. */
interface Window {
  readonly action: number;
  /** A strategy, or a manual order. */
  readonly subject: string;
  readonly from: number;
  readonly mid: Decimal;
  readonly earlier: ReadonlySet<string>;
}

/** What people want a strategy to do. */
interface Wish {
  readonly wants: string;
  readonly sells: boolean;
  readonly text: string;
  /** It sells its base already. */
  readonly isLeaving: boolean;
}

interface StoredFill extends TradedFill {
  readonly row: number;
  readonly clientId: string;
  readonly subject: string;
}

export async function runSequence(cluster: Cluster, random: Random): Promise<SequenceResult> {
  const market = { exchange: random.pick(EXCHANGES), symbol: random.pick(SYMBOLS) };
  const run = new Run(cluster, random, market);
  await run.setUp();
  const count = random.whole(1, 6);
  for (let at = 0; at < count; at++) {
    await run.act(at);
    await run.wait(random.whole(0, 10) * MINUTE);
  }
  await run.wait(HOUR);
  const result = await run.result();
  await run.cleanUp();
  return result;
}

class Run {
  private readonly cluster: Cluster;
  private readonly random: Random;
  private readonly pair: { readonly exchange: string; readonly symbol: Pair };
  private readonly token: string;
  private readonly actor: string;
  private readonly surface: "HTTP" | "MCP";
  private readonly windows: Window[] = [];
  private readonly actions: { tools: Drawn[]; outcomes: string[]; counted: Decimal }[] = [];
  private crashes = 0;

  constructor(cluster: Cluster, random: Random, pair: Run["pair"]) {
    this.cluster = cluster;
    this.random = random;
    this.pair = pair;
    this.actor = `tok_${random.text(10)}`;
    this.token = `em_${random.text(40)}`;
    this.surface = random.pick(["HTTP", "MCP"] as const);
  }

  /** Picks a server. A dead one is restarted first. */
  private async server(): Promise<Server> {
    const server = this.random.pick(this.cluster.servers);
    if (!server.isDead()) return server;
    this.crashes++;
    return this.cluster.restart(server);
  }

  /** Repeats a request of the owner until a server survives it. */
  private async owner(tool: string, input: object): Promise<void> {
    await this.untilAnswered((server) => httpCaller(server, ADMIN)(tool, input as never));
  }

  private async admin(method: string, path: string, body: object): Promise<void> {
    const headers = { authorization: `Bearer ${ADMIN}`, "content-type": "application/json" };
    await this.untilAnswered((server) =>
      server.ask(`/api/v1${path}`, { method, headers, body: JSON.stringify(body) }),
    );
  }

  private async untilAnswered(ask: (server: Server) => Promise<unknown>): Promise<void> {
    for (;;) {
      try {
        await ask(await this.server());
        return;
      } catch (error) {
        onlyCrashed(error);
      }
    }
  }

  private async market(): Promise<Market & { readonly exact: Decimal }> {
    const quote = await this.venue().ticker(this.pair.symbol);
    const exact = midOf(quote);
    return { ...this.pair, mid: wire(exact), exact };
  }

  private venue() {
    return this.cluster.box.venue(this.pair.exchange);
  }

  private async rows(sql: string, args: readonly (string | number)[] = []) {
    return (await this.cluster.box.context.client.execute({ sql, args: [...args] })).rows;
  }

  /** Creates the token, limits, balances, and strategies of the owner. */
  async setUp(): Promise<void> {
    const { random, cluster } = this;
    const hash = await digest(this.token);
    const token = { id: this.actor, name: this.actor, scope: "trade", expiresAt: null, hash } as const;
    await cluster.box.store.addToken(token, BY);
    await this.admin("PUT", "/limits", { scope: `token:${this.actor}`, dayNotional: "USDT=1000000000" });
    const stops = random.chance(0.3);
    const loss = stops ? `USDT=${random.whole(1, 200)}` : "off";
    await this.admin("PUT", "/limits", {
      onLoss: "stop",
      strategyLoss: loss,
      orderNotional: "USDT=1000000000",
    });
    await this.deposits();
    await this.wait(random.whole(0, 120) * MINUTE);
    for (let count = random.whole(0, 2); count > 0; count--) {
      const draw = random.pick([drawGrid, drawCentered, drawQuotes]);
      const { tool, input } = draw(random, await this.market());
      await this.owner(tool, { ...input, dryRun: false });
    }
    await this.wait(random.whole(0, 40) * MINUTE);
    const { grids, quotes } = await this.targets();
    if (random.chance(0.3)) for (const { id } of grids) await this.owner("pause_strategy", { id });
    if (random.chance(0.3)) for (const id of quotes) await this.owner("pause_strategy", { id });
    if (random.chance(0.1))
      for (const { id } of grids)
        await this.owner("edit_strategy", { id, config: { orderSize: random.whole(10, 3000) } });
  }

  private async deposits(): Promise<void> {
    const { random, cluster } = this;
    const books = sandboxBooks(cluster.box.context);
    const { exchange, symbol } = this.pair;
    const { mid } = await this.market();
    for (const [asset, unit] of [
      ["USDT", 1],
      [symbol.split("/")[0] as string, mid],
    ] as const) {
      const balances = await this.venue().balances();
      const { free = ZERO } = balances.find((balance) => balance.asset === asset) ?? {};
      const target = fromNumber(Number(((50_000 * random.share()) / unit).toFixed(6))) ?? ZERO;
      await deposit(books, { exchange, asset, amount: target - free });
    }
  }

  private async targets(): Promise<Targets> {
    const views = await this.cluster.box.store.strategies({ stopped: false });
    const mine = views
      .map(({ strategy }) => strategy)
      .filter(({ account, symbol }) => account.includes(this.pair.exchange) && symbol === this.pair.symbol);
    return {
      grids: mine
        .filter(({ kind }) => kind === "grid")
        .map(({ id, config }) => ({ id, isCentered: "centered" in config && config.centered !== undefined })),
      quotes: mine.filter(({ kind }) => kind === "quote").map(({ id }) => id),
      orders: (await this.venue().openOrders(this.pair.symbol)).map(({ id }) => id),
    };
  }

  /** Passes market time: the price moves, and servers tick, now and then two of them at once. */
  async wait(millis: Millis): Promise<void> {
    const { random, cluster } = this;
    for (let left = millis; left > 0; ) {
      const part = Math.min(left, random.whole(1, 12) * MINUTE);
      left -= part;
      cluster.time.pass(part);
      if (random.chance(0.25)) {
        const factor = random.chance(0.2) ? 0.93 + random.share() * 0.14 : 0.99 + random.share() * 0.02;
        await shock(cluster.box.context, { symbol: this.pair.symbol, factor, at: cluster.time.now() });
      }
      if (random.chance(0.03)) this.crashSoon();
      const tick = () => this.admin("POST", "/internal/tick", {});
      await Promise.all(random.chance(0.2) ? [tick(), tick()] : [tick()]);
    }
  }

  private crashSoon(): void {
    const server = this.random.pick(this.cluster.servers);
    server.dieAfter(this.random.whole(1, 25), this.random.chance(0.5));
  }

  private async counted(): Promise<Decimal> {
    const whose = this.surface === "MCP" ? `agent:${this.actor}` : `token:${this.actor}`;
    const rows = await this.rows("select cast(notional as text) from limit_uses where scope = ?", [whose]);
    return rows.reduce((sum, row) => sum + BigInt(String(row[0])) * 10n ** 10n, ZERO);
  }

  /** Sends one action, or two at once, each to a random server. */
  async act(action: number): Promise<void> {
    const { random } = this;
    const before = await this.boundary();
    const drawn = [drawAction(random, before.market, before.targets)];
    if (random.chance(0.2)) drawn.push(drawAction(random, before.market, before.targets));
    const tools = drawn.filter((action) => action !== undefined);
    if (random.chance(0.15)) this.crashSoon();
    const counted = await this.counted();
    const sent = tools.map(({ tool, input }) => this.send(tool, input));
    const outcomes = await Promise.all(sent);
    const after = await this.boundary();
    this.actions.push({ tools, outcomes, counted: (await this.counted()) - counted });
    const mid = after.market.exact < before.market.exact ? after.market.exact : before.market.exact;
    const window = { action, from: before.fill, mid, earlier: before.open };
    const fresh = [...after.strategies.keys()].filter((id) => !before.strategies.has(id));
    const changed = [...new Set(tools.map(({ input }) => String(input.id)))].filter((id) => {
      const [was, is] = [before.strategies.get(id), after.strategies.get(id)];
      return was && is && was.text !== is.text && !this.isOnlyLess(id, was, is);
    });
    const orders = tools.some(({ tool }) => tool === "create_order") ? [`by ${this.actor} ${action}`] : [];
    for (const subject of [...fresh, ...changed, ...orders]) this.windows.push({ ...window, subject });
    this.manualOrders.push({ action, from: before.manual, to: after.manual });
  }

  /** Whether it stops or pauses, without selling, what was counted before or sells its base already. */
  private isOnlyLess(id: string, was: Wish, is: Wish): boolean {
    const isLess = is.wants === "pause" || (is.wants === "stop" && !is.sells);
    return isLess && (was.isLeaving || this.windows.some(({ subject }) => subject === id));
  }

  private readonly manualOrders: { action: number; from: number; to: number }[] = [];

  private async send(tool: string, input: object): Promise<string> {
    try {
      const server = await this.server();
      const call = this.surface === "MCP" ? mcpCaller(server, this.token) : httpCaller(server, this.token);
      const { isDone, body } = await call(tool, input as never);
      return isDone ? "done" : `refused: ${String(body.error)}`;
    } catch (error) {
      onlyCrashed(error);
      return "crashed";
    }
  }

  /** Reads all that has happened until now, including fills by the price's last moves. */
  private async boundary() {
    await this.venue().openOrders();
    const [fill] = await this.rows("select coalesce(max(rowid), 0) from venue_fills");
    const [manual] = await this.rows("select coalesce(max(rowid), 0) from orders");
    const open = await this.rows(
      "select client_id from venue_orders where exchange = ? and status in ('open', 'partially_filled')",
      [this.pair.exchange],
    );
    const rows = await this.rows(
      "select id, wants, sell_base, edits, resumes, state -> 'exit' is not null and state -> 'exit' <> 'null' from strategies",
    );
    const strategies = rows.map((row): [string, Wish] => {
      const [wants, sells, exits] = [String(row[1]), Number(row[2]) === 1, Number(row[5]) === 1];
      const wish = { wants, sells, text: [wants, sells, row[3], row[4]].join() };
      return [String(row[0]), { ...wish, isLeaving: wants === "stop" || exits }];
    });
    return {
      market: await this.market(),
      targets: await this.targets(),
      fill: Number(fill?.[0]),
      manual: Number(manual?.[0]),
      open: new Set(open.map((row) => String(row[0]))),
      strategies: new Map(strategies),
    };
  }

  private async fills(): Promise<readonly (StoredFill & { readonly order: number })[]> {
    const rows = await this.rows(
      `select f.rowid, f.side, f.price, f.amount, v.client_id, o.strategy, o.kind, o.actor, o.rowid
       from venue_fills f
       join venue_orders v on v.exchange = f.exchange and v.id = f.order_id
       join orders o on o.client_id = v.client_id
       where f.exchange = ? order by f.rowid`,
      [this.pair.exchange],
    );
    return rows.map((row) => ({
      row: Number(row[0]),
      side: String(row[1]) as "buy" | "sell",
      price: decimal(String(row[2])),
      amount: decimal(String(row[3])),
      clientId: String(row[4]),
      subject: row[5] === null ? `by ${String(row[7])}` : String(row[5]),
      isExit: String(row[6]) === "exit",
      isEarlier: false,
      order: Number(row[8]),
    }));
  }

  async result(): Promise<SequenceResult> {
    await this.boundary();
    const fills = await this.fills();
    const byAction = this.actions.map((): Traded[] => []);
    for (const window of this.windows) byAction[window.action]?.push(this.tradedBy(window, fills));
    const actions = this.actions.map((action, index) => ({ ...action, traded: byAction[index] ?? [] }));
    const beyond = actions.flatMap((action, index) => {
      const total = action.traded.reduce((sum, { total }) => sum + total, ZERO);
      const failed = action.outcomes.filter((outcome) => outcome.endsWith("Internal error"));
      const described = `action ${index} (${this.surface}, ${this.pair.exchange}): ${JSON.stringify(action.tools)} ${action.outcomes.join()}`;
      return [
        ...(total > action.counted
          ? [
              `${described}: traded ${text(total)}, counted ${text(action.counted)}: ${action.traded.map(tradedText).join("; ")}`,
            ]
          : []),
        ...failed.map((outcome) => `${described}: ${outcome}`),
      ];
    });
    return { actions, beyond, crashes: this.crashes };
  }

  /** Sums up until the next action on the same subject. From then on, that action's exposure counts. */
  private tradedBy(window: Window, fills: Awaited<ReturnType<Run["fills"]>>): Traded {
    const { subject, from, mid, earlier, action } = window;
    const next = this.windows.find((later) => later.subject === subject && later.action > action);
    const manual = this.manualOrders.find((orders) => orders.action === action);
    const isManual = subject.startsWith("by ");
    const mine = fills.filter((fill) =>
      isManual
        ? fill.subject === `by ${this.actor}` && manual && fill.order > manual.from && fill.order <= manual.to
        : fill.subject === subject && fill.row > from && fill.row <= (next?.from ?? Number.POSITIVE_INFINITY),
    );
    return tradedIn(
      mine.map((fill) => ({ ...fill, isEarlier: earlier.has(fill.clientId) })),
      mid,
    );
  }

  /** Stops all that the sequence has started, so that it does not trade in the next sequence. */
  async cleanUp(): Promise<void> {
    const views = await this.cluster.box.store.strategies({ stopped: false });
    for (const { strategy } of views) {
      const tool = strategy.kind === "grid" ? "stop_strategy" : "stop_strategy";
      await this.owner(tool, { id: strategy.id });
    }
    for (let pass = 0; pass < 20; pass++) {
      if ((await this.cluster.box.store.strategies({ stopped: false })).length === 0) break;
      this.cluster.time.pass(MINUTE);
      await this.admin("POST", "/internal/tick", {});
    }
    await this.owner("cancel_all_orders", { exchange: this.pair.exchange });
  }
}

const tradedText = ({ sold, spent, resold }: Traded): string =>
  `sold ${text(sold)}, spent ${text(spent)}, resold ${text(resold)}`;

function onlyCrashed(error: unknown): void {
  if (!(error instanceof Crashed)) throw error;
}
