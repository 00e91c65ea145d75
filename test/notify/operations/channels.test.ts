import { describe, expect, it } from "vitest";
import type { Deps } from "../../../src/ports/deps.ts";
import type { Mail, OutboundRequest } from "../../../src/ports/outbound.ts";
import { heardLog } from "../../support/heard.ts";
import { notifyBox } from "../../support/notify.ts";
import { askingOf } from "../../support/sandbox.ts";

interface Listed {
  readonly count: number;
  readonly channels: readonly { readonly channel: string }[];
}

/** The operations of channels over real libSQL; requests and emails are recorded, and answered with `status`. */
async function channelBox() {
  const box = await notifyBox();
  const sent: (OutboundRequest & Partial<Mail>)[] = [];
  const answer = { status: 200, text: "" };
  const record = async (message: object) => {
    sent.push(message as OutboundRequest);
    return answer;
  };
  const local = { ...box.time.local, randomText: box.deps.local.randomText };
  const notify = { store: box.store, post: record, mail: record, hosts: [] };
  const deps = { notify, local, log: heardLog };
  const { ask } = askingOf(deps as unknown as Deps);
  return { ...box, ask, sent, answer, deps, notify };
}

const SECRETS = {
  webhook: { url: "https://hooks.example.org/a/b" },
  discord: { url: "https://discord.example.org/api/webhooks/1/x" },
  ntfy: { url: "https://ntfy.example.org/my-topic", accessToken: "tk_1234567" },
  telegram: { botToken: "12:ab", chatId: "42", server: "https://telegram.example.org" },
  email: {
    server: "smtps://mail.example.org",
    user: "me",
    password: "a secret word",
    from: "bot@example.org",
    to: "you@example.org",
  },
} as const;
const WEBHOOK = { kind: "webhook", ...SECRETS.webhook };

