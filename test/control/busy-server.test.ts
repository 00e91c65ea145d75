import { expect, it } from "vitest";
import { eventually, serve } from "../support/command.ts";
import { tempFolder } from "../support/temp.ts";

const SEARCH = { exchange: "kraken", symbol: "BTC/USDT", budget: 1000, windows: 24 };

it("a server responds immediately during calculations, and drops those of disconnected clients", async () => {
  const server = await serve(tempFolder(), ["--sandbox", "--tick-interval", "60000"]);
  const ended: string[] = [];
  const ask = async (name: string, path: string, init: RequestInit = {}) => {
    const { status } = await server.ask(path, init);
    ended.push(name);
    return status;
  };
  const search = (signal: AbortSignal) =>
    ask("search", "/api/v1/strategy/grid/suggest", {
      method: "POST",
      body: JSON.stringify(SEARCH),
      signal,
    }).catch(() => 0);
  const fourSearches = () => {
    const left = new AbortController();
    const requests = Array.from({ length: 4 }, () => search(left.signal));
    return { requests, leave: () => left.abort() };
  };
  const isFull = async () => (await search(AbortSignal.timeout(200_000))) === 429;

  const first = fourSearches();
  await eventually(isFull, (full) => full);
  ended.length = 0;
  expect(await ask("health", "/health")).toBe(200);
  expect(await ask("kill", "/api/v1/kill", { method: "POST", body: JSON.stringify({ on: false }) })).toBe(
    200,
  );
  expect(ended.slice(0, 2)).toEqual(["health", "kill"]);

  first.leave();
  expect(await Promise.all(first.requests)).toEqual([0, 0, 0, 0]);
  await eventually(isFull, (full) => !full);
  expect(server.stderr()).not.toContain('"level":"error"');
});
