import { expect, it } from "vitest";
import { edgeDatabase } from "../support/edge.ts";
import { startWorker } from "../support/worker.ts";

const DEAD = { EDGEMAKER_DATABASE_URL: "http://127.0.0.1:9" };

it.each([
  ["EDGEMAKER_SANDBX", "1"],
  // A variable of wrangler.toml that is no text there is none here.
  ["EDGEMAKER_DRY_RUN", true],
])("the worker responds to nothing with an unknown setting: %s=%s", async (name, value) => {
  const results: unknown[] = [];
  const settings = { ...DEAD, [name]: value } as Record<string, string>;
  const worker = await startWorker(settings, { onLog: ({ message }) => results.push(message) });
  try {
    const ready = await worker.dispatchFetch("http://localhost/ready");
    expect(ready.status).toBe(503);
    const body = await ready.json();
    expect(body).toMatchObject({
      error: "Not ready",
      message: expect.stringContaining(`${name} is not a setting`),
    });
    const order = await worker.dispatchFetch("http://localhost/api/v1/orders", { method: "POST" });
    expect(order.status).toBe(500);
    expect(await order.json()).toMatchObject({
      error: "Internal error",
      message: expect.stringContaining(name),
    });
    await expect.poll(() => results).toContainEqual(expect.stringContaining(name));
  } finally {
    await worker.dispose();
  }
});

it("the worker logs what to do when no database is set", async () => {
  const results: unknown[] = [];
  const worker = await startWorker({}, { onLog: ({ message }) => results.push(message) });
  try {
    expect((await worker.dispatchFetch("http://localhost/health")).status).toBe(200);
    expect((await worker.dispatchFetch("http://localhost/api/v1/exchanges")).status).toBe(500);
    await expect.poll(() => results).toContainEqual(expect.stringContaining("on this machine in .dev.vars"));
  } finally {
    await worker.dispose();
  }
});

it("the worker reads a non-string setting from wrangler.toml by its value", async () => {
  const { settings, close } = await edgeDatabase({ EDGEMAKER_SANDBOX: "1" });
  const worker = await startWorker({
    ...settings,
    EDGEMAKER_SANDBOX: true as never,
    EDGEMAKER_SUBREQUESTS: 45 as never,
  });
  try {
    const ticker = "http://localhost/api/v1/ticker?exchange=kraken&symbol=BTC/USDT";
    expect((await worker.dispatchFetch(ticker)).status).toBe(200);
  } finally {
    await worker.dispose();
    await close();
  }
});