describe("a new channel", () => {
  const kinds = Object.keys(SECRETS) as (keyof typeof SECRETS)[];

  it("sends to the address and with the secrets of its request", async () => {
    const { ask, sent } = await channelBox();
    for (const kind of kinds) {
      await ask("add_channel", { channel: kind, kind, ...SECRETS[kind] });
      expect(await ask("send_to_channel", { channel: kind, send: "test" })).toEqual({
        channel: kind,
        messages: 1,
      });
    }
    expect(sent).toMatchObject([
      {
        url: "https://hooks.example.org/a/b",
        headers: { "content-type": "application/json", "idempotency-key": expect.stringMatching(/^\w{24}$/) },
      },
      { url: "https://discord.example.org/api/webhooks/1/x" },
      {
        url: "https://ntfy.example.org",
        headers: expect.objectContaining({ authorization: "Bearer tk_1234567" }),
        body: expect.stringContaining('"topic":"my-topic"'),
      },
      {
        url: "https://telegram.example.org/bot12:ab/sendMessage",
        body: expect.stringContaining('"chat_id":"42"'),
      },
      { ...SECRETS.email, subject: "edgemaker: this is a test" },
    ]);
  });

  it("requires all secrets of its kind but the optional ones", async () => {
    const { ask, sent } = await channelBox();
    const optional: readonly string[] = ["accessToken", "user", "password"];
    for (const kind of kinds)
      for (const field of Object.keys(SECRETS[kind])) {
        if (optional.includes(field) || (kind === "telegram" && field === "server")) continue;
        const given = { channel: "ops", kind, ...SECRETS[kind], [field]: undefined };
        await expect(ask("add_channel", given)).rejects.toMatchObject({
          label: "Invalid request",
          message: `a ${kind} channel requires ${field}`,
        });
      }
    expect(await ask("list_channels")).toEqual({ channels: [], count: 0 });
    const without = { accessToken: undefined, user: undefined, password: undefined };
    await ask("add_channel", {
      channel: "telegram",
      kind: "telegram",
      ...SECRETS.telegram,
      server: undefined,
    });
    for (const kind of ["ntfy", "email"] as const)
      await ask("add_channel", { channel: kind, kind, ...SECRETS[kind], ...without });
    for (const channel of ["telegram", "ntfy", "email"])
      await ask("send_to_channel", { channel, send: "test" });
    expect(sent).toMatchObject([
      { url: "https://api.telegram.org/bot12:ab/sendMessage" },
      { headers: expect.not.objectContaining({ authorization: expect.anything() }) },
      { server: "smtps://mail.example.org" },
    ]);
    expect(sent[2]).not.toHaveProperty("user");
  });

  it("has its level, quiet hours and report as requested, and sends everything by default", async () => {
    const { ask } = await channelBox();
    const added = await ask<{ signingSecret: string }>("add_channel", {
      channel: "night",
      level: "alert",
      quiet: "22:00-07:00 Europe/Berlin",
      daily: true,
      ...WEBHOOK,
    });
    expect(added).toEqual({
      channel: "night",
      kind: "webhook",
      level: "alert",
      signingSecret: expect.stringMatching(/^whsec_[A-Za-z0-9+/]{43}=$/),
    });
    const other = await ask("add_channel", { channel: "all", kind: "discord", ...SECRETS.discord });
    expect(other).toEqual({ channel: "all", kind: "discord", level: "info" });
    const state = { sentAt: null, waiting: 0, givenUp: 0, error: null };
    expect(await ask("list_channels")).toEqual({
      channels: [
        { channel: "all", kind: "discord", level: "info", quiet: null, daily: false, ...state },
        {
          channel: "night",
          kind: "webhook",
          level: "alert",
          quiet: "22:00-07:00 Europe/Berlin",
          daily: true,
          ...state,
        },
      ],
      count: 2,
    });
  });

  it("signs with the secret that only its response contains", async () => {
    const { ask, sent } = await channelBox();
    const secretOf = async (channel: string) =>
      (await ask<{ signingSecret: string }>("add_channel", { channel, ...WEBHOOK })).signingSecret;
    expect(await secretOf("one")).not.toBe(await secretOf("two"));
    await ask("send_to_channel", { channel: "one", send: "test" });
    expect(sent[0]?.headers["webhook-signature"]).toMatch(/^v1,/);
  });

  it("never replaces another one with its name", async () => {
    const { ask, sent } = await channelBox();
    await ask("add_channel", { channel: "ops", ...WEBHOOK });
    await expect(
      ask("add_channel", { channel: "ops", kind: "discord", ...SECRETS.discord }),
    ).rejects.toMatchObject({
      label: "Conflict",
      message: "the channel ops exists already; remove it, or choose another name",
    });
    await ask("send_to_channel", { channel: "ops", send: "test" });
    expect(sent).toMatchObject([{ url: SECRETS.webhook.url }]);
  });

  it("cannot be an email where this process sends none", async () => {
    const { deps, notify } = await channelBox();
    const { ask } = askingOf({ ...deps, notify: { ...notify, mail: undefined } } as unknown as Deps);
    await expect(
      ask("add_channel", { channel: "ops", kind: "email", ...SECRETS.email }),
    ).rejects.toMatchObject({
      label: "Invalid request",
      message: expect.stringMatching(/^email can only be sent from Node/),
    });
    await ask("add_channel", { channel: "ops", ...WEBHOOK });
    expect(await ask("list_channels")).toMatchObject({ count: 1 });
  });

  it("is refused with an invalid field", async () => {
    const { ask } = await channelBox();
    for (const [over, why] of [
      [{ url: "" }, "remove empty fields"],
      [{ url: `https://a.example.org/${"x".repeat(1000)}` }, "at most 1000"],
      [{ url: "https://10.0.0.7/hook" }, "must be a public one"],
      [{ quiet: "at night" }, "quiet is hours such as 22:00-07:00"],
      [{ level: "loud" }, "must be info or warning or alert"],
      [{ channel: "Ops" }, "1 to 31 characters"],
    ] as const)
      await expect(ask("add_channel", { channel: "ops", ...WEBHOOK, ...over })).rejects.toThrow(why);
    expect(await ask("list_channels")).toMatchObject({ count: 0 });
  });
});

