import { createHmac } from "node:crypto";
import { describe, expect, it } from "vitest";
import { HOUR } from "../../src/kernel/time.ts";
import { answering, type Requested } from "../support/live.ts";
import { bookFills, notifyBox, SIGNING_SECRET } from "../support/notify.ts";

interface Body {
  readonly id: string;
  readonly level: string;
  readonly title: string;
  readonly lines: readonly string[];
}
const bodyOf = ({ body }: Requested) => JSON.parse(body) as Body;
const ok = () => ({ body: "" });

describe("a channel", () => {
  it("receives each event since it was added, signed and once", async () => {
    const box = await notifyBox();
    const receiver = await answering(ok);
    await box.tell("error", "before it was added");
    await box.add("ops", `${receiver.url}/hook`);
    await box.round();
    expect(receiver.requests).toHaveLength(0);
    await box.tell("status", "running to error: the ledger and the account differ", "grid-kraken-BTC-USDT-1");
    await box.round(1);
    await box.round(60);
    await box.round(HOUR / 1000);
    expect(receiver.requests).toHaveLength(1);
    const [request] = receiver.requests as [Requested];
    expect(bodyOf(request)).toMatchObject({ channel: "ops", level: "alert" });
    expect(bodyOf(request).lines).toEqual([
      // Month before day, as in a report.
      expect.stringMatching(
        /^\d\d-\d\d \d\d:\d\d:\d\d alert: grid-kraken-BTC-USDT-1: running to error: the ledger and the account differ$/,
      ),
    ]);
    const { "webhook-id": id, "webhook-timestamp": at, "webhook-signature": signature } = request.headers;
    // As standardwebhooks.com has a receiver check it.
    const key = Buffer.from(SIGNING_SECRET.slice("whsec_".length), "base64");
    const expected = createHmac("sha256", key).update(`${id}.${at}.${request.body}`).digest("base64");
    expect(signature).toBe(`v1,${expected}`);
    expect(request.headers["idempotency-key"]).toBe(id);
  });

  it("receives a burst of fills added up in one message", async () => {
    const box = await notifyBox();
    const receiver = await answering(ok);
    await box.add("ops", receiver.url);
    await bookFills(box, 40);
    await box.round(1);
    expect(receiver.requests.map(bodyOf)).toMatchObject([{ title: "edgemaker: 40 fills", level: "info" }]);
    expect(bodyOf(receiver.requests[0] as Requested).lines).toEqual([
      expect.stringMatching(/sold 0.02 BTC for 1000 USDT in 20 fills$/),
      expect.stringMatching(/bought 0.02 BTC for 1000 USDT in 20 fills$/),
    ]);
  });

  it("receives ten thousand events of a minute in two messages, and misses none", async () => {
    const box = await notifyBox();
    const receiver = await answering(ok);
    await box.add("ops", receiver.url);
    for (let second = 0; second < 60; second += 2) {
      await bookFills(box, 334, second * 167);
      await box.round(2);
    }
    await box.round(600);
    expect(receiver.requests).toHaveLength(2);
    const counted = receiver.requests
      .map(bodyOf)
      .flatMap(({ lines }) => lines)
      .reduce((sum, line) => sum + Number(/in (\d+) fills/.exec(line)?.[1] ?? 0), 0);
    expect(counted).toBe(30 * 334);
  });

  it("receives information at most every ten minutes, or with the next alert", async () => {
    const box = await notifyBox();
    const receiver = await answering(ok);
    await box.add("ops", receiver.url);
    for (let minute = 0; minute < 35; minute++) {
      await bookFills(box, 2, minute * 2);
      await box.round(60);
    }
    expect(receiver.requests).toHaveLength(4);
    await box.tell("rejected", "insufficient balance", "grid-1");
    await box.round(10);
    expect(receiver.requests).toHaveLength(5);
    expect(bodyOf(receiver.requests[4] as Requested).lines.join("\n")).toMatch(/bought [\d.]+ BTC for/);
  });

  it("receives the start of a server as information", async () => {
    const box = await notifyBox();
    const receiver = await answering(ok);
    await box.add("ops", receiver.url);
    await box.tell(
      "server",
      "created local_1, which has scope admin, for commands on the machine of the server",
    );
    await box.round(10);
    expect(receiver.requests.map(bodyOf)).toMatchObject([{ level: "info" }]);
  });

  it("repeats a message only after ten minutes, with its count", async () => {
    const box = await notifyBox();
    const receiver = await answering(ok);
    await box.add("ops", receiver.url);
    for (let minute = 0; minute < 12; minute++) {
      await box.tell("rejected", `em0123456789abcde${minute % 10}: insufficient balance`, "grid-1");
      await box.round(60);
    }
    expect(receiver.requests).toHaveLength(2);
    expect(bodyOf(receiver.requests[1] as Requested).lines).toEqual([expect.stringContaining("(10 times)")]);
  });

  it("receives nothing below its level, and in quiet hours only alerts, with queued fills", async () => {
    const box = await notifyBox();
    const [loud, night] = [await answering(ok), await answering(ok)];
    await box.add("loud", loud.url, { level: "warning" });
    // The clock begins at midnight of UTC.
    await box.add("night", night.url, { quiet: "22:00-07:00" });
    await bookFills(box, 2);
    await box.round(20);
    expect([loud.requests.length, night.requests.length]).toEqual([0, 0]);
    await box.tell("kill", "on");
    await box.round(20);
    expect([loud.requests.length, night.requests.length]).toEqual([1, 1]);
    expect(bodyOf(night.requests[0] as Requested).lines).toHaveLength(3);
    await bookFills(box, 1, 2);
    await box.round(20);
    expect(night.requests).toHaveLength(1);
    await box.round(7 * 3600);
    expect(night.requests).toHaveLength(2);
  });
});

