import { describe, expect, it, onTestFinished } from "vitest";
import { digest } from "../../src/kernel/digest.ts";
import { testApp } from "../support/app.ts";
import { BY } from "../support/by.ts";

type Tested = Awaited<ReturnType<typeof testApp>>;
type Scope = keyof Tested["tokens"];

interface Message {
  readonly id?: string;
  readonly event?: string;
  readonly data?: string;
}

/** Follows the stream; answers its messages one by one. */
async function follow({ app, tokens }: Tested, scope: Scope, headers: Record<string, string> = {}) {
  const response = await app.request("http://localhost/api/v1/events", {
    headers: {
      host: "localhost",
      accept: "text/event-stream",
      authorization: `Bearer ${tokens[scope]}`,
      ...headers,
    },
  });
  const reader = (response.body as ReadableStream<Uint8Array>).getReader();
  onTestFinished(() => reader.cancel());
  const decoder = new TextDecoder();
  let rest = "";
  const next = async (): Promise<Message | undefined> => {
    for (;;) {
      const end = rest.indexOf("\n\n");
      if (end >= 0) {
        const lines = rest.slice(0, end).split("\n");
        rest = rest.slice(end + 2);
        return Object.fromEntries(lines.map((line) => line.split(/: ?(.*)/s).slice(0, 2)));
      }
      const { done, value } = await reader.read();
      if (done) return undefined;
      rest += decoder.decode(value, { stream: true });
    }
  };
  return { response, next, cancel: () => reader.cancel() };
}

/** The next message of a kind, by what it holds. */
async function nextEvent(next: () => Promise<Message | undefined>) {
  for (;;) {
    const message = await next();
    if (!message) return undefined;
    if (message.event === "event")
      return { id: message.id, ...(JSON.parse(message.data ?? "") as { kind: string; message: string }) };
  }
}

/** Reads until the stream ends, and returns the last event's message. */
async function lastMessage(next: () => Promise<Message | undefined>): Promise<string | undefined> {
  for (let last: string | undefined; ; ) {
    const event = await nextEvent(next);
    if (!event) return last;
    last = event.message;
  }
}

const note = ({ store }: Tested, message: string, kind: "kill" | "token" = "kill") =>
  store.note({ account: "", strategy: null, kind, message }, BY);

