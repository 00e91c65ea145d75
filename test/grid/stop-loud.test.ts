import { describe, expect, it } from "vitest";
import { edgemaker, eventually, serve } from "../support/command.ts";
import { gridOver } from "../support/path.ts";
import { tempFolder } from "../support/temp.ts";

interface Reported {
  readonly stopPrices: readonly { reason: string; price: number; distancePercent: number; armed: boolean }[];
  readonly stopReason: string | null;
  readonly totalProfit: number;
  readonly position: string;
}

const RANGE = { lowerPrice: 90, upperPrice: 110, gridLevels: 10, orderSize: 50 };
const STOPS = { stopLossPrice: 85, takeProfitPrice: 120 };

describe("a stop price", () => {
  it("is shown with its distance and with any consequence of it", async () => {
    const grid = await gridOver(
      Array.from({ length: 20 }, () => 100),
      { quote: "1000" },
    );
    const { id } = await grid.ask<{ id: string }>("start_grid", { ...grid.where, ...RANGE, ...STOPS });
    await grid.pass(2);
    const readOutput = async () => ((await grid.status()) as unknown as Reported).stopPrices;
    const [loss, profit] = await readOutput();
    expect(loss).toMatchObject({ reason: "stop_loss", price: 85, armed: true });
    expect(loss?.distancePercent).toBeCloseTo(-15, 0);
    expect(profit).toMatchObject({ reason: "take_profit", price: 120, armed: true });
    expect(profit?.distancePercent).toBeCloseTo(20, 0);
    await grid.ask("pause_strategy", { id });
    expect((await readOutput()).map(({ armed }) => armed)).toEqual([false, false]);
  });

  it("reports why it stopped, at which price, what it sold and the result", async () => {
    const path = [100, 97, 93, 89, 84, 84, 84, 84, 84, 84];
    const grid = await gridOver(path, { quote: "1000" });
    const { id } = await grid.ask<{ id: string }>("start_grid", { ...grid.where, ...RANGE, ...STOPS });
    await grid.pass(path.length);
    const status = (await grid.status()) as unknown as Reported;
    const { events } = await grid.ask<{ events: { kind: string; message: string }[] }>(
      "get_strategy_events",
      {
        id,
      },
    );
    const loud = events.filter(({ kind }) => kind === "exit").map(({ message }) => message);
    const cents = String(Number(status.totalProfit.toFixed(2)));
    expect(status.position).toBe("0");
    expect(status.totalProfit).toBeLessThan(-20);
    expect(loud.reverse()).toEqual([
      expect.stringMatching(
        /^stop_loss at 84\S* \(armed at 85\), P&L -?[\d.]+ USDT: all orders are canceled, and [\d.]+ ETH are sold$/,
      ),
      status.stopReason,
    ]);
    expect(status.stopReason).toMatch(
      new RegExp(`^stopped: stop_loss at 84\\S* \\(armed at 85\\), sold [\\d.]+ ETH, ${cents} USDT in all$`),
    );
    const { message } = await grid.ask<{ message: string }>("stop_strategy", { id });
    expect(message).toContain(`${status.stopReason}; total ${cents} USDT`);
  });

  it("acts on one pass's price only if the user asked for that", async () => {
    const grid = await gridOver([100, 97, 84, 100, 100, 100], { quote: "1000" });
    const other = await gridOver([100, 97, 84, 100, 100, 100], { quote: "1000" });
    await grid.ask("start_grid", { ...grid.where, ...RANGE, ...STOPS, stopAtOnce: true });
    await other.ask("start_grid", { ...other.where, ...RANGE, ...STOPS });
    await grid.pass(6);
    await other.pass(6);
    const [first, second] = [await grid.status(), await other.status()] as unknown as Reported[];
    expect(first?.stopReason).toMatch(/^stopped: stop_loss at 84/);
    expect([first?.position, second?.stopReason]).toEqual(["0", null]);
  });

  it("is prominent in the server's terminal, in its log and in the command line's status", async () => {
    const folder = tempFolder();
    const server = await serve(folder, ["--sandbox", "--speed", "60", "--tick-interval", "200"]);
    const market = ["--exchange", "kraken", "--symbol", "BTC/USDT", "--sandbox"];
    const bounds = ["--lower", "57000", "--upper", "63000", "--levels", "4", "--size", "100"];
    const started = await edgemaker(folder, [
      "grid",
      "start",
      ...market,
      ...bounds,
      "--stop-loss-price",
      "55000",
      "--yes",
    ]);
    expect(started.code, started.stderr).toBe(0);
    const armed = await edgemaker(folder, ["grid", "status", "--sandbox"]);
    expect(armed.stdout).toMatch(/stops +stop loss at 55000, [\d.]+ % below the price, armed/);
    const shock = ["sandbox", "shock", "--symbol", "BTC/USDT", "--percent", "-15"];
    expect((await edgemaker(folder, shock)).code).toBe(0);
    const loud = /stopped: stop_loss at 5\d{4}\S* \(armed at 55000\), sold [\d.]+ BTC, -[\d.]+ USDT/;
    await eventually(
      async () => server.stdout(),
      (stdout) => loud.test(stdout),
    );
    await expect.poll(server.stderr).toMatch(loud);
    const running = await edgemaker(folder, ["grid", "status", "--sandbox"]);
    expect(running.stdout).not.toContain("grid-kraken");
    const all = await edgemaker(folder, ["grid", "status", "--sandbox", "--all"]);
    expect(all.stdout.replace(/\s+/g, " ")).toMatch(loud);
    expect(all.stdout).toMatch(/^total +-[\d.]+ USDT, 1 grid$/m);
    expect(all.stdout).toMatch(/^ +total +-[\d.]+ USDT, -[\d.]+ % of 400 USDT, [+-][\d.]+ vs buy and hold$/m);
  });
});