describe("an unavailable receiver", () => {
  it("is retried with backoff, delays no other, and receives everything once it answers", async () => {
    const box = await notifyBox();
    let isUp = false;
    const dead = await answering(() => ({ status: isUp ? 204 : 503, body: isUp ? "" : "down for a while" }));
    const well = await answering(ok);
    await box.add("dead", dead.url);
    await box.add("well", well.url);
    await box.tell("error", "one");
    await box.round(1);
    expect([dead.requests.length, well.requests.length]).toEqual([1, 1]);
    expect((await box.channel("dead")).channel.error).toBe("it returned status 503: down for a while");
    await box.tell("error", "two");
    for (let second = 0; second < 300; second += 10) await box.round(10);
    // After 10, 20, 40, 80 and 160 seconds.
    expect(dead.requests.length).toBeGreaterThanOrEqual(5);
    expect(dead.requests.length).toBeLessThanOrEqual(6);
    expect(new Set(dead.requests.map(({ headers }) => headers["idempotency-key"])).size).toBe(1);
    expect(well.requests).toHaveLength(2);
    isUp = true;
    await box.round(400);
    await box.round(20);
    const texts = dead.requests.slice(-2).map((one) => bodyOf(one).title);
    expect(texts).toEqual(["edgemaker alert: error, one", "edgemaker alert: error, two"]);
    expect(await box.channel("dead")).toMatchObject({ pending: 0, channel: { error: null, failures: 0 } });
  });

  it("is abandoned after twelve tries, and retried on a person's request", async () => {
    const box = await notifyBox();
    let isUp = false;
    const dead = await answering(() => ({ status: isUp ? 200 : 500, body: "" }));
    await box.add("ops", dead.url);
    await box.tell("error", "lost for now");
    for (let tries = 0; tries < 15; tries++) await box.round(3601);
    expect(dead.requests).toHaveLength(12);
    expect(await box.channel("ops")).toMatchObject({ pending: 0, dead: 1 });
    isUp = true;
    expect(await box.store.replay("ops")).toBe(1);
    await box.round(1);
    expect(bodyOf(dead.requests[12] as Requested).title).toBe("edgemaker alert: error, lost for now");
    expect(await box.channel("ops")).toMatchObject({ pending: 0, dead: 0 });
  });

  it("is retried after the delay that it names", async () => {
    const box = await notifyBox();
    const busy = await answering(({ headers }) =>
      busy.requests.length === 1
        ? { status: 429, body: "", headers: { "retry-after": "120" } }
        : { body: String(headers.host) },
    );
    await box.add("ops", busy.url);
    await box.tell("error", "one");
    await box.round(1);
    await box.round(119);
    expect(busy.requests).toHaveLength(1);
    await box.round(2);
    expect(busy.requests).toHaveLength(2);
  });
});

