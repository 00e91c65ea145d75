import { expect, it } from "vitest";
import { nodeLocal } from "../../../cli/host/process/node-local.ts";
import { createStore } from "../../../src/adapters/libsql/store.ts";
import { NO_MEMORY } from "../../../src/model/memory.ts";
import { openDatabase } from "../../../src/storage/client/safe-client.ts";
import { migrations } from "../../support/migrations.ts";
import { startSqld } from "../../support/sqld.ts";

const ACQUIRERS = 50;
const ROUNDS = 200;
const account = "sandbox:kraken:";

it("a lease that 50 ask for at once, 200 times, has one winner each time", async () => {
  const sqld = await startSqld();
  const client = { url: sqld.url, fetch };
  const context = await openDatabase({ client, local: nodeLocal, migrations, kind: "sandbox" });
  await context.client.execute({
    sql: "insert into accounts (account, memory) values (?, ?)",
    args: [account, JSON.stringify(NO_MEMORY)],
  });
  const store = createStore(context);
  const winners: number[] = [];
  const tokens: number[] = [];
  const startedAt = performance.now();
  for (let round = 0; round < ROUNDS; round++) {
    const requests = Array.from({ length: ACQUIRERS }, (_, place) =>
      store.takeLease({ account, owner: `test/${round}-${place}`, ttl: 60_000, overlap: 0 }),
    );
    const won = (await Promise.all(requests)).flatMap((snapshot) => (snapshot ? [snapshot.lease] : []));
    winners.push(won.length);
    for (const lease of won) {
      tokens.push(lease.token);
      const nothing = { outcomes: [], phases: [], events: [], memory: null, failure: null };
      await store.settle(lease, { ...nothing, calls: { made: 0, own: {} } });
    }
  }
  const seconds = (performance.now() - startedAt) / 1000;
  await sqld.stop();
  process.stdout.write(
    `\n${ROUNDS} rounds of ${ACQUIRERS} acquirers: ${winners.filter((count) => count === 1).length} rounds with one winner, ` +
      `${((ROUNDS * ACQUIRERS) / seconds).toFixed(0)} requests for the lease a second\n`,
  );
  expect(winners).toEqual(Array(ROUNDS).fill(1));
  expect(tokens).toEqual(Array.from({ length: ROUNDS }, (_, round) => round + 1));
});
