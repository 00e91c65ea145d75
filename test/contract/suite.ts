import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type Operation, routeOf } from "../../src/operation.ts";
import { createOperations } from "../../src/operations.ts";
import type { Target } from "../support/app.ts";
import { EXCHANGES } from "../support/sandbox.ts";
import { compareRows } from "./compare-rows.ts";
import { dexRows } from "./dex-rows.ts";
import { type Row, rows, type World } from "./rows.ts";

type Started = Target & { close?: () => Promise<void> };
type Json = Record<string, unknown>;

/** Walks the contract over HTTP, against whatever serves it. */
export function contractSuite(name: string, start: () => Promise<Started>): void {
  describe(name, () => {
    let target: Started;
    let world: World;
    beforeAll(async () => {
      target = await start();
      world = await prepare(target);
    });
    afterAll(async () => {
      await target.close?.();
    });

    it.each(
      [...rows, ...dexRows, ...compareRows].map((row) => ({
        row,
        title: `${row.method ?? "GET"} ${typeof row.path === "string" ? row.path : "…"}: ${row.name}`,
      })),
    )("$title", async ({ row }) => {
      const response = await ask(target, row, world);
      const body = (await response.json()) as Json;
      expect({ status: response.status, label: body.error }).toEqual({
        status: row.status,
        label: row.label,
      });
      if (row.label) {
        expect(body).toMatchObject({
          message: expect.stringMatching(/\S/),
          requestId: expect.stringMatching(/^\w+$/),
        });
        expect(JSON.stringify(body)).not.toMatch(/at .*\.(ts|js):\d|https?:\/\//);
      }
      if (response.ok) expect(operationAt(row, world).output.safeParse(body).error).toBeUndefined();
      for (const [field, wanted] of Object.entries(row.has ?? {}))
        expect(kindOf(body[field], wanted), field).toEqual(wanted);
    });

    it("documents every route that it serves", async () => {
      const document = (await (await target.ask("/openapi.json")).json()) as {
        openapi: string;
        paths: Record<string, object>;
      };
      const served = createOperations(EXCHANGES).map((operation) => {
        const { method, path } = routeOf(operation);
        return `${method} ${path.replace(/:(\w+)/g, "{$1}")}`;
      });
      const documented = Object.entries(document.paths).flatMap(([path, methods]) =>
        Object.keys(methods).map((method) => `${method.toUpperCase()} ${path}`),
      );
      expect(document.openapi).toBe("3.1.0");
      expect(documented.sort()).toEqual(served.sort());
    });

    it("locks every route that is not public without a token, and with a lower scope", async () => {
      for (const operation of createOperations(EXCHANGES).filter(({ access }) => access === "token")) {
        const { method, path } = routeOf(operation);
        const url = `/api/v1${path.replace(/:\w+/g, "x")}`;
        const status = async (headers: Record<string, string>) =>
          (await target.ask(url, { method, headers })).status;
        expect(await status({}), operation.name).toBe(401);
        expect(await status({ authorization: "Bearer wrong" }), operation.name).toBe(401);
        expect(await status({ authorization: target.tokens.admin }), operation.name).toBe(401);
        if (operation.effect !== "read")
          expect(await status(bearer(target.tokens.read)), operation.name).toBe(403);
        if (operation.effect === "admin")
          expect(await status(bearer(target.tokens.trade)), operation.name).toBe(403);
      }
    });
  });
}

function operationAt(row: Row, world: World): Operation {
  const [asked = ""] = (typeof row.path === "function" ? row.path(world) : row.path).split("?");
  const found = createOperations(EXCHANGES).find((operation) => {
    const { method, path } = routeOf(operation);
    const paths = [path, operation.http.alias ?? path];
    const isAsked = (one: string) => new RegExp(`^${one.replace(/:\w+/g, "[^/]+")}$`).test(asked);
    return method === (row.method ?? "GET") && paths.some(isAsked);
  });
  if (!found) throw new Error(`no operation serves ${asked}`);
  return found;
}

export const bearer = (token: string) => ({ authorization: `Bearer ${token}` });

export async function ask(target: Target, row: Row, world: World): Promise<Response> {
  const of = <T>(value: T | ((one: World) => T)): T =>
    typeof value === "function" ? (value as (one: World) => T)(world) : value;
  const query = Object.entries(of(row.query ?? {})).filter(([, value]) => value !== undefined) as [
    string,
    string,
  ][];
  const path = `/api/v1${of(row.path)}${query.length > 0 ? `?${new URLSearchParams(query)}` : ""}`;
  const headers = {
    ...bearer(target.tokens.admin),
    ...(row.body === undefined ? {} : { "content-type": "application/json" }),
  };
  return target.ask(path, {
    method: row.method ?? "GET",
    headers,
    ...(row.body === undefined ? {} : { body: JSON.stringify(of(row.body)) }),
  });
}

/** An open order and a running grid, so that every row has something to name. */
async function prepare(target: Target): Promise<World> {
  const market = { exchange: "kraken", symbol: "BTC/USDT" };
  const blank = { ...market, price: 0, orderId: "", gridId: "" };
  const json = async (row: Omit<Row, "name" | "status">) =>
    (await ask(target, { name: "", status: 200, ...row }, blank)).json() as Promise<Json>;
  const ticker = await json({ path: "/ticker", query: market });
  const price = Number(ticker.bid);
  const placed = await json({
    method: "POST",
    path: "/orders",
    body: { ...market, side: "buy", type: "limit", amount: 0.001, price: Math.round(price * 0.8) },
  });
  const started = await json({
    method: "POST",
    path: "/strategy/grid",
    body: {
      ...market,
      lowerPrice: Math.round(price * 0.95),
      upperPrice: Math.round(price * 1.05),
      gridLevels: 4,
      orderSize: 50,
    },
  });
  return { ...market, price, orderId: String((placed.order as Json).id), gridId: String(started.id) };
}

const kindOf = (value: unknown, wanted: unknown): unknown => {
  if (wanted === "array") return Array.isArray(value) ? "array" : typeof value;
  return ["string", "number", "object"].includes(String(wanted)) && value !== null ? typeof value : value;
};
