import { afterAll, beforeAll, expect, it, vi } from "vitest";

/** What a browser has, and Node has not. */
const STORAGE = { getItem: () => null, setItem: () => {}, removeItem: () => {} };

// Not typed here: the tests are checked without a browser's types.
const PATH = "../../src/web/api.ts";
let page: {
  ask(route: string): Promise<unknown>;
  isUnanswered(error: unknown): boolean;
};
beforeAll(async () => {
  vi.stubGlobal("sessionStorage", STORAGE);
  vi.stubGlobal("BroadcastChannel", class {});
  page = await import(PATH);
});
afterAll(() => vi.unstubAllGlobals());

const answer = (body: BodyInit) => vi.stubGlobal("fetch", async () => new Response(body));

it("reports a connection that breaks within a response as an unreachable server", async () => {
  const broken = new ReadableStream({
    start: (controller) => controller.error(new TypeError("network error")),
  });
  answer(broken);
  const failed = await page.ask("POST /strategy/grid").catch((error: unknown) => error);
  expect(failed).toMatchObject({ status: 0, label: "Server unreachable" });
  expect(page.isUnanswered(failed)).toBe(true);
});

it("reports a page that a proxy sent instead of the server", async () => {
  answer("<html>Sign in to the network</html>");
  const failed = await page.ask("GET /session").catch((error: unknown) => error);
  expect(failed).toMatchObject({ status: 200, label: "Failed" });
});
