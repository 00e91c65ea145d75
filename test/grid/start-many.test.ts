import { expect, it } from "vitest";
import { drivenApp } from "../support/driven.ts";
import { gridRequest } from "../support/requests.ts";
import { START } from "../support/sandbox.ts";
import { most } from "../support/whole.ts";

const GRID = gridRequest({ lowerPrice: 59_000, upperPrice: 61_000, gridLevels: 2, orderSize: 20 });

const PARALLEL_STARTS = most(100, 25);

it("many grids started in the same millisecond have distinct ids and separate orders", async () => {
  const app = await drivenApp({ frozen: true });
  const answers = await Promise.all(
    Array.from({ length: PARALLEL_STARTS }, () => app.call<{ id: string }>("POST", "/strategy/grid", GRID)),
  );
  expect(answers.map(({ status }) => status)).toEqual(Array(PARALLEL_STARTS).fill(200));
  expect(app.time.now()).toBe(START);
  const numbers = answers.map(({ body }) => Number(body.id.split("-").at(-1))).sort((a, b) => a - b);
  expect(numbers).toEqual(Array.from({ length: PARALLEL_STARTS }, (_, place) => START + place));

  const all = await app.grids();
  expect(all.map(({ status, openOrders }) => ({ status, openOrders }))).toEqual(
    Array(PARALLEL_STARTS).fill({ status: "running", openOrders: 2 }),
  );
  const ids = (await app.resting()).map(({ clientId }) => clientId);
  expect(new Set(ids).size).toBe(2 * PARALLEL_STARTS);
});