describe("GET /events", () => {
  it("streams events from now on, and requires a token", async () => {
    const tested = await testApp();
    await note(tested, "before");
    const { response, next } = await follow(tested, "admin");
    expect(response.headers.get("content-type")).toMatch(/^text\/event-stream/);
    expect((await next())?.event).toBe("pass");
    await note(tested, "after");
    expect(await nextEvent(next)).toMatchObject({ kind: "kill", message: "after" });
    expect((await tested.ask("/api/v1/events")).status).toBe(401);
  });

  it("continues after the event that Last-Event-ID names", async () => {
    const tested = await testApp();
    await note(tested, "one");
    await note(tested, "two");
    await note(tested, "three");
    const first = await follow(tested, "admin", { "last-event-id": "0" });
    const observed = [];
    for (let event = await nextEvent(first.next); event; event = await nextEvent(first.next)) {
      observed.push(event);
      if (event.message === "one") break;
    }
    const again = await follow(tested, "admin", { "last-event-id": String(observed.at(-1)?.id) });
    expect((await nextEvent(again.next))?.message).toBe("two");
    expect((await nextEvent(again.next))?.message).toBe("three");
  });

  it("sends an event once that is written between two reads of the log", async () => {
    let written = false;
    const tested = await testApp({
      connect: (deps) => ({
        ...deps,
        store: {
          ...deps.store,
          async eventsAfter(id, limit) {
            if (!written)
              await deps.store.note({ account: "", strategy: null, kind: "kill", message: "between" }, BY);
            written = true;
            return deps.store.eventsAfter(id, limit);
          },
        },
      }),
    });
    await note(tested, "before");
    const { next } = await follow(tested, "read", { "last-event-id": "0" });
    const messages = [(await nextEvent(next))?.message, (await nextEvent(next))?.message];
    await note(tested, "after");
    messages.push((await nextEvent(next))?.message);
    expect(messages).toEqual(["before", "between", "after"]);
  });

  it("hides events about tokens and people from read-only tokens", async () => {
    const tested = await testApp();
    const { next } = await follow(tested, "read");
    await next();
    await note(tested, "a token was made", "token");
    await note(tested, "the switch was turned");
    expect((await nextEvent(next))?.message).toBe("the switch was turned");
  });

  it("answers a poll with 304 until there is a new event", async () => {
    const tested = await testApp();
    const authorization = `Bearer ${tested.tokens.admin}`;
    const poll = (after: number, etag = "") =>
      tested.ask(`/api/v1/events?after=${after}`, { headers: { authorization, "if-none-match": etag } });
    await note(tested, "one");
    const first = await poll(0);
    const { events, last } = (await first.json()) as { events: { message: string }[]; last: number };
    expect(events.at(-1)?.message).toBe("one");
    const etag = (await poll(last)).headers.get("etag") ?? "";
    expect((await poll(last, etag)).status).toBe(304);
    await note(tested, "two");
    // Those who ask within half a second are told the same.
    await expect.poll(async () => (await poll(last, etag)).status, { timeout: 240_000 }).toBe(200);
    expect(await (await poll(last)).json()).toMatchObject({ events: [{ message: "two" }] });
  });

  it("refuses an unknown field of the query, as a stream or a poll", async () => {
    const tested = await testApp();
    const authorization = `Bearer ${tested.tokens.read}`;
    for (const accept of ["application/json", "text/event-stream"])
      expect(
        await (await tested.ask("/api/v1/events?aftre=1", { headers: { authorization, accept } })).json(),
      ).toMatchObject({
        error: "Invalid request",
        message: expect.stringMatching(/unknown field in the query: aftre.*after/),
      });
  });

  it("opens no stream for HEAD, however often it is requested", async () => {
    const { app, tokens } = await testApp();
    const own = { host: "localhost", accept: "text/event-stream" };
    const headers = { ...own, authorization: `Bearer ${tokens.read}` };
    const ask = (method: string) => app.request("http://localhost/api/v1/events", { method, headers });
    for (let i = 0; i < 30; i++) expect((await ask("HEAD")).status).toBe(200);
    const stream = await ask("GET");
    expect(stream.status).toBe(200);
    await stream.body?.cancel();
  });

  it("opens 200 streams of all tokens together, refuses others, and answers everything else", async () => {
    const tested = await testApp();
    const tokens = Array.from({ length: 11 }, (_, index) => `em_stream_${index}`);
    for (const [index, token] of tokens.entries())
      await tested.store.addToken(
        { id: `tok_s${index}`, name: "s", scope: "read", expiresAt: null, hash: await digest(token) },
        BY,
      );
    const ask = (token: string, accept = "text/event-stream") =>
      tested.app.request("http://localhost/api/v1/events", {
        headers: { host: "localhost", accept, authorization: `Bearer ${token}` },
      });
    const streams: Response[] = [];
    onTestFinished(async () => void (await Promise.all(streams.map((one) => one.body?.cancel()))));
    for (const token of tokens.slice(0, 10))
      for (let count = 0; count < 20; count++) streams.push(await ask(token));
    expect(streams.map(({ status }) => status)).toEqual(Array(200).fill(200));
    const last = tokens[10] ?? "";
    const refused = await ask(last);
    expect([refused.status, refused.headers.get("retry-after")]).toEqual([429, "10"]);
    expect(await refused.json()).toMatchObject({
      message:
        "this server has 200 open event streams; close one of them, or read the events without a stream: GET /events?after=ID",
    });
    expect((await ask(last, "application/json")).status).toBe(200);
    await streams.pop()?.body?.cancel();
    await expect
      .poll(async () => streams.push(await ask(last)) && streams.at(-1)?.status, { timeout: 60_000 })
      .toBe(200);
  });

  it("ends a stream at the next heartbeat after its token is revoked", async () => {
    const tested = await testApp();
    const revoked = await follow(tested, "read");
    const other = await follow(tested, "trade");
    for (const { next } of [revoked, other]) expect((await next())?.event).toBe("pass");
    await tested.store.revokeToken("tok_read", BY);
    await note(tested, "first event after it");
    expect(await lastMessage(revoked.next)).not.toBe("first event after it");
    expect((await nextEvent(other.next))?.message).toBe("first event after it");
  });

  it("ends a stream when its token expires", async () => {
    const tested = await testApp();
    const token = "em_expires_soon";
    const expiresAt = (await tested.store.now()) + 1500;
    const stored = {
      id: "tok_soon",
      name: "soon",
      scope: "read",
      expiresAt,
      hash: await digest(token),
    } as const;
    await tested.store.addToken(stored, BY);
    const { next } = await follow(tested, "read", { authorization: `Bearer ${token}` });
    expect((await next())?.event).toBe("pass");
    expect(await lastMessage(next)).toBeUndefined();
  });

  it("refuses more than twenty streams per token, until one of them ends", async () => {
    const tested = await testApp();
    const streams = await Promise.all(Array.from({ length: 20 }, () => follow(tested, "read")));
    for (const { response } of streams) expect(response.status).toBe(200);
    const refused = await follow(tested, "read");
    expect(refused.response.status).toBe(429);
    expect(refused.response.headers.get("retry-after")).toBe("10");
    expect((await follow(tested, "trade")).response.status).toBe(200);
    await streams[0]?.cancel();
    await expect
      .poll(async () => (await follow(tested, "read")).response.status, { timeout: 240_000 })
      .toBe(200);
  });

  it("sends no request to the exchanges, however many clients follow", async () => {
    let calls = 0;
    const counted = (call: () => unknown) => {
      calls++;
      return call();
    };
    const tested = await testApp({
      connect: (deps) => ({
        ...deps,
        venue: (...requests) => counted(() => deps.venue(...requests)) as ReturnType<typeof deps.venue>,
        venueOf: (account) => counted(() => deps.venueOf(account)) as ReturnType<typeof deps.venueOf>,
      }),
    });
    const scopes = ["read", "trade", "admin"] as const;
    const many = await Promise.all(
      scopes.flatMap((scope) => Array.from({ length: 20 }, () => follow(tested, scope))),
    );
    await note(tested, "all of them hear it");
    const heard = await Promise.all(many.map(({ next }) => nextEvent(next)));
    expect(heard.map((event) => event?.message)).toEqual(many.map(() => "all of them hear it"));
    expect(calls).toBe(0);
  });
});
