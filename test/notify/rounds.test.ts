import { describe, expect, it } from "vitest";
import { SECOND } from "../../src/kernel/time.ts";
import { NO_DIGEST } from "../../src/model/channel.ts";
import { type DeliveryDeps, deliver } from "../../src/notify/operations/deliver.ts";
import type { OutboundRequest } from "../../src/ports/outbound.ts";
import { bookFills, notifyBox } from "../support/notify.ts";

interface Body {
  readonly channel: string;
  readonly title: string;
  readonly lines: readonly string[];
}

/** Channels whose receiver is a function: `answer` is what it returns, `sent` what it got. */
async function recordedBox() {
  const box = await notifyBox();
  const sent: Body[] = [];
  const warned: object[] = [];
  const answer = { status: 200, text: "" };
  const post = async ({ body }: OutboundRequest) => {
    sent.push(JSON.parse(String(body)) as Body);
    return answer;
  };
  const log = (_level: string, _text: string, fields: object = {}) => void warned.push(fields);
  const deps = { ...box.deps, log, notify: { store: box.store, post } };
  const round = async (seconds = 0, over: Partial<DeliveryDeps> = {}) => {
    box.time.pass(seconds * SECOND);
    await deliver({ ...deps, ...over });
  };
  return { ...box, deps, sent, warned, answer, round };
}
const ADDRESS = "https://hooks.example.org/x";

describe("a channel", () => {
  it("is tried no sooner because more happens, and gets all of that in one message", async () => {
    const { add, tell, sent, answer, round } = await recordedBox();
    await add("ops", ADDRESS);
    answer.status = 503;
    await tell("error", "first");
    await round(1);
    // After 10, 20, 40 and 80 s: by 149 s four times more.
    for (const letter of "abcdefghijklmnopqrst") {
      await tell("error", `then ${letter}`);
      await round(7.4);
    }
    expect(sent.map(({ title }) => title)).toEqual(Array(4).fill("edgemaker alert: error, first"));
    answer.status = 200;
    await round(60);
    await round(60);
    expect(sent).toHaveLength(6);
    expect(sent[5]?.lines).toHaveLength(20);
  });

  it("gets more news than fits in one read in one message", async () => {
    const box = await recordedBox();
    await box.add("ops", ADDRESS);
    await bookFills(box, 1500);
    await box.round(1);
    expect(box.sent.map(({ title }) => title)).toEqual(["edgemaker: 1500 fills"]);
  });

  it("counts a fill once whose amount was already booked from its order", async () => {
    const box = await recordedBox();
    await box.add("ops", ADDRESS);
    await bookFills(box, 1);
    await box.context.client.execute(
      "insert into fills (account, symbol, trade_id, client_id, strategy, side, price, amount, notional, fees, at, superseded) values ('live:kraken:h', 'BTC/USDT', 'again', 'em1', 'grid-kraken-BTC-USDT-1', 'sell', '50000', '0.001', '50', '[]', 1, 1)",
    );
    await box.round(1);
    expect(box.sent.map(({ title }) => title)).toEqual(["edgemaker: 1 fill"]);
    expect(box.sent[0]?.lines).toEqual([expect.stringMatching(/sold 0.001 BTC for 50 USDT$/)]);
  });

  it("gets another alert ten seconds after the last one", async () => {
    const { add, tell, sent, round } = await recordedBox();
    await add("ops", ADDRESS);
    for (const [text, seconds, count] of [
      ["one", 1, 1],
      ["two", 9, 1],
      ["three", 1, 2],
    ] as const) {
      await tell("error", text);
      await round(seconds);
      expect(sent).toHaveLength(count);
    }
    expect(sent[1]?.lines).toHaveLength(2);
  });

  it("gets its messages also if the requests of a round suffice for one of several", async () => {
    const { add, tell, sent, round } = await recordedBox();
    for (const name of ["first", "second", "third"]) await add(name, ADDRESS);
    for (const letter of "abcdef") {
      await tell("error", letter);
      await round(11, { requests: () => 6 });
    }
    expect(sent.map(({ channel }) => channel).sort()).toEqual(
      ["first", "second", "third"].flatMap((name) => [name, name]),
    );
  });

  it("gets a warning ten seconds later, also after twenty other messages", async () => {
    const box = await recordedBox();
    await box.add("ops", ADDRESS);
    await bookFills(box, 1);
    await box.round(1);
    for (const letter of "abcdefghijklmnopqrstuv") await box.tell("edited", `the ${letter}`);
    await box.tell("notice", "a grid left its range");
    await box.round(10);
    expect(box.sent.map(({ lines }) => lines[0])).toEqual([
      expect.stringMatching(/sold 0.001 BTC/),
      expect.stringMatching(/warning: a grid left its range$/),
    ]);
  });

  it("gets the oldest of the most urgent news if not all fits", async () => {
    const box = await recordedBox();
    await box.add("ops", ADDRESS);
    await bookFills(box, 1);
    box.time.pass(SECOND);
    for (const letter of "abcdefghijklmnopqrstuvwxy") await box.tell("notice", `the ${letter}`);
    await box.round(1);
    const { lines = [] } = box.sent[0] ?? {};
    expect(lines).toHaveLength(21);
    expect(lines.slice(-2)).toEqual([
      expect.stringMatching(/warning: the t$/),
      "… and 6 more; see the events",
    ]);
  });

  it("is read twenty times in a round, however much news there is, and then gets its message", async () => {
    const box = await recordedBox();
    await box.add("ops", ADDRESS, { level: "warning" });
    const [found] = (await box.store.outlook()).channels;
    const endless = async (kind: "cycle" | "notice") => {
      let claims = 0;
      const event = { account: "", strategy: null, at: 0, kind, message: "it happened" };
      const events = Array.from({ length: 1000 }, (_, id) => ({ ...event, id }));
      const store = {
        ...box.store,
        outlook: async () => ({ now: 1, newest: { event: 5, fill: 0 }, channels: [found] }),
        claim: async () => {
          claims++;
          return {
            channel: { ...found, digest: NO_DIGEST, sentAt: -1e9 },
            now: 1,
            secrets: { url: ADDRESS },
            events,
            fills: [],
          };
        },
        keep: async () => true,
        settle: async () => undefined,
      };
      await box.round(0, { notify: { ...box.deps.notify, store: store as never } });
      return [claims, box.sent.length];
    };
    expect(await endless("cycle")).toEqual([20, 0]);
    expect(await endless("notice")).toEqual([20, 1]);
  });

  it("is claimed only if there is news, and once if nothing is sent", async () => {
    const box = await recordedBox();
    await box.add("ops", ADDRESS, { level: "alert" });
    let claims = 0;
    const claim: typeof box.store.claim = (request) => {
      claims++;
      return box.store.claim(request);
    };
    const notify = { ...box.deps.notify, store: { ...box.store, claim } };
    await box.round(1, { notify });
    expect(claims).toBe(0);
    await box.tell("cycle", "a cycle");
    await box.round(1, { notify });
    expect([claims, box.sent]).toEqual([1, []]);
  });

  it("gets news and the daily report that are due at once one after the other", async () => {
    const { add, tell, sent, round } = await recordedBox();
    await add("ops", ADDRESS, { isDaily: true });
    await tell("error", "at midnight");
    await round(24 * 3600 + 300);
    await round(20);
    await round(20);
    expect(sent.map(({ title }) => title)).toEqual([
      "edgemaker alert: error, at midnight",
      "edgemaker report of 2026-01-01",
    ]);
  });

  it("gets the daily report after a message that was refused, five minutes after midnight", async () => {
    const { add, tell, sent, answer, round } = await recordedBox();
    await add("ops", ADDRESS, { isDaily: true });
    await round(24 * 3600 + 299);
    expect(sent).toEqual([]);
    answer.status = 500;
    await tell("error", "refused");
    await round(0);
    await round(1);
    answer.status = 200;
    for (let again = 0; again < 4; again++) await round(10);
    expect(sent.map(({ title }) => title)).toEqual([
      ...Array(2).fill("edgemaker alert: error, refused"),
      "edgemaker report of 2026-01-01",
    ]);
  });
});