describe("two processes on one database", () => {
  it("send each message once, whichever process it is", async () => {
    const box = await notifyBox();
    const receiver = await answering(
      () => new Promise((resolve) => setTimeout(() => resolve({ body: "" }), 20)),
    );
    await box.add("ops", receiver.url);
    for (let place = 0; place < 10; place++) {
      await box.tell("error", `number ${String.fromCharCode(97 + place)}`);
      await Promise.all([box.round(11), box.round(), box.round(), box.round()]);
    }
    expect(receiver.requests).toHaveLength(10);
  });

  it("resend the same message with the same key after one is killed after sending", async () => {
    const box = await notifyBox();
    const receiver = await answering(ok);
    await box.add("ops", receiver.url);
    await box.tell("error", "sent and not recorded");
    const killed = { ...box.deps.notify.store, settle: () => new Promise<never>(() => undefined) };
    const { deliver } = await import("../../src/notify/operations/deliver.ts");
    void deliver({ ...box.deps, notify: { ...box.deps.notify, store: killed } });
    await expect.poll(() => receiver.requests.length).toBe(1);
    await box.round(5);
    expect(receiver.requests).toHaveLength(1);
    await box.round(31);
    await box.round(60);
    expect(receiver.requests).toHaveLength(2);
    const [first, second] = receiver.requests as [Requested, Requested];
    expect(second.body).toBe(first.body);
    expect(second.headers["idempotency-key"]).toBe(first.headers["idempotency-key"]);
  });

  it("lose nothing after one is killed before it stores a message", async () => {
    const box = await notifyBox();
    const receiver = await answering(ok);
    await box.add("ops", receiver.url);
    await box.tell("error", "taken in and not kept");
    const killed = { ...box.deps.notify.store, keep: () => new Promise<never>(() => undefined) };
    const { deliver } = await import("../../src/notify/operations/deliver.ts");
    void deliver({ ...box.deps, notify: { ...box.deps.notify, store: killed } });
    await expect.poll(async () => (await box.store.outlook()).channels[0]?.claimedUntil).toBeGreaterThan(0);
    await box.round(31);
    expect(receiver.requests).toHaveLength(1);
  });
});

describe("the message format of each channel kind", () => {
  it.each([
    [
      "telegram",
      (url: string) => ({ "bot token": "123:abcdef", "chat id": "42", server: url }),
      "/bot123:abcdef/sendMessage",
      { chat_id: "42", disable_notification: false },
    ],
    ["discord", (url: string) => ({ url: `${url}/api/webhooks/1/x` }), "/api/webhooks/1/x", {}],
    [
      "ntfy",
      (url: string) => ({ url: `${url}/my-topic`, "access token": "tk_1234567" }),
      "/",
      { topic: "my-topic", priority: 5 },
    ],
  ] as const)("%s", async (kind, secretsOf, path, body) => {
    const box = await notifyBox();
    const receiver = await answering(ok);
    await box.add("one", receiver.url, { kind, secrets: secretsOf(receiver.url) });
    await box.tell("error", "what happened");
    await box.round(1);
    const [request] = receiver.requests as [Requested];
    expect(request).toMatchObject({ method: "POST", path });
    expect(JSON.parse(request.body)).toMatchObject(body);
    expect(request.body).toContain("what happened");
    if (kind === "ntfy") expect(request.headers.authorization).toBe("Bearer tk_1234567");
  });
});

