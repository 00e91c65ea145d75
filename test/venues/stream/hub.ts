/**
 * The WebSocket side of an emulated exchange, over the same engine, and as unkind as the real ones:
 *
 *   stream.sessions()      open connections; stream.opened() counts all that there have been
 *   stream.drop(code?)     the exchange ends all connections; without a code the TCP connection breaks (maintenance, 1006)
 *   stream.refuse(times)   handshakes get 503
 *   stream.silent          silent death: TCP stays open, nothing arrives and nothing is read (ccxt#20412, gatews#40)
 *   stream.mute            confirmations never come
 *   stream.lose(times)     private messages that never come: a gap in the sequence (ccxt#19152, hummingbot#8457)
 *   stream.doubled         each message comes twice
 *   stream.swapped         each pair of messages comes in the wrong order
 *   stream.delay           real milliseconds between an act and its message, long after the REST API shows it; with
 *                          late({ orders, trades }) the message comes before that
 *   stream.garble(times)   private messages that come broken
 *   stream.changes.message = (kind, message) => message   every message is sent as this returns it; kinds: reply, fill, order, price
 *   stream.flood(symbol, count)   so many price messages at once
 *
 * A consumer that does not read is closed when 1 MiB waits for it.
 */
import type { IncomingMessage, Server } from "node:http";
import type { Duplex } from "node:stream";
import { type WebSocket, WebSocketServer } from "ws";
import type { Pair } from "../../../src/kernel/pair.ts";
import type { Millis } from "../../../src/kernel/time.ts";
import type { Listing } from "../catalog.ts";
import type { Member } from "../dialect.ts";
import type { Change, Engine } from "../engine.ts";
import { figuresOf } from "../public.ts";
import { FILLS, type Message, priceTopic, type Session, type StreamDialect } from "./session.ts";

const CHECK_EVERY: Millis = 20;
const PING_EVERY: Millis = 10_000;
const MAX_BUFFERED_BYTES = 1 << 20;

interface Parts {
  readonly engine: Engine;
  readonly members: ReadonlyMap<string, Member>;
  readonly clock: () => Millis;
}

export type StreamHub = ReturnType<typeof serveStreams>;

