import { createHash } from "node:crypto";
import type { Context } from "../../src/storage/client/context.ts";

/** Of events as they are stored, by a reading of the rules of its own: what is wrong with their chains. */
export async function brokenLinks({ client }: Pick<Context, "client">): Promise<string[]> {
  const { rows } = await client.execute("select * from events where chain is not null order by chain, seq");
  let [chain, seq, hash] = [undefined as unknown, 0, ""];
  const broken: string[] = [];
  for (const row of rows) {
    if (row.chain !== chain) [chain, seq, hash] = [row.chain, 0, ""];
    seq++;
    const said = [
      ...["account", "strategy", "at", "kind", "message", "actor", "request"].map(
        (name) => row[name] as string,
      ),
    ];
    const expected = createHash("sha256")
      .update(JSON.stringify([hash, row.chain, row.seq, ...said]))
      .digest("hex");
    if (row.seq !== seq || row.hash !== expected) broken.push(`${row.id}: ${row.chain} ${row.seq}`);
    hash = String(row.hash);
  }
  return broken;
}