describe("a channel among others", () => {
  const names = async (ask: Awaited<ReturnType<typeof channelBox>>["ask"]) =>
    (await ask<Listed>("list_channels")).channels.map(({ channel }) => channel);

  it("is not found under a name that no channel has", async () => {
    const { ask, sent } = await channelBox();
    await ask("add_channel", { channel: "ops", ...WEBHOOK });
    for (const [operation, more] of [
      ["send_to_channel", { send: "test" }],
      ["send_to_channel", { send: "failed" }],
      ["remove_channel", {}],
    ] as const)
      await expect(ask(operation, { channel: "opz", ...more }), operation).rejects.toMatchObject({
        label: "Not found",
        message: "there is no channel opz; `edgemaker notify list` shows all channels",
      });
    expect([await names(ask), sent]).toEqual([["ops"], []]);
  });

  it("is removed alone", async () => {
    const { ask } = await channelBox();
    for (const channel of ["a", "b", "c"]) await ask("add_channel", { channel, ...WEBHOOK });
    expect(await ask("remove_channel", { channel: "b" })).toEqual({ channel: "b", removed: true });
    expect(await names(ask)).toEqual(["a", "c"]);
  });

  it("gets its failed messages again, and the others do not", async () => {
    const { ask, store, answer, sent } = await channelBox();
    for (const channel of ["a", "b"]) await ask("add_channel", { channel, ...WEBHOOK });
    answer.status = 500;
    for (const channel of ["a", "b"])
      await ask("send_to_channel", { channel, send: "test" }).catch(() => undefined);
    for (const name of ["a", "b"]) {
      const claim = await store.claim({ name, owner: "t", ttl: 1000, page: 1 });
      if (!claim?.pending) throw new Error(`${name} has no message`);
      const dead = { result: "dead", error: "for good", retryAt: 0 } as const;
      await store.settle(claim, claim.pending.message.id, dead);
    }
    expect(await ask("list_channels")).toMatchObject({ channels: [{ givenUp: 1 }, { givenUp: 1 }] });
    expect(await ask("send_to_channel", { channel: "b", send: "failed" })).toEqual({
      channel: "b",
      messages: 1,
    });
    expect(await ask("list_channels")).toMatchObject({
      channels: [
        { waiting: 0, givenUp: 1 },
        { waiting: 1, givenUp: 0 },
      ],
    });
    expect(sent).toHaveLength(2);
  });
});

describe("a test of a channel", () => {
  it("returns the receiver's refusal, and shows it in the list", async () => {
    const { ask, answer } = await channelBox();
    await ask("add_channel", { channel: "ops", ...WEBHOOK });
    Object.assign(answer, { status: 410, text: "gone for good" });
    await expect(ask("send_to_channel", { channel: "ops", send: "test" })).rejects.toMatchObject({
      label: "Conflict",
      message: "ops did not get the message: it returned status 410: gone for good",
    });
    expect(await ask("list_channels")).toMatchObject({
      channels: [{ waiting: 1, givenUp: 0, error: "it returned status 410: gone for good" }],
    });
  });

  it("waits while another process sends for the channel, and gives up after 15 s", async () => {
    const { ask, store, sent, time } = await channelBox();
    await ask("add_channel", { channel: "ops", ...WEBHOOK });
    await store.claim({ name: "ops", owner: "another", ttl: 10_000, page: 1 });
    expect(await ask("send_to_channel", { channel: "ops", send: "test" })).toMatchObject({ messages: 1 });
    expect(sent).toHaveLength(1);

    await store.claim({ name: "ops", owner: "another", ttl: 30_000, page: 1 });
    const before = time.now();
    await expect(ask("send_to_channel", { channel: "ops", send: "test" })).rejects.toThrow(
      "ops has not received the message",
    );
    expect([time.now() - before, sent.length]).toEqual([15_000, 1]);
  });
});

it("channels are not found where the server has none", async () => {
  const { deps } = await channelBox();
  const { ask } = askingOf({ ...deps, notify: undefined } as unknown as Deps);
  await expect(ask("list_channels")).rejects.toMatchObject({
    label: "Not found",
    message: "alerts are not available here",
  });
});
