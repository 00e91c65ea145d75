import { expect, it, onTestFinished } from "vitest";
import { createLog, nodeRuntime } from "../../cli/host/node-runtime.ts";
import { parseConfig } from "../../src/compose/config.ts";
import { createDeps } from "../../src/compose/deps.ts";
import { accountKey } from "../../src/model/account.ts";
import { BY } from "../support/by.ts";
import { canary, canaryKek } from "../support/canary.ts";
import { edgeDatabase } from "../support/edge.ts";
import { startWorker } from "../support/worker.ts";

const KEYS = { key: canary("stored key"), secret: canary("stored secret") };

/** A database in which keys of these exchange ids are stored, the same for each. */
async function stored(...ids: readonly string[]) {
  const settings = {
    EDGEMAKER_EXCHANGES: "kraken,second=kraken",
    EDGEMAKER_VENUE_URLS: "kraken=http://127.0.0.1:9,second=http://127.0.0.1:9",
    EDGEMAKER_KEK: canaryKek("B"),
  };
  const database = await edgeDatabase(settings);
  onTestFinished(database.close);
  const config = parseConfig(database.settings);
  const deps = await createDeps(config, nodeRuntime(database.url, config, createLog("error")));
  onTestFinished(deps.close);
  for (const id of ids) {
    const { venues, credentials } = deps.live ?? expect.fail("there are no live exchanges");
    await credentials.put(accountKey(venues.accountOf(id)), KEYS, BY);
  }
  return database.settings;
}

async function ready(settings: Record<string, string>) {
  const said: unknown[] = [];
  const worker = await startWorker(settings, { onLog: ({ message }) => said.push(message) });
  onTestFinished(() => worker.dispose());
  const answer = await worker.dispatchFetch("http://localhost/ready");
  return { status: answer.status, body: await answer.json(), said };
}

it("the worker reports the stored keys that its EDGEMAKER_KEK cannot decrypt", async () => {
  const settings = await stored("kraken");
  expect(await ready(settings)).toMatchObject({ status: 200 });
  expect(await ready({ ...settings, EDGEMAKER_KEK: canaryKek("C") })).toMatchObject({
    status: 503,
    body: {
      error: "Not ready",
      message: expect.stringMatching(
        /^the stored keys of kraken cannot be decrypted: .* a different EDGEMAKER_KEK/,
      ),
    },
  });
});

it("the worker does not start if the same keys are stored under two exchange ids", async () => {
  const { status, said } = await ready(await stored("kraken", "second"));
  expect(status).toBe(503);
  await expect
    .poll(() => said)
    .toContainEqual(expect.stringContaining("kraken and second have the same API key"));
});
