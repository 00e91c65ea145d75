import { and, asc, desc, eq, sql } from "drizzle-orm";
import { SettingsError } from "../../kernel/errors.ts";
import { MINUTES_A_DAY } from "../../model/samples/minute.ts";
import { NO_PREVIOUS } from "../../model/samples/proof.ts";
import type { ProofKeys, ProofStore, WatchedPair } from "../../ports/stores/liquidity-store.ts";
import { type Context, statement } from "../../storage/client/context.ts";
import { type Kek, openSealed, rewrap, seal } from "../../storage/client/envelope.ts";
import {
  liquidityMinutes,
  liquidityMisses,
  liquidityProofs,
  proofKeys,
} from "../../storage/tables/liquidity-tables.ts";
import { createProofKey, importProofKey } from "./proof-key.ts";

const OWNER = "proof key";
const signedPair = ({ exchange, symbol }: WatchedPair) =>
  and(eq(liquidityProofs.exchange, exchange), eq(liquidityProofs.symbol, symbol));

export const proofStore = ({ client, db }: Context): ProofStore => ({
  async newest(pair) {
    const [row] = await db
      .select()
      .from(liquidityProofs)
      .where(signedPair(pair))
      .orderBy(desc(liquidityProofs.day))
      .limit(1);
    return row;
  },

  days: async (pair, from, to) =>
    db
      .select()
      .from(liquidityProofs)
      .where(and(signedPair(pair), sql`${liquidityProofs.day} between ${from} and ${to}`))
      .orderBy(asc(liquidityProofs.day)),

  async add({ exchange, symbol }, { day, previous, hash, signature, publicKey }, { known, timed, missed }) {
    const [from, to] = [day * MINUTES_A_DAY, (day + 1) * MINUTES_A_DAY];
    const count = (table: typeof liquidityMinutes | typeof liquidityMisses) =>
      sql`(select count(*) from ${table} as minutes where minutes.exchange = ${exchange} and minutes.symbol = ${symbol} and minutes.minute >= ${from} and minutes.minute < ${to})`;
    const timedRows = sql`(select count(offer) from ${liquidityMinutes} where exchange = ${exchange} and symbol = ${symbol} and minute >= ${from} and minute < ${to})`;
    const newest = sql`coalesce((select last.hash from ${liquidityProofs} as last where last.exchange = ${exchange} and last.symbol = ${symbol} order by last.day desc limit 1), ${NO_PREVIOUS})`;
    const { rowsAffected } = await client.execute(
      statement(
        sql`insert into ${liquidityProofs} (exchange, symbol, day, previous, hash, signature, public_key) select ${exchange}, ${symbol}, ${day}, ${previous}, ${hash}, ${signature}, ${publicKey} where ${newest} = ${previous} and ${count(liquidityMinutes)} = ${known} and ${timedRows} = ${timed} and ${count(liquidityMisses)} = ${missed}`,
      ),
    );
    return rowsAffected === 1;
  },
});

/** `keks` are the operator's keys: the first one encrypts, all decrypt. */
export function proofKeyStore({ client, db, now }: Context, keks: () => Promise<readonly Kek[]>): ProofKeys {
  const read = async () => {
    const [row] = await db.select().from(proofKeys);
    const sealedOf = ({ kek, wrapped, privateKey }: typeof proofKeys.$inferSelect) => ({
      ...{ kek, wrapped },
      fields: { privateKey },
    });
    return row && { ...row, sealed: sealedOf(row) };
  };
  return {
    async key() {
      const row = await read();
      if (!row) return undefined;
      const { privateKey = "" } = await openSealed(await keks(), OWNER, row.sealed);
      return importProofKey({ publicKey: row.publicKey, privateKey });
    },

    async createKey() {
      const [kek] = await keks();
      if (!kek) throw new SettingsError("EDGEMAKER_KEK is not set: it encrypts the key that signs days");
      const { publicKey, privateKey } = await createProofKey();
      const { fields, ...wrapping } = await seal(kek, OWNER, { privateKey });
      const row = { id: 1, publicKey, ...wrapping, privateKey: fields.privateKey ?? "", createdAt: now() };
      await client.execute(statement(db.insert(proofKeys).values(row).onConflictDoNothing()));
    },

    async rotateKey() {
      const [row, all] = [await read(), await keks()];
      if (!row || row.kek === all[0]?.id) return 0;
      const { kek, wrapped } = await rewrap(all, OWNER, row.sealed);
      const update = db.update(proofKeys).set({ kek, wrapped }).where(eq(proofKeys.wrapped, row.wrapped));
      return (await client.execute(statement(update))).rowsAffected;
    },
  };
}
