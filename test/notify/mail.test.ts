import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { sendBySmtp } from "../../cli/host/node-runtime.ts";
import { deliver } from "../../src/notify/operations/deliver.ts";
import { canary } from "../support/canary.ts";
import { notifyBox } from "../support/notify.ts";
import { mailServer } from "../support/smtp.ts";
import { tempFolder } from "../support/temp.ts";

const PEOPLE = { from: "grid@example.org", to: "me@example.org" };
const LOGIN = { user: "grid", password: canary("mail") };

/** A box that mails, with a channel to this server. */
async function mailBox(server: Awaited<ReturnType<typeof mailServer>>, secrets: Record<string, string> = {}) {
  const box = await notifyBox();
  await box.add("mail", server.url, {
    kind: "email",
    secrets: { server: server.url, ...PEOPLE, ...secrets },
  });
  const deps = { ...box.deps, notify: { ...box.deps.notify, mail: sendBySmtp(box.hosts) } };
  const round = (seconds: number) => {
    box.time.pass(seconds * 1000);
    return deliver(deps);
  };
  return { ...box, round };
}

const idOf = (data: string) => /^Message-ID: (\S+)$/m.exec(data)?.[1];
const key = (data: string) => data.split("\n\n")[1];

describe("an email channel", () => {
  it("receives an event once, with the configured login", async () => {
    const server = await mailServer({ login: LOGIN });
    const box = await mailBox(server, LOGIN);
    await box.tell("error", "the exchange has refused the key: Größe");
    await box.round(1);
    await box.round(60);
    expect(server.mails).toMatchObject([{ user: "grid", from: PEOPLE.from, to: [PEOPLE.to] }]);
    const [{ data = "" } = {}] = server.mails;
    expect(data).toMatch(/^From: grid@example\.org$/m);
    expect(data).toMatch(/^Subject: .*edgemaker/m);
    expect(idOf(data)).toMatch(/^<[a-z0-9]{24}@edgemaker>$/);
  });

  it("resends a refused message under the same id, and shows the server's reason", async () => {
    let isUp = false;
    const server = await mailServer({ reply: () => (isUp ? "250 2.0.0 queued" : "451 4.3.0 try later") });
    const box = await mailBox(server);
    await box.tell("error", "what happened");
    await box.round(1);
    expect((await box.channel("mail")).channel.error).toBe("it returned status 451: 4.3.0 try later");
    isUp = true;
    await box.round(30);
    await box.round(30);
    expect(server.mails).toHaveLength(2);
    const [first, second] = server.mails.map(({ data }) => data);
    expect([idOf(second ?? ""), key(second ?? "")]).toEqual([idOf(first ?? ""), key(first ?? "")]);
    expect((await box.channel("mail")).pending).toBe(0);
  });

  it("shows no password if the server refuses it", async () => {
    const server = await mailServer({ login: { ...LOGIN, password: "another" } });
    const box = await mailBox(server, LOGIN);
    await box.tell("error", "what happened");
    await box.round(1);
    const { error } = (await box.channel("mail")).channel;
    expect(error).toBe("it returned status 535: 5.7.8 wrong user or password");
    expect(server.mails).toEqual([]);
  });

  it("is left to a process that can send email, and the log notes it", async () => {
    const server = await mailServer();
    const box = await mailBox(server);
    await box.tell("error", "what happened");
    const lines: string[] = [];
    const deps = {
      ...box.deps,
      log: (_level: string, message: string, fields = {}) =>
        void lines.push(`${message} ${JSON.stringify(fields)}`),
    };
    await deliver(deps);
    expect(lines.join()).toContain("email can only be sent from Node");
    expect(server.mails).toEqual([]);
    await box.round(1);
    expect(server.mails).toHaveLength(1);
  });
});

describe("outgoing mail", () => {
  const mail = { id: "x", subject: "s", text: "t", ...PEOPLE };

  it.each(["smtp://10.0.0.1", "smtps://localhost", "smtp://mail.internal", "smtps://[::1]", "smtp://0x7f.1"])(
    "is not sent to a private address: %s",
    async (server) => {
      await expect(sendBySmtp([])({ ...mail, server }, 2000)).rejects.toThrow("EDGEMAKER_OUTBOUND_HOSTS");
    },
  );

  it("is not sent to a server with a wrong certificate", async () => {
    const folder = tempFolder();
    const [key, cert] = [join(folder, "key.pem"), join(folder, "cert.pem")];
    const made = ["req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes"];
    execFileSync("openssl", [...made, "-keyout", key, "-out", cert, "-days", "2", "-subj", "/CN=mail.test"], {
      stdio: "ignore",
    });
    const tls = { key: readFileSync(key, "utf8"), cert: readFileSync(cert, "utf8") };
    const server = await mailServer({ tls });
    await expect(sendBySmtp([server.host])({ ...mail, server: server.url }, 60_000)).rejects.toThrow(
      "self-signed certificate",
    );
    expect(server.mails).toEqual([]);
  });

  it("is abandoned if no server answers", async () => {
    const server = await mailServer({ isMute: true });
    await expect(sendBySmtp([server.host])({ ...mail, server: server.url }, 300)).rejects.toThrow(
      /300 ms|Greeting never received/,
    );
  });
});
