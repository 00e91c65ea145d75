import { describe, expect, it } from "vitest";
import { requestStore } from "../../../../src/adapters/libsql/request-store.ts";
import { strategyStore } from "../../../../src/adapters/libsql/strategy-store.ts";
import { DAY, MINUTE } from "../../../../src/kernel/time.ts";
import { BY } from "../../../support/by.ts";
import { opened } from "./opened.ts";
import { started } from "./rows.ts";

const DONE = { status: 201, body: "made" };
const countRequests = (key: string, bodyHash = "one") => ({ key, bodyHash });

async function open() {
  const { context, time } = await opened();
  return {
    requests: requestStore(context),
    strategies: strategyStore(context),
    time,
    client: context.client,
  };
}

describe("a request with an idempotency key", () => {
  it("runs once, and returns its response to each retry with the same body", async () => {
    const { requests } = await open();
    expect(await requests.claimRequest(countRequests("a"))).toEqual({ state: "new" });
    expect(await requests.claimRequest(countRequests("a"))).toEqual({ state: "running" });
    expect(await requests.claimRequest(countRequests("a", "other"))).toEqual({ state: "conflict" });
    await requests.claimRequest(countRequests("b"));
    await requests.finishRequest("a", DONE);
    expect(await requests.claimRequest(countRequests("a"))).toEqual({ state: "done", ...DONE });
    expect(await requests.claimRequest(countRequests("a", "other"))).toEqual({ state: "conflict" });
    expect(await requests.claimRequest(countRequests("b"))).toEqual({ state: "running" });
  });

  it("is taken over once, by the same body, from a process silent for more than a minute", async () => {
    const { requests, time } = await open();
    await requests.claimRequest(countRequests("a"));
    await requests.claimRequest(countRequests("b"));
    time.pass(MINUTE);
    expect(await requests.claimRequest(countRequests("a"))).toEqual({ state: "running" });
    time.pass(1);
    expect(await requests.claimRequest(countRequests("a", "other"))).toEqual({ state: "conflict" });
    expect(await requests.claimRequest(countRequests("a"))).toEqual({ state: "new" });
    expect(await requests.claimRequest(countRequests("a"))).toEqual({ state: "running" });
    expect(await requests.claimRequest(countRequests("b"))).toEqual({ state: "new" });
  });

  it("has no owner for a moment where it was deleted or answered during the read", async () => {
    const { requests, time, client } = await open();
    await requests.claimRequest(countRequests("a"));
    time.pass(MINUTE + 1);
    const { execute } = client;
    /** What another process does right before a statement that begins so. */
    const justBefore = (start: string, act: string) =>
      Object.assign(client, {
        execute: async (statement: Parameters<typeof execute>[0]) => {
          if ((typeof statement === "string" ? statement : statement.sql).startsWith(start)) {
            Object.assign(client, { execute });
            await execute(act);
          }
          return execute(statement);
        },
      });
    justBefore("update", "update requests set status = 201, body = 'made'");
    expect(await requests.claimRequest(countRequests("a"))).toEqual({ state: "running" });
    expect(await requests.claimRequest(countRequests("a"))).toEqual({ state: "done", ...DONE });
    justBefore("select", "delete from requests");
    expect(await requests.claimRequest(countRequests("a"))).toEqual({ state: "running" });
    expect(await requests.claimRequest(countRequests("a"))).toEqual({ state: "new" });
  });

  it("is not taken over once it was answered, however long ago", async () => {
    const { requests, time } = await open();
    await requests.claimRequest(countRequests("a"));
    await requests.finishRequest("a", DONE);
    time.pass(2 * MINUTE);
    expect(await requests.claimRequest(countRequests("a"))).toEqual({ state: "done", ...DONE });
  });

  it("can run again at once where it was reopened, it alone", async () => {
    const { requests } = await open();
    await requests.claimRequest(countRequests("a"));
    await requests.claimRequest(countRequests("b"));
    await requests.reopenRequest("a");
    expect(await requests.claimRequest(countRequests("a"))).toEqual({ state: "new" });
    expect(await requests.claimRequest(countRequests("b"))).toEqual({ state: "running" });
  });

  it("is deleted after a day, also from the strategy that it has started", async () => {
    const { requests, strategies, time } = await open();
    await requests.claimRequest(countRequests("old"));
    await strategies.createStrategy({ ...started(), request: "old" }, BY);
    time.pass(1);
    await requests.claimRequest(countRequests("young"));
    await strategies.createStrategy({ ...started(), request: "young" }, BY);
    time.pass(DAY);
    await requests.claimRequest(countRequests("another"));
    const names = async () => (await strategies.strategies({})).map(({ strategy }) => strategy.request);
    expect((await names()).sort()).toEqual(["young", null].sort());
    expect(await requests.claimRequest(countRequests("old", "other"))).toEqual({ state: "new" });
    expect(await requests.claimRequest(countRequests("young", "other"))).toEqual({ state: "conflict" });
  });
});
