import { describe, expect, it } from "vitest";
import { testApp } from "../support/app.ts";
import { startBody } from "../support/starts.ts";
import { REQUEST } from "./requested.ts";

interface Answer {
  readonly status: number;
  readonly body: Record<string, unknown> & {
    readonly id?: string;
    readonly planHash?: string;
    readonly orders?: readonly { readonly side: string; readonly price: number }[];
    readonly details?: Readonly<Record<string, unknown>>;
    readonly warnings?: readonly { readonly message: string }[];
  };
}

async function served() {
  const app = await testApp({ realTime: false });
  const ask = async (method: string, path: string, body?: object): Promise<Answer> => {
    const response = await app.ask(`/api/v1/${path.startsWith("strategies/") ? path : `strategy/${path}`}`, {
      method,
      headers: { authorization: `Bearer ${app.tokens.admin}`, "content-type": "application/json" },
      ...(body ? { body: JSON.stringify(body) } : {}),
    });
    return { status: response.status, body: (await response.json()) as Answer["body"] };
  };
  const open = () => app.venue("kraken").openOrders("BTC/USDT");
  return { ...app, ask, open };
}

describe("quotes over HTTP", () => {
  it("are previewed, started as shown, listed, changed, canceled, resumed and stopped", async () => {
    const { ask, open } = await served();
    const preview = await ask("POST", "../strategies/preview", startBody("quote", REQUEST));
    expect(preview).toMatchObject({ status: 200, body: { details: { spreadPercent: 1, levels: 2 } } });
    expect(preview.body.orders?.map(({ side }) => side)).toEqual(["buy", "buy", "sell", "sell"]);
    expect(await open()).toEqual([]);

    const started = await ask(
      "POST",
      "../strategies",
      startBody("quote", { ...REQUEST, planHash: preview.body.planHash }),
    );
    expect(started).toMatchObject({ status: 200, body: { status: "running" } });
    const id = started.body.id ?? "";
    expect(id).toMatch(/^quote-kraken-BTC-USDT-/);
    expect((await open()).length).toBeGreaterThanOrEqual(4);

    const { body } = await ask("GET", `strategies/${id}`);
    expect(body).toMatchObject({ id, notices: [], lastError: null, filledOrders: 0 });
    expect(body.orders?.length).toBeGreaterThanOrEqual(4);

    const before = (await open()).map((one) => one.id);
    const shown = await ask("POST", `strategies/${id}/preview`, { config: { levels: 1 } });
    expect(shown).toMatchObject({
      status: 200,
      body: { id, changes: [{ field: "levels", from: "2", to: "1" }], kept: 2, cancelled: 2, orders: [] },
    });
    expect((await open()).map((one) => one.id)).toEqual(before);
    expect((await ask("POST", `strategies/${id}/preview`, { config: { levels: 2 } })).status).toBe(400);
    const other = await ask("PATCH", `strategies/${id}`, {
      config: { levels: 3 },
      planHash: shown.body.planHash,
    });
    expect(other).toMatchObject({ status: 409 });
    const changed = await ask("PATCH", `strategies/${id}`, {
      config: { levels: 1 },
      planHash: shown.body.planHash,
    });
    expect(changed).toMatchObject({ status: 200, body: { success: true } });
    expect((await open()).map(({ side }) => side).sort()).toEqual(["buy", "sell"]);

    expect(await ask("POST", `../strategies/${id}/pause`, {})).toMatchObject({
      status: 200,
      body: { phase: "paused" },
    });
    expect(await open()).toEqual([]);
    expect((await ask("POST", `../strategies/${id}/resume`, {})).status).toBe(200);
    expect(await open()).toHaveLength(2);

    expect(await ask("DELETE", "grid", { id })).toMatchObject({ status: 200, body: { status: "stopped" } });
    expect(await open()).toEqual([]);
    expect((await ask("POST", `../strategies/${id}/pause`, {})).status).toBe(409);
  });

  it("keep a pending change when another is requested, and report that it waits", async () => {
    const { ask } = await served();
    const { id = "" } = (await ask("POST", "../strategies", startBody("quote", REQUEST))).body;
    await ask("POST", `../strategies/${id}/pause`, {});
    await ask("PATCH", `strategies/${id}`, { config: { spreadPercent: 2 } });
    const { body } = await ask("POST", `strategies/${id}/preview`, { config: { levels: 1 } });
    expect(body).toMatchObject({ changes: [{ field: "levels", from: "2", to: "1" }] });
    expect(body.warnings).toContainEqual(expect.objectContaining({ code: "paused" }));
    await ask("PATCH", `strategies/${id}`, { config: { levels: 1 } });
    await ask("POST", `../strategies/${id}/resume`, {});
    const { details } = (await ask("GET", `strategies/${id}`)).body;
    expect(details).toMatchObject({ spreadPercent: 2, levels: 1 });
  });

  it("defend a side as requested, and a change turns it on and off", async () => {
    const { ask } = await served();
    const preview = await ask(
      "POST",
      "../strategies/preview",
      startBody("quote", { ...REQUEST, defend: "pause:60" }),
    );
    expect(preview.body).toMatchObject({ details: { defend: "pause:60" } });
    const other = await ask(
      "POST",
      "../strategies",
      startBody("quote", { ...REQUEST, defend: "1:60", planHash: preview.body.planHash }),
    );
    expect(other.status).toBe(409);
    const { id = "" } = (
      await ask("POST", "../strategies", startBody("quote", { ...REQUEST, defend: "1:60" }))
    ).body;
    const defended = async () => (await ask("GET", `strategies/${id}`)).body.details?.defend;
    expect(await defended()).toBe("1:60");
    const shown = await ask("POST", `strategies/${id}/preview`, { config: { defend: "20:6" } });
    expect(shown.body).toMatchObject({ changes: [{ field: "defend", from: "1:60", to: "20:6" }] });
    await ask("PATCH", `strategies/${id}`, { config: { defend: "off" } });
    expect(await defended()).toBeNull();
  });

  it("warn of a defence within the tolerance, which would move nothing", async () => {
    const { ask } = await served();
    const isWarned = async (defend: string) => {
      const { body } = await ask("POST", "../strategies/preview", startBody("quote", { ...REQUEST, defend }));
      return body.warnings?.some(({ message }) => message.includes("within the tolerance"));
    };
    expect(await Promise.all(["1:60", "9999:60", "pause:60"].map(isWarned))).toEqual([true, false, false]);
  });

  it.each(["20", "0:60", "20:0", "pause", "20:60:1", "-5:60", "off:60", ""])(
    "reject the defence %j with a label",
    async (defend) => {
      const { ask } = await served();
      const { status, body } = await ask("POST", "../strategies", startBody("quote", { ...REQUEST, defend }));
      expect([status, body.error]).toEqual([400, "Invalid request"]);
      expect(body.message).toContain("defend must be TICKS:PASSES");
    },
  );

  it("are not listed as grids", async () => {
    const { ask } = await served();
    const { id } = (await ask("POST", "../strategies", startBody("quote", REQUEST))).body;
    expect((await ask("GET", "grid/status")).body).toMatchObject({ strategies: [] });
    expect((await ask("GET", "grid/list")).body).toMatchObject({ count: 0 });
    expect((await ask("GET", `grid/status?id=${id}`)).status).toBe(404);
  });

  it.each([
    ["neither size nor depth", { size: undefined }],
    ["both of them", { depth: 100 }],
    ["a part of the model", { gamma: 0.1 }],
    ["no price that can be trusted", { useOwn: false, useOthers: false, useDex: false }],
  ])("are refused with %s", async (_what, over) => {
    const { ask, open } = await served();
    expect(
      (await ask("POST", "../strategies", startBody("quote", { ...REQUEST, ...over }))).status,
    ).toBeGreaterThanOrEqual(400);
    expect(await open()).toEqual([]);
  });

  it("report that the model ignores the target", async () => {
    const { ask } = await served();
    const warned = async (path: string, over: object) => {
      const { warnings } = (await ask("POST", path, startBody("quote", { ...REQUEST, ...over }))).body;
      return warnings?.some(({ message }) => /replace target and skew/.test(message));
    };
    const model = { gamma: 0.001, sigma: 1, k: 0.01, target: 0.5 };
    expect(await warned("../strategies/preview", { target: 0.5 })).toBe(false);
    expect(await warned("../strategies/preview", model)).toBe(true);
    expect(await warned("../strategies", model)).toBe(true);
  });

  it("require a budget next to other strategies", async () => {
    const { ask } = await served();
    await ask("POST", "../strategies", startBody("quote", REQUEST));
    const { quoteBudget: _, ...without } = REQUEST;
    expect(await ask("POST", "../strategies", startBody("quote", without))).toMatchObject({
      status: 400,
      body: { message: expect.stringContaining("quoteBudget") },
    });
  });
});