describe("a telegram channel whose group became a supergroup", () => {
  const description = "Bad Request: group chat was upgraded to a supergroup chat";
  const chatOf = ({ body }: Requested) => (JSON.parse(body) as { chat_id: string }).chat_id;
  /** Answers messages to a chat that has moved as the Bot API does. */
  async function telegram(moves: Readonly<Record<string, number>>) {
    const box = await notifyBox();
    const receiver = await answering((request) => {
      const chat = moves[chatOf(request)];
      const answer = { ok: false, error_code: 400, description, parameters: { migrate_to_chat_id: chat } };
      return chat === undefined ? ok() : { status: 400, body: JSON.stringify(answer) };
    });
    const secrets = { "bot token": "123:abcdef", "chat id": "-42", server: receiver.url };
    await box.add("one", receiver.url, { kind: "telegram", secrets });
    const send = async (text: string) => {
      await box.tell("error", text);
      await box.round(60);
      return receiver.requests.splice(0).map((request) => [chatOf(request), request.body.includes(text)]);
    };
    return { ...box, send };
  }

  it("receives the message once in the new chat, and later ones there at once", async () => {
    const { send, channel } = await telegram({ "-42": -1001234567890 });
    expect(await send("first")).toEqual([
      ["-42", true],
      ["-1001234567890", true],
    ]);
    expect(await send("second")).toEqual([["-1001234567890", true]]);
    expect(await channel("one")).toMatchObject({ pending: 0, channel: { error: null, failures: 0 } });
  });

  it("follows one move in an attempt", async () => {
    const { send, channel } = await telegram({ "-42": -43, "-43": -42 });
    expect(await send("first")).toHaveLength(2);
    expect((await channel("one")).pending).toBe(1);
  });
});

it("a channel's error hides a secret that a receiver repeats", async () => {
  const box = await notifyBox();
  const receiver = await answering(({ path }) => ({ status: 400, body: `no such path: ${path}` }));
  await box.add("one", receiver.url, {
    kind: "telegram",
    secrets: { "bot token": "123:abcdef", "chat id": "42", server: receiver.url },
  });
  await box.tell("error", "what happened");
  await box.round(1);
  expect((await box.channel("one")).channel.error).toBe(
    "it returned status 400: no such path: /bot…/sendMessage",
  );
});

it.each([
  ["percent-encoded", (path: string) => encodeURIComponent(decodeURI(path.slice(4, 14)))],
  ["in base64", (path: string) => btoa(path.slice(4, 14))],
  ["in capitals", (path: string) => path.slice(4, 14).toUpperCase()],
  ["in hexadecimal", (path: string) => Buffer.from(path.slice(4, 14)).toString("hex")],
  ["backwards", (path: string) => [...path.slice(4, 14)].reverse().join("")],
  ["without its end", (path: string) => path.slice(4, 12)],
])("a channel's error hides a repeated secret %s", async (_how, repeated) => {
  const box = await notifyBox();
  const receiver = await answering(({ path }) => ({ status: 400, body: `no bot ${repeated(path)}` }));
  await box.add("one", receiver.url, {
    kind: "telegram",
    secrets: { "bot token": "123:abcdef", "chat id": "42", server: receiver.url },
  });
  await box.tell("error", "what happened");
  await box.round(1);
  expect((await box.channel("one")).channel.error).toMatch(/^it returned status 400: no bot …=*$/);
});

it("the report of each day is sent once, whichever process comes first", async () => {
  const box = await notifyBox();
  const receiver = await answering(ok);
  await box.add("ops", receiver.url, { isDaily: true });
  for (let day = 0; day < 3; day++) {
    await Promise.all([box.round(24 * 3600), box.round(), box.round()]);
    await box.round(3600);
  }
  expect(receiver.requests.map((one) => bodyOf(one).title)).toEqual([
    "edgemaker report of 2026-01-01",
    "edgemaker report of 2026-01-02",
    "edgemaker report of 2026-01-03",
  ]);
});

it("the daily report is sent on, after a clock that was a month ahead", async () => {
  const box = await notifyBox();
  const receiver = await answering(ok);
  await box.add("ops", receiver.url, { isDaily: true });
  await box.round(24 * 3600 + 600);
  await box.context.client.execute("update channels set reported_day = reported_day + 30");
  await box.round(24 * 3600);
  await box.round(3600);
  expect(receiver.requests.map((one) => bodyOf(one).title)).toEqual([
    "edgemaker report of 2026-01-01",
    "edgemaker report of 2026-01-02",
  ]);
});
