import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { edgemaker } from "../support/command.ts";
import { tempFolder } from "../support/temp.ts";

const BUSY = `import { defineStrategy, z } from "edgemaker";
export default defineStrategy({
  name: "busy",
  config: z.object({}),
  orders() {
    let sum = 0;
    for (let i = 0; i < 10_000; i++) sum += i % 7;
    return sum < 0 ? [{ id: "a", side: "buy", price: 1, size: 1 }] : [];
  },
});
`;

// The process that has the code shows that its calls go on; together they can take longer than the limit of one.
it("a backtest over candles of a day runs in the process of its code", async () => {
  const folder = tempFolder();
  mkdirSync(join(folder, "strategies"));
  writeFileSync(join(folder, "strategies/busy.ts"), BUSY);
  writeFileSync(
    join(folder, "days.csv"),
    "time,open,high,low,close,volume\n1767225600,60000,61000,59000,60500,10\n1767312000,60500,61500,59500,60000,10\n",
  );
  const flags = "--exchange kraken --symbol BTC/USDT --base-budget 0.1 --quote-budget 5000";
  const { code, stdout, stderr } = await edgemaker(folder, [
    ..."strategy backtest busy --timeframe 1d --data days.csv --tick-interval 600000 --sandbox --json".split(
      " ",
    ),
    ...flags.split(" "),
  ]);
  expect([code, stderr.replace(/^\d+ % done\n/gm, "")]).toEqual([0, ""]);
  expect(JSON.parse(stdout)).toMatchObject({ definition: "busy", lastError: null, bars: 2 });
});
