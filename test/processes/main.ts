import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { crash } from "./crash.ts";

const option = (name: string, fallback: number): number => {
  const place = process.argv.indexOf(`--${name}`);
  return place < 0 ? fallback : Number(process.argv[place + 1]);
};

const seed = option("seed", Date.now() % 1_000_000);
const run = { seed, kills: option("kills", 50), life: option("life", 1500), speed: option("speed", 20_000) };
const folder = mkdtempSync(join(tmpdir(), "edgemaker-crash-"));
console.log(`killing a server ${run.kills} times; again with: npm run crash -- --seed ${seed}`);
const startedAt = performance.now();
const { early, wholeAfter, whole, keys, byHandPlaced, audits } = await crash(folder, {
  ...run,
  byHand: true,
});
const sum = (counts: readonly number[]) => counts.reduce((total, count) => total + count, 0);
const figures = {
  seconds: Math.round((performance.now() - startedAt) / 1000),
  kills: run.kills,
  "killed before listening": early,
  "orders on the venues": sum(audits.map(({ orders }) => orders)),
  fills: sum(audits.map(({ fills }) => fills)),
  cycles: sum(whole.map(({ cycles }) => cycles)),
  "keyed orders asked for": keys,
  "told as placed": byHandPlaced,
  "of them on the venue": audits[0]?.byHand,
  "all slots whole after (ms)": Math.round(wholeAfter),
  duplicates: sum(audits.map(({ twice }) => twice.length)),
  "orders without an intent": sum(audits.map(({ withoutIntent }) => withoutIntent.length)),
  "orders left open": sum(audits.map(({ open }) => open.length)),
  "fills not booked": sum(audits.map(({ unbooked }) => unbooked.length)),
  "ledger differences": audits.flatMap(({ differences }) => differences).join(", ") || "none",
};
console.table(figures);
const wrong =
  audits.some(({ twice, withoutIntent, open, unbooked, differences }) =>
    [twice, withoutIntent, open, unbooked, differences].some(({ length }) => length > 0),
  ) || audits[0]?.byHand !== byHandPlaced;
if (wrong) console.error(`WRONG; the database is kept in ${folder}`);
else rmSync(folder, { recursive: true });
process.exit(wrong ? 1 : 0);
