import { join } from "node:path";
import type { Client } from "@libsql/client";
import { expect, it } from "vitest";
import { SANDBOX_TIMING } from "../../src/adapters/sandbox/venue.ts";
import { auditSandbox, CLEAN } from "../support/audit.ts";
import { besideServer } from "../support/beside.ts";
import { eventually, type Server, serve } from "../support/command.ts";
import { gridRequest } from "../support/requests.ts";
import { tempFolder } from "../support/temp.ts";

const TICK = 400;
const TTL = SANDBOX_TIMING.leaseTtl;
const GRID = gridRequest({ lowerPrice: 54_000, upperPrice: 66_000, gridLevels: 60 });

interface Lease {
  readonly token: number;
  readonly owner: string;
  readonly isLeased: boolean;
  /** Protocol time. */
  readonly leasedAt: number;
  readonly now: number;
}

async function leaseOf(client: Client): Promise<Lease> {
  const now = "cast(unixepoch('subsec') * 1000 as integer)";
  const { rows } = await client.execute(`select token, owner, until, ${now} as now from accounts`);
  const [row] = rows;
  const [token, until, at] = [Number(row?.token), Number(row?.until), Number(row?.now)];
  return { token, owner: String(row?.owner), isLeased: until > at, leasedAt: until - TTL, now: at };
}

const wait = (millis: number) => new Promise((resolve) => setTimeout(resolve, millis));

/** Ends a server while it holds the account's lease: halted first, so that it cannot give the lease back meanwhile. */
async function killHolder(server: Server, client: Client): Promise<Lease> {
  const isIts = ({ isLeased, owner }: Lease) => isLeased && owner.includes(`:${server.child.pid}/`);
  const until = performance.now() + 240_000;
  for (;;) {
    await wait(5);
    const before = await leaseOf(client);
    if (performance.now() > until)
      throw new Error(`it never held the lease: ${JSON.stringify(before)} ${server.stderr()}`);
    if (!isIts(before)) continue;
    server.child.kill("SIGSTOP");
    const after = await leaseOf(client).catch(() => undefined);
    if (after && isIts(after)) {
      await server.kill("SIGKILL");
      return after;
    }
    server.child.kill("SIGCONT");
    await wait(Math.random() * TICK);
  }
}

it("one of two servers takes over once the other's lease has expired", async () => {
  const folder = tempFolder();
  const db = `file:${join(folder, "shared.db")}`;
  const args = ["--db", db, "--sandbox", "--speed", "36000", "--tick-interval", String(TICK)];
  const [one, two] = [await serve(folder, args), await serve(folder, args)];
  const send = (server: Server, method: string, body: object) =>
    server.ask("/api/v1/strategy/grid", { method, body: JSON.stringify(body) });
  const { id } = (await (await send(one, "POST", GRID)).json()) as { id: string };
  const client = besideServer(db);

  const killed = await killHolder(one, client);
  expect(killed.isLeased).toBe(true);
  const accepted = await eventually(
    () => leaseOf(client),
    ({ token }) => token > killed.token,
  );
  // Given back at once, so that the row may show a later lease of the same server.
  const leasedAt = accepted.isLeased ? accepted.leasedAt : accepted.now;
  process.stdout.write(`\ntaken over ${leasedAt - killed.leasedAt} ms after the lease was taken\n`);
  expect(leasedAt - killed.leasedAt).toBeGreaterThanOrEqual(TTL);

  await wait(2000);
  await send(two, "DELETE", { id });
  const status = async () =>
    (
      (await (await two.ask(`/api/v1/strategy/grid/status?id=${id}`)).json()) as {
        strategies: { status: string }[];
      }
    ).strategies[0]?.status;
  await eventually(status, (now) => now === "stopped");
  await two.kill("SIGTERM");
  expect(await auditSandbox(client, "kraken")).toMatchObject(CLEAN);
});
