import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { MINUTE } from "../../src/kernel/time.ts";
import { edgemaker } from "../support/command.ts";
import { tempFolder } from "../support/temp.ts";

const FIRST = Date.UTC(2022, 0, 1);

it("counts fills of Bitget's trades by their amounts in base", async () => {
  const folder = tempFolder();
  const rows = Array.from({ length: 40 }, (_, i) => {
    const price = i % 2 === 0 ? 94 : 106;
    return `${i},${FIRST + i * MINUTE},${price},buy,${(price * 0.1).toFixed(2)},0.1\n`;
  });
  const flags =
    "--exchange bitget --symbol BTC/USDT --lower 90 --upper 110 --levels 4 --size 100 --tick 0.1 --lot 0.001 --maker-fee 0 --json".split(
      " ",
    );
  const filled = async (names: string, more: readonly string[] = []) => {
    writeFileSync(join(folder, "a.csv"), `${names}\n${rows.join("")}`);
    const { code, stdout, stderr } = await edgemaker(folder, [
      "backtest",
      ...flags,
      "--data",
      "a.csv",
      ...more,
    ]);
    return code === 0 ? JSON.parse(stdout).filledOrders : stderr;
  };
  const expected = await filled("id,timestamp,price,side,total,size");
  expect(await filled("trade_id,timestamp,price,side,volume(quote),size(base)")).toBe(expected);
  expect(await filled("id,timestamp,price,side,volume(quote),x")).toMatch(
    /--data a\.csv: it is unknown which column has the amounts in BTC \(volume\(quote\)\); name it with --volume-column/,
  );
  expect(await filled("id,timestamp,price,side,volume(quote),x", ["--volume-column", "x"])).toBe(expected);
});
