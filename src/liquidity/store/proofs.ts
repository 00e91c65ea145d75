import { and, asc, desc, eq, sql } from "drizzle-orm";
import { bytesOfHex, hexOf } from "../../kernel/digest.ts";
import { SettingsError } from "../../kernel/errors.ts";
import {
  NO_PREVIOUS,
  type ProofKey,
  type SignedDay,
  type SignedRows,
  type WatchedPair,
} from "../../model/samples/promise.ts";
import { MINUTES_PER_DAY } from "../../model/samples/sample.ts";
import { type Context, statement } from "../../storage/client/context.ts";
import { type Kek, openSealed, rewrap, seal } from "../../storage/client/envelope.ts";
import {
  liquidityMinutes,
  liquidityMisses,
  liquidityProofs,
  proofKeys,
} from "../../storage/tables/liquidity-tables.ts";

const OWNER = "proof key";
const signedPair = ({ exchange, symbol }: WatchedPair) =>
  and(eq(liquidityProofs.exchange, exchange), eq(liquidityProofs.symbol, symbol));

/** Signed days. None is changed or deleted, and their minutes take no further sample. */
export type ProofStore = ReturnType<typeof createProofStore>;

export const createProofStore = ({ client, db }: Context) => ({
  async newest(pair: WatchedPair): Promise<SignedDay | undefined> {
    const [row] = await db
      .select()
      .from(liquidityProofs)
      .where(signedPair(pair))
      .orderBy(desc(liquidityProofs.day))
      .limit(1);
    return row;
  },

  /** Ascending; both days are included. */
  days: async (pair: WatchedPair, from: number, to: number): Promise<readonly SignedDay[]> =>
    db
      .select()
      .from(liquidityProofs)
      .where(and(signedPair(pair), sql`${liquidityProofs.day} between ${from} and ${to}`))
      .orderBy(asc(liquidityProofs.day)),

  /** Returns false if another process signed a day meanwhile, or if the day's rows differ from the signed ones. */
  async add(
    { exchange, symbol }: WatchedPair,
    { day, previous, hash, signature, publicKey }: SignedDay,
    { known, timed, missed }: SignedRows,
  ): Promise<boolean> {
    const [from, to] = [day * MINUTES_PER_DAY, (day + 1) * MINUTES_PER_DAY];
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

/** The deployment's key that signs days. Each throws SettingsError without the operator's key that encrypts it. */
export type ProofKeys = ReturnType<typeof createProofKeys>;

/** `keks` are the operator's keys: the first one encrypts, all decrypt. */
export function createProofKeys({ client, db, now }: Context, keks: () => Promise<readonly Kek[]>) {
  const read = async () => {
    const [row] = await db.select().from(proofKeys);
    const sealedOf = ({ kek, wrapped, privateKey }: typeof proofKeys.$inferSelect) => ({
      kek,
      wrapped,
      fields: { privateKey },
    });
    return row && { ...row, sealed: sealedOf(row) };
  };
  return {
    /** Returns undefined if no key was created; then no day is signed. */
    async key(): Promise<ProofKey | undefined> {
      const row = await read();
      if (!row) return undefined;
      const { privateKey = "" } = await openSealed(await keks(), OWNER, row.sealed);
      return importProofKey({ publicKey: row.publicKey, privateKey });
    },

    /** Creates the key if there is none. */
    async createKey(): Promise<void> {
      const [kek] = await keks();
      if (!kek)
        throw new SettingsError(
          "EDGEMAKER_KEK is not set; it encrypts the key that signs days. Run `edgemaker setup`, which creates it",
        );
      const { publicKey, privateKey } = await createProofKey();
      const { fields, ...wrapping } = await seal(kek, OWNER, { privateKey });
      const row = { id: 1, publicKey, ...wrapping, privateKey: fields.privateKey ?? "", createdAt: now() };
      await client.execute(statement(db.insert(proofKeys).values(row).onConflictDoNothing()));
    },

    /** Encrypts the key with the first of the operator's keys. Returns the number of keys that another key encrypted. */
    async rotateKey(): Promise<number> {
      const [row, all] = [await read(), await keks()];
      if (!row || row.kek === all[0]?.id) return 0;
      const { kek, wrapped } = await rewrap(all, OWNER, row.sealed);
      const update = db.update(proofKeys).set({ kek, wrapped }).where(eq(proofKeys.wrapped, row.wrapped));
      return (await client.execute(statement(update))).rowsAffected;
    },
  };
}

/** Ed25519 (RFC 8032) by WebCrypto, the same on every runtime. Keys and signatures are lower-case hexadecimal. */
const ED25519 = "Ed25519";

interface NewProofKey {
  readonly publicKey: string;
  /** PKCS #8. */
  readonly privateKey: string;
}

export async function createProofKey(): Promise<NewProofKey> {
  const pair = (await crypto.subtle.generateKey(ED25519, true, ["sign", "verify"])) as CryptoKeyPair;
  const hexKey = async (format: "raw" | "pkcs8", key: CryptoKey) =>
    hexOf(new Uint8Array((await crypto.subtle.exportKey(format, key)) as ArrayBuffer));
  return {
    publicKey: await hexKey("raw", pair.publicKey),
    privateKey: await hexKey("pkcs8", pair.privateKey),
  };
}

export async function importProofKey({ publicKey, privateKey }: NewProofKey): Promise<ProofKey> {
  const key = await crypto.subtle.importKey("pkcs8", bytesOfHex(privateKey), ED25519, false, ["sign"]);
  return {
    publicKey,
    sign: async (text) =>
      hexOf(new Uint8Array(await crypto.subtle.sign(ED25519, key, new TextEncoder().encode(text)))),
  };
}
