import { describe, expect, it } from "vitest";
import type { DigestLine, Message } from "../../src/model/channel.ts";
import {
  addressOf,
  describeChannel,
  isQuietHour,
  parseQuiet,
  quietText,
  refusedSecrets,
  requestOf,
  secretFieldsOf,
} from "../../src/notify/channels.ts";
import { mailOf, mailTrouble } from "../../src/notify/mail.ts";
import { digestMessage } from "../../src/notify/operations/deliver.ts";
import { d } from "../support/grid.ts";

const AT = Date.UTC(2026, 0, 31, 23, 59, 59);

const line = (over: Partial<DigestLine>): DigestLine =>
  ({ at: AT, level: "info", text: "news", count: 1, amount: 0n, notional: 0n, ...over }) as DigestLine;
const messageOf = (lines: readonly DigestLine[], more = 0) =>
  digestMessage({ lines, more } as never, { id: "m", now: AT });

describe("a message", () => {
  it("has the highest level, its first news in the title, and its lines by level and time", () => {
    const message = messageOf([
      line({ text: "a note", at: AT - 9000 }),
      line({ text: "later", level: "alert" }),
      line({ text: "first", level: "alert", at: AT - 1000, count: 3 }),
      line({ text: "a warning", level: "warning" }),
    ]);
    expect(message).toEqual({
      id: "m",
      kind: "news",
      at: AT,
      level: "alert",
      title: "edgemaker alert: first (and 1 more)",
      lines: [
        "01-31 23:59:58 alert: first (3 times)",
        "01-31 23:59:59 alert: later",
        "01-31 23:59:59 warning: a warning",
        "01-31 23:59:50 a note",
      ],
    });
    expect(messageOf([line({ level: "warning", text: "x".repeat(300) })]).title).toHaveLength(200);
    expect(messageOf([line({ level: "warning" })]).title).toBe("edgemaker warning: news");
  });

  it("adds up fills, and names what no longer fits", () => {
    const fills = (count: number) =>
      line({ fillsOf: "BTC/USDT", text: "bought", count, amount: d("0.5"), notional: d("30000") });
    const { title, level, lines } = messageOf([fills(2), fills(1)], 7);
    expect([title, level]).toEqual(["edgemaker: 3 fills", "info"]);
    expect(lines).toEqual([
      "01-31 23:59:59 bought 0.5 BTC for 30000 USDT in 2 fills",
      "01-31 23:59:59 bought 0.5 BTC for 30000 USDT",
      "… and 7 more; see the events",
    ]);
  });
});

describe("quiet hours", () => {
  it("include their first minute and exclude their last, on one day or across midnight", () => {
    const quiet = (text: string, hour: number, minute: number) =>
      isQuietHour(parseQuiet(text) ?? null, Date.UTC(2026, 0, 5, hour, minute));
    const day = [
      quiet("09:00-17:30", 8, 59),
      quiet("09:00-17:30", 9, 0),
      quiet("09:00-17:30", 17, 29),
      quiet("09:00-17:30", 17, 30),
    ];
    expect(day).toEqual([false, true, true, false]);
    const night = [
      quiet("22:00-07:00", 21, 59),
      quiet("22:00-07:00", 22, 0),
      quiet("22:00-07:00", 6, 59),
      quiet("22:00-07:00", 7, 0),
    ];
    expect(night).toEqual([false, true, true, false]);
    expect(isQuietHour(null, AT)).toBe(false);
  });

  it("are read and shown with their time zone, and rejected if one end is no time of day", () => {
    expect(quietText(parseQuiet("22:05-07:00") as never)).toBe("22:05-07:00 UTC");
    expect(quietText(parseQuiet("22:05-07:00 Europe/Berlin") as never)).toBe("22:05-07:00 Europe/Berlin");
    for (const wrong of [
      "24:00-07:00",
      "22:00-07:60",
      "22:60-07:00",
      "22:00-24:00",
      "07:00-07:00",
      "22:00-07:00 Mars/Base",
      "22:00",
    ])
      expect(parseQuiet(wrong), wrong).toBeUndefined();
  });
});

