import { expect, it } from "vitest";
import { serve } from "../support/command.ts";
import { tempFolder } from "../support/temp.ts";

it("a server limits requests from its own machine only if configured", async () => {
  const flags = ["--sandbox", "--tick-interval", "60000"];
  const [open, limited] = await Promise.all([
    serve(tempFolder(), flags, { EDGEMAKER_RATE_LIMIT: "address=1,burst=20" }),
    serve(tempFolder(), flags, { EDGEMAKER_RATE_LIMIT: "address=1,burst=20,loopback" }),
  ]);
  const statuses = async ({ ask }: typeof open) =>
    (await Promise.all(Array.from({ length: 100 }, () => ask("/api/v1/exchanges")))).map(
      ({ status }) => status,
    );
  expect((await statuses(open)).filter((status) => status === 200)).toHaveLength(100);

  const startedAt = performance.now();
  const answered = await statuses(limited);
  const seconds = (performance.now() - startedAt) / 1000;
  const [accepted, refused] = [200, 429].map((status) => answered.filter((one) => one === status).length);
  expect(accepted).toBeGreaterThanOrEqual(20);
  expect(accepted).toBeLessThanOrEqual(20 + Math.ceil(seconds));
  expect((accepted ?? 0) + (refused ?? 0)).toBe(100);
});