export function serveStreams(server: Server, dialect: StreamDialect, { engine, members, clock }: Parts) {
  const sockets = new WebSocketServer({ noServer: true });
  const sessions = new Map<Session, WebSocket>();
  const held = new Map<Session, Message>();
  const faults = { silent: false, mute: false, doubled: false, swapped: false, delay: 0 as Millis };
  const changes: { message: ((kind: string, message: Message) => Message) | undefined } = {
    message: undefined,
  };
  const sentAs = (kind: string, message: Message): Message =>
    changes.message ? changes.message(kind, message) : message;
  const left = { refused: 0, lost: 0, garbled: 0 };
  let opened = 0;
  let pingedAt = 0;

  const askOf = (session: Session) => ({ session, engine, members, now: clock() });

  function write(session: Session, message: Message) {
    const socket = sessions.get(session);
    if (!socket || faults.silent) return;
    if (socket.bufferedAmount > MAX_BUFFERED_BYTES) return socket.terminate();
    session.sentAt = clock();
    socket.send(message);
  }

  /** Sends what the exchange pushes, as the faults have it. */
  function push(session: Session, message: Message) {
    const first = held.get(session);
    if (faults.swapped && first === undefined) {
      held.set(session, message);
      return;
    }
    held.delete(session);
    const messages = first === undefined ? [message] : [message, first];
    const send = () => {
      for (const one of faults.doubled ? messages.flatMap((each) => [each, each]) : messages)
        write(session, one);
    };
    if (faults.delay > 0) setTimeout(send, faults.delay);
    else send();
  }

  function pushPrivate(session: Session, message: Message) {
    if (left.lost > 0) {
      left.lost--;
      return;
    }
    if (left.garbled > 0) {
      left.garbled--;
      return write(
        session,
        typeof message === "string" ? message.slice(0, message.length / 2) : message.slice(1, 9),
      );
    }
    push(session, message);
  }

  function priceMessage(session: Session, listing: Listing): Message {
    const { bid, ask, last } = figuresOf(engine, listing, clock());
    return dialect.price(askOf(session), { listing, bid, ask, last });
  }

  function changed(change: Change) {
    for (const session of sessions.keys()) {
      if (change.kind === "price") {
        if (session.topics.has(priceTopic(change.listing)))
          push(session, sentAs("price", priceMessage(session, change.listing)));
        continue;
      }
      const order = change.kind === "trade" ? change.execution.order : change.order;
      if (!session.topics.has(FILLS) || session.member?.account !== order.account) continue;
      const message =
        change.kind === "trade"
          ? dialect.fill(askOf(session), change.execution)
          : dialect.order?.(askOf(session), order);
      if (message) pushPrivate(session, sentAs(change.kind === "trade" ? "fill" : "order", message));
    }
  }

  function open(socket: WebSocket, { url = "" }: IncomingMessage) {
    opened++;
    const { pathname, searchParams } = new URL(url, "http://localhost");
    const now = clock();
    const session: Session = {
      path: pathname,
      query: searchParams,
      openedAt: now,
      member: undefined,
      until: Number.POSITIVE_INFINITY,
      topics: new Set(),
      heardAt: now,
      sentAt: now,
      sequence: 0,
      send: (message) => {
        if (!faults.mute) write(session, sentAs("reply", message));
      },
      close: (code, reason) => socket.close(code, reason),
    };
    sessions.set(session, socket);
    const heard = () => {
      session.heardAt = clock();
    };
    socket.on("pong", heard);
    socket.on("message", (data) => {
      if (faults.silent) return;
      heard();
      const before = new Set(session.topics);
      dialect.received(askOf(session), String(data));
      for (const listing of engine.listings.values())
        if (session.topics.has(priceTopic(listing)) && !before.has(priceTopic(listing)))
          push(session, priceMessage(session, listing));
    });
    socket.on("error", () => undefined);
    socket.on("close", () => sessions.delete(session));
    dialect.opened?.(askOf(session));
  }

  function upgrade(request: IncomingMessage, socket: Duplex, head: Buffer) {
    const { pathname } = new URL(request.url ?? "/", "http://localhost");
    const status = left.refused > 0 ? "503 Service Unavailable" : "404 Not Found";
    if (left.refused > 0 || !dialect.paths.includes(pathname)) {
      left.refused = Math.max(0, left.refused - 1);
      socket.end(`HTTP/1.1 ${status}\r\nconnection: close\r\n\r\n`);
      return;
    }
    sockets.handleUpgrade(request, socket, head, (made) => open(made, request));
  }

  function check() {
    const now = clock();
    const isPing = now - pingedAt >= PING_EVERY;
    if (isPing) pingedAt = now;
    for (const [session, socket] of sessions) {
      const reason =
        now - session.openedAt >= dialect.lifetime ? "24 hours have passed" : dialect.check(askOf(session));
      if (reason !== undefined && !faults.silent) socket.close(1000, reason);
      else if (isPing && !faults.silent) socket.ping();
    }
  }

  const timer = setInterval(check, CHECK_EVERY).unref();
  engine.listeners.add(changed);
  server.on("upgrade", upgrade);

  return Object.assign(faults, {
    changes,
    sessions: (): readonly Session[] => [...sessions.keys()],
    opened: () => opened,
    drop(code?: number) {
      for (const socket of sessions.values()) code === undefined ? socket.terminate() : socket.close(code);
    },
    refuse: (times: number) => {
      left.refused = times;
    },
    lose: (times: number) => {
      left.lost = times;
    },
    garble: (times: number) => {
      left.garbled = times;
    },
    flood(symbol: Pair, count: number) {
      const listing = engine.listings.get(symbol);
      if (!listing) throw new Error(`${symbol} is not listed`);
      for (const session of sessions.keys()) {
        const message = priceMessage(session, listing);
        if (session.topics.has(priceTopic(listing)))
          for (let sent = 0; sent < count; sent++) write(session, message);
      }
    },
    close() {
      clearInterval(timer);
      engine.listeners.delete(changed);
      for (const socket of sessions.values()) socket.terminate();
      sockets.close();
    },
  });
}