describe("a channel", () => {
  const report = (channel: object) =>
    describeChannel({
      channel: {
        name: "desk",
        kind: "ntfy",
        level: "alert",
        quiet: null,
        isDaily: true,
        sentAt: 0,
        error: null,
        ...channel,
      },
      pending: 2,
      dead: 1,
    } as never);

  it("shows its state, and no time before its first message", () => {
    expect(report({})).toEqual({
      channel: "desk",
      kind: "ntfy",
      level: "alert",
      quiet: null,
      daily: true,
      sentAt: null,
      waiting: 2,
      givenUp: 1,
      error: null,
    });
    expect(report({ sentAt: 5, quiet: parseQuiet("22:00-07:00") })).toMatchObject({
      sentAt: 5,
      quiet: "22:00-07:00 UTC",
    });
  });

  it("names its secrets as a request does", () => {
    expect(secretFieldsOf("telegram")).toEqual([
      { name: "bot token", field: "botToken", isNeeded: true },
      { name: "chat id", field: "chatId", isNeeded: true },
      { name: "server", field: "server", isNeeded: false },
    ]);
  });

  it("requires a complete address that messages are allowed to go to", async () => {
    const refused = (kind: "webhook" | "email", secrets: Record<string, string>, hosts: string[] = []) =>
      refusedSecrets(kind, secrets, { hosts, inward: async (host) => `${host} leads inward` });
    expect(await refused("webhook", {})).toMatch(/^the url must be a complete address/);
    expect(await refused("email", {})).toMatch(/^the server must be a complete address/);
    const mail = { server: "smtps://mail.example.org", from: "a@b.org", to: "c@d.org" };
    expect(await refused("email", { ...mail, to: "" })).toMatch(/^from and to must each be one address/);
    expect(await refused("webhook", { url: "https://hooks.example.org/x" })).toBe(
      "hooks.example.org leads inward",
    );
    expect(
      await refused("webhook", { url: "https://hooks.example.org/x" }, ["hooks.example.org"]),
    ).toBeUndefined();
    expect(await refused("email", mail, ["mail.example.org"])).toBeUndefined();
  });
});

const MESSAGE: Message = {
  id: "m",
  kind: "news",
  level: "info",
  title: "title",
  lines: ["one", "two"],
  at: AT,
};

describe("an email", () => {
  it("has the message as its text, and credentials only with a user", () => {
    const secrets = { server: "smtps://s", from: "a@b.org", to: "c@d.org" };
    expect(mailOf(MESSAGE, secrets)).toEqual({ ...secrets, id: "m", subject: "title", text: "one\ntwo\n" });
    const named = mailOf(MESSAGE, { ...secrets, user: "u", password: "secret word" });
    expect(named).toMatchObject({ user: "u", password: "secret word" });
  });

  it("needs an encrypted server, two single addresses, and a password for its user", () => {
    const secrets = { server: "smtp://s:587", from: "a@b.org", to: "c@d.org" };
    expect(mailTrouble(secrets)).toBeUndefined();
    expect(mailTrouble({ ...secrets, server: "https://s" })).toMatch(/^the server must be smtps/);
    expect(mailTrouble({ ...secrets, to: "a@b.org,c@d.org" })).toMatch(/not a@b.org,c@d.org$/);
    expect(mailTrouble({ ...secrets, user: "u" })).toBe("set both user and password, or neither");
    expect(mailTrouble({ ...secrets, password: "secret word" })).toBe(
      "set both user and password, or neither",
    );
    expect(mailTrouble({ ...secrets, user: "u", password: "secret word" })).toBeUndefined();
  });
});

describe("a request to a channel", () => {
  const bodyOf = (kind: "webhook" | "telegram" | "discord" | "ntfy", message = MESSAGE, secrets = {}) => {
    const request = requestOf({ name: "desk", kind }, message, {
      url: "https://n.example/topic",
      ...secrets,
    });
    return { ...request, body: JSON.parse(String(request.body)) as Record<string, unknown> };
  };

  it("goes to the address of its kind", () => {
    expect(addressOf("telegram", { "bot token": "7:x" }).href).toBe(
      "https://api.telegram.org/bot7:x/sendMessage",
    );
    expect(addressOf("telegram", { "bot token": "7:x", server: "https://own.example/" }).href).toBe(
      "https://own.example/bot7:x/sendMessage",
    );
    expect(() => addressOf("email", {})).toThrow(TypeError);
    expect(bodyOf("ntfy")).toMatchObject({ url: "https://n.example", body: { topic: "topic", priority: 2 } });
    expect(bodyOf("ntfy").headers).not.toHaveProperty("authorization");
    expect(bodyOf("ntfy", MESSAGE, { "access token": "tk" }).headers).toMatchObject({
      authorization: "Bearer tk",
    });
  });

  it("is silent on Telegram only for plain news", () => {
    const silent = (level: Message["level"]) =>
      bodyOf("telegram", { ...MESSAGE, level }).body.disable_notification;
    expect([silent("info"), silent("warning"), silent("alert")]).toEqual([true, false, false]);
  });

  it("is cut where its provider's limit is, and never within a character", () => {
    const content = (text: string) =>
      bodyOf("discord", { ...MESSAGE, title: text, lines: [] }).body.content as string;
    expect(content("x".repeat(2000))).toBe("x".repeat(2000));
    expect(content("x".repeat(2001))).toBe(`${"x".repeat(1999)}…`);
    expect(content(`${"x".repeat(1998)}😀😀`)).toBe(`${"x".repeat(1998)}…`);
    expect(bodyOf("discord").body.allowed_mentions).toEqual({ parse: [] });
  });
});
