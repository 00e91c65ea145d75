import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { oneAccount } from "../support/one-account.ts";
import { askingOf, runOperation } from "../support/sandbox.ts";
import { type Figure, repeat } from "./figure.ts";
import { longestTurn } from "./liquidity.ts";

/** Grids on one account. */
const COUNTS = [500, 1000, 2000] as const;
const LISTED = { count: 200, slots: 80 };
const KILLS = 100;
/** Between two kills. */
const APART = 20;

type Account = Awaited<ReturnType<typeof oneAccount>>;

/** Grids of 4 slots on one account beside a limit, on a database file and an exchange that answers at once. */
export async function accountFigures(): Promise<Figure[]> {
  const figures: Figure[] = [];
  for (const count of COUNTS) {
    const most = count === 2000;
    await withAccount({ count, slots: 4 }, async (account) => {
      const name = `a quiet pass over ${count.toLocaleString("en")} grids on one account`;
      figures.push(
        {
          name,
          unit: "ms",
          runs: await repeat(() => millisOf(account.pass)),
          ...(most ? { goal: "≤ 400" } : {}),
        },
        {
          name: "longest wait of other requests meanwhile",
          unit: "ms",
          runs: await repeat(() => longestTurn(account.pass)),
          ...(most ? { goal: "≤ 50" } : {}),
        },
      );
      if (most) figures.push(await killFigure(account));
    });
  }
  await withAccount(LISTED, async ({ deps, context }) => {
    const list = async () => {
      // As after a pass: the database has changed, and no grid.
      await context.client.execute("update control set kill = kill");
      const before = process.cpuUsage();
      await runOperation(deps, "list_grids", {});
      const { user, system } = process.cpuUsage(before);
      return (user + system) / 1000;
    };
    for (let count = 0; count < 10; count++) await list();
    figures.push({
      name: `a list of ${LISTED.count} grids of ${LISTED.slots} slots: CPU time`,
      unit: "ms",
      runs: await repeat(list),
      goal: "≤ 10",
    });
  });
  return figures;
}

async function withAccount(
  { count, slots }: typeof LISTED,
  measure: (account: Account) => Promise<void>,
): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), "edgemaker-bench-"));
  const account = await oneAccount(count, {
    slots,
    url: `file:${join(folder, "account.db")}`,
    realTime: true,
  });
  await askingOf(account.deps).ask("set_limits", { orderNotional: "USDT=1000000" });
  for (let pass = 0; pass < 3; pass++) await account.pass();
  await measure(account);
  account.context.client.close();
  rmSync(folder, { recursive: true, force: true });
}

/** The longest of a hundred kills while passes follow each other without a pause. */
async function killFigure({ deps, pass }: Account): Promise<Figure> {
  const { ask } = askingOf(deps);
  let isOver = false;
  const passing = (async () => {
    while (!isOver) await pass();
  })();
  const longest = async () => {
    const kills: Promise<number>[] = [];
    for (let count = 0; count < KILLS; count++) {
      kills.push(millisOf(() => ask("set_kill_switch", { on: true })));
      await sleep(APART);
    }
    return Math.max(...(await Promise.all(kills)));
  };
  const runs = await repeat(longest, 3);
  isOver = true;
  await passing;
  return {
    name: "the longest of 100 kills beside passes over 2,000 grids",
    unit: "ms",
    runs,
    goal: "≤ 1500",
  };
}

async function millisOf(run: () => Promise<unknown>): Promise<number> {
  const startedAt = performance.now();
  await run();
  return performance.now() - startedAt;
}
