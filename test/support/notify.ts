import { onTestFinished } from "vitest";
import { nodePost } from "../../cli/host/outbound.ts";
import { nodeLocal } from "../../cli/host/process/node-local.ts";
import { auditStore } from "../../src/adapters/libsql/audit-store.ts";
import { SECOND } from "../../src/kernel/time.ts";
import type { ChannelKind, ChannelSecrets } from "../../src/model/channel.ts";
import type { EventKind } from "../../src/model/events.ts";
import { parseQuiet } from "../../src/notify/channels.ts";
import { deliver, newWebhookSecret } from "../../src/notify/operations/deliver.ts";
import { createNotifyStore } from "../../src/notify/store.ts";
import { createReportStore } from "../../src/report/store.ts";
import { importKek } from "../../src/storage/client/envelope.ts";
import { openDatabase } from "../../src/storage/client/safe-client.ts";
import { BY } from "./by.ts";
import { connectionTo } from "./connection.ts";
import { heardLog } from "./heard.ts";
import { virtualLocal } from "./local.ts";
import { migrations } from "./migrations.ts";
import { START } from "./sandbox.ts";

export const SIGNING_SECRET = newWebhookSecret(new Uint8Array(32).fill(7));

/** Channels over real libSQL, told over real sockets, with a clock that moves when told. */
export async function notifyBox({ url = "file::memory:" }: { readonly url?: string } = {}) {
  const time = virtualLocal(START);
  const client = connectionTo(url);
  const context = await openDatabase({
    client,
    local: nodeLocal,
    migrations,
    kind: "live",
    clock: time.now,
  });
  onTestFinished(() => context.client.close());
  const store = createNotifyStore(context, [await importKek(new Uint8Array(32).fill(1))]);
  const audit = auditStore(context);
  const hosts: string[] = [];
  const local = { ...nodeLocal, monotonic: time.now };
  const deps = {
    notify: { store, post: nodePost(hosts) },
    local,
    log: heardLog,
    reports: createReportStore(context),
  };
  const add = async (
    name: string,
    address: string,
    {
      kind = "webhook",
      level = "info",
      quiet,
      secrets,
      isDaily = false,
    }: {
      kind?: ChannelKind;
      level?: "info" | "warning" | "alert";
      quiet?: string;
      secrets?: ChannelSecrets;
      isDaily?: boolean;
    } = {},
  ) => {
    hosts.push(new URL(address).host);
    const hours = quiet === undefined ? null : (parseQuiet(quiet) ?? null);
    const channel = { name, kind, level, quiet: hours, isDaily };
    await store.addChannel(channel, secrets ?? { url: address, secret: SIGNING_SECRET }, BY);
  };
  const tell = (kind: EventKind, message: string, strategy: string | null = null) =>
    audit.note({ account: "", strategy, kind, message }, BY);
  /** A round after some time. */
  const round = async (seconds = 0) => {
    time.pass(seconds * SECOND);
    await deliver(deps);
  };
  const channel = async (name: string) =>
    (await store.channels()).find((one) => one.channel.name === name) ?? Promise.reject(new Error(name));
  return { context, store, audit, time, deps, hosts, add, tell, round, channel };
}

/** Fills as a pass books them, of one order by hand. */
export async function bookFills(
  { context, time }: Pick<Awaited<ReturnType<typeof notifyBox>>, "context" | "time">,
  count: number,
  from = 0,
): Promise<void> {
  await context.client.batch(
    [
      "insert into accounts (account, memory) values ('live:kraken:h', '{}') on conflict do nothing",
      "insert into orders values ('em1', 'live:kraken:h', null, 'hand', 0, 0, 'BTC/USDT', 'buy', 'limit', '1', '1', 'open', null, '0', '0', '0', '{}', '0', null, null, null, 0, 0, 0, null, null, 0, 0, 0, null, 'gtc', null) on conflict do nothing",
    ],
    "write",
  );
  for (let at = from; at < from + count; at += 500) {
    const rows = Array.from(
      { length: Math.min(500, from + count - at) },
      (_, place) =>
        `('live:kraken:h', 'BTC/USDT', 't${at + place}', 'em1', 'grid-kraken-BTC-USDT-1', '${place % 2 ? "buy" : "sell"}', '50000', '0.001', '50', '[]', ${time.now()}, 0)`,
    );
    await context.client.execute(
      `insert into fills (account, symbol, trade_id, client_id, strategy, side, price, amount, notional, fees, at, superseded) values ${rows.join(", ")}`,
    );
  }
}