describe("a message", () => {
  it.each([
    [200, "sent"],
    [299, "sent"],
    [199, "waits"],
    [300, "waits"],
    [404, "waits"],
  ])("that is answered with %s %s", async (status, state) => {
    const { add, tell, answer, round, channel } = await recordedBox();
    await add("ops", ADDRESS);
    Object.assign(answer, { status, text: "" });
    await tell("error", "one");
    await round(1);
    expect(await channel("ops")).toMatchObject(
      state === "sent"
        ? { pending: 0, channel: { error: null, failures: 0 } }
        : { pending: 1, channel: { error: `it returned status ${status}`, failures: 1 } },
    );
  });

  it("keeps words of an answer that are like a short secret", async () => {
    const { add, tell, answer, round, channel } = await recordedBox();
    const secrets = { "bot token": "123:abcdef", "chat id": "42" };
    await add("ops", ADDRESS, { kind: "telegram", secrets });
    Object.assign(answer, { status: 400, text: "chat 42 of bot 123:abcdef is closed" });
    await tell("error", "one");
    await round(1);
    expect((await channel("ops")).channel.error).toBe("it returned status 400: chat 42 of bot … is closed");
  });

  it("is left to another process after a pause of more than ten seconds", async () => {
    for (const [pause, count] of [
      [10_000, 1],
      [10_001, 0],
    ] as const) {
      const { add, tell, sent, round, deps } = await recordedBox();
      await add("ops", ADDRESS);
      await tell("error", "one");
      let reads = 0;
      await round(1, { local: { ...deps.local, monotonic: () => (reads++ === 0 ? 0 : pause) } });
      expect(sent).toHaveLength(count);
    }
  });
});

describe("a round over several channels", () => {
  it("warns of those alone that this process cannot serve", async () => {
    const { add, tell, sent, warned, round, channel } = await recordedBox();
    await add("desk", ADDRESS);
    await add("mail", "smtps://mail.example.org", { kind: "email" });
    await tell("error", "one");
    await round(1);
    expect(sent).toHaveLength(1);
    expect(warned).toEqual([
      { channel: "mail", reason: expect.stringMatching(/^email can only be sent from Node/) },
    ]);
    expect(await channel("mail")).toMatchObject({ channel: { failures: 0, error: null } });
  });

  it("serves as many as the platform's requests allow: four for each, and two for the rest", async () => {
    const served = async (left: number) => {
      const { add, tell, sent, round } = await recordedBox();
      for (const name of ["a", "b", "c"]) await add(name, ADDRESS);
      await tell("error", "one");
      await round(1, { requests: () => left });
      return sent.length;
    };
    expect([await served(1), await served(9), await served(10), await served(14)]).toEqual([0, 1, 2, 3]);
  });
});
