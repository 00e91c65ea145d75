import { cpSync, mkdirSync } from "node:fs";
import { networkInterfaces } from "node:os";
import { join } from "node:path";
import { expect, it } from "vitest";
import { root } from "../support/bundle.ts";
import { edgemaker, eventually, serve } from "../support/command.ts";
import { tempFolder } from "../support/temp.ts";

it("a server logs each start and fill, and the remaining open orders at its end", async () => {
  const folder = tempFolder();
  const server = await serve(folder, ["--sandbox"]);
  const market = ["--sandbox", "--exchange", "kraken", "--symbol", "BTC/USDT"];
  const bounds = ["--lower", "57000", "--upper", "63000", "--levels", "12", "--size", "100"];
  const started = await edgemaker(folder, [
    "grid",
    "start",
    ...market,
    ...bounds,
    "--use-own-base",
    "--yes",
    "--json",
  ]);
  const { id } = JSON.parse(started.stdout) as { id: string };
  await eventually(
    async () => server.stdout(),
    (text) => text.includes(`${id}: started on BTC/USDT`),
  );
  const shocked = await edgemaker(folder, ["sandbox", "shock", "--symbol", "BTC/USDT", "--percent", "-2"]);
  expect(shocked.code).toBe(0);
  const fill = new RegExp(String.raw`^\d\d:\d\d:\d\d ${id}: bought 0\.00\d+ BTC at 5\d+(\.\d+)? USDT$`, "m");
  await eventually(
    async () => server.stdout(),
    (text) => fill.test(text),
  );
  const resting = async () => {
    const result = await (await server.ask(`/api/v1/strategy/grid/status?id=${id}`)).json();
    return (result as { strategies: { openOrders: number }[] }).strategies[0]?.openOrders;
  };
  await eventually(resting, (open) => open === 12);
  await server.kill("SIGINT");
  expect(server.child.exitCode).toBe(0);
  expect(server.stdout()).toMatch(
    new RegExp(
      String.raw`These orders stay open[^:]*:\n  ${id}: 12 orders on kraken\nTo cancel them: edgemaker grid stop <id> --sandbox, or edgemaker panic --sandbox for all\.`,
    ),
  );
});

it("a server that stops names the command that cancels the orders of each kind of strategy", async () => {
  const folder = tempFolder();
  mkdirSync(join(folder, "strategies"));
  cpSync(join(root, "examples/two-sided.ts"), join(folder, "strategies/two-sided.ts"));
  const server = await serve(folder, ["--sandbox"]);
  const market = ["--sandbox", "--exchange", "kraken", "--spread-percent", "1", "--size", "100", "--yes"];
  for (const words of [
    ["strategy", "start", "two-sided", "--symbol", "BTC/USDT"],
    ["quote", "start", "--symbol", "ETH/USDT", "--quote-budget", "1000", "--base-budget", "1"],
  ]) {
    const { code, stderr } = await edgemaker(folder, [...words, ...market]);
    expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
  }
  await server.kill("SIGINT");
  expect(server.stdout()).toContain(
    "To cancel them: edgemaker quote stop <id> --sandbox, edgemaker strategy stop <id> --sandbox, or edgemaker panic --sandbox for all.",
  );
});

it("a server accepts only local connections unless --host opens all interfaces, which it prints", async () => {
  const folder = tempFolder();
  const others = Object.values(networkInterfaces())
    .flatMap((all) => all ?? [])
    .filter(({ family, internal }) => family === "IPv4" && !internal);
  const statusAt = async (host: string, url: string) =>
    (await fetch(`http://${host}:${new URL(url).port}/health`).catch(() => undefined))?.status;
  const every = await serve(folder, ["--sandbox"], {}, undefined, "0.0.0.0");
  expect(every.stdout()).toMatch(/ at http:\/\/127\.0\.0\.1:(\d+) \(docs/);
  await eventually(
    async () => every.stdout(),
    (text) => text.includes(`Listening on 0.0.0.0:${new URL(every.url).port} (all interfaces)`),
  );
  const here = await serve(tempFolder(), ["--sandbox"]);
  for (const { address } of others) {
    expect(await statusAt(address, every.url)).toBeDefined();
    expect(await statusAt(address, here.url)).toBeUndefined();
  }
  await here.kill("SIGINT");
  expect(here.stdout()).not.toContain("Listening on");
});
