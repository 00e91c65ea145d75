import { and, asc, eq } from "drizzle-orm";
import { SettingsError } from "../../../kernel/errors.ts";
import type { Millis } from "../../../kernel/time.ts";
import type { AccountKey } from "../../../model/records.ts";
import { type Kek, open, rewrap, type Sealed, seal } from "../../vault/envelope.ts";
import { type Context, statement } from "../client/context.ts";
import { credentials } from "../tables/credential-tables.ts";

export interface StoredKeys {
  readonly key: string;
  readonly secret: string;
  readonly passphrase?: string | undefined;
}

/** Exchange keys of accounts, encrypted by the operator's own key. */
export interface CredentialStore {
  put(account: AccountKey, keys: StoredKeys): Promise<void>;
  /** Undefined when there are none. Throws SettingsError when they cannot be decrypted. */
  get(account: AccountKey): Promise<StoredKeys | undefined>;
  list(): Promise<readonly { readonly account: AccountKey; readonly createdAt: Millis }[]>;
  /** False when there are none to remove. */
  remove(account: AccountKey): Promise<boolean>;
  /** Wraps all under the first of the operator's keys; answers how many were under another one. */
  rotate(): Promise<number>;
}

/** `keks`: the operator's keys, the first one wraps, all unwrap. */
export function credentialStore({ client, db, now }: Context, keks: readonly Kek[]): CredentialStore {
  const ownerOf = (account: AccountKey) => `credentials ${account}`;
  return {
    async put(account, { key, secret, passphrase }) {
      const [kek] = keks;
      if (!kek) throw new SettingsError("EDGEMAKER_KEK is not set: it encrypts stored exchange keys");
      const texts = { key, secret, ...(passphrase === undefined ? {} : { passphrase }) };
      const { fields, ...wrapping } = await seal(kek, ownerOf(account), texts);
      const row = {
        ...wrapping,
        key: fields.key ?? "",
        secret: fields.secret ?? "",
        passphrase: fields.passphrase ?? null,
        createdAt: now(),
      };
      const put = db
        .insert(credentials)
        .values({ account, ...row })
        .onConflictDoUpdate({ target: credentials.account, set: row });
      await client.execute(statement(put));
    },

    async get(account) {
      const [row] = await db.select().from(credentials).where(eq(credentials.account, account));
      if (!row) return undefined;
      const { key = "", secret = "", passphrase } = await open(keks, ownerOf(account), sealedOf(row));
      return { key, secret, passphrase };
    },

    async list() {
      return db
        .select({ account: credentials.account, createdAt: credentials.createdAt })
        .from(credentials)
        .orderBy(asc(credentials.account));
    },

    async remove(account) {
      const gone = db
        .delete(credentials)
        .where(eq(credentials.account, account))
        .returning({ account: credentials.account });
      return (await client.execute(statement(gone))).rows.length > 0;
    },

    async rotate() {
      let count = 0;
      for (const row of await db.select().from(credentials)) {
        if (row.kek === keks[0]?.id) continue;
        const { kek, wrapped } = await rewrap(keks, ownerOf(row.account), sealedOf(row));
        // Keys that were replaced meanwhile have a data key of their own.
        const isSame = and(eq(credentials.account, row.account), eq(credentials.wrapped, row.wrapped));
        const update = db.update(credentials).set({ kek, wrapped }).where(isSame);
        const changed = await client.execute(statement(update.returning({ account: credentials.account })));
        count += changed.rows.length;
      }
      return count;
    },
  };
}

const sealedOf = ({ kek, wrapped, key, secret, passphrase }: typeof credentials.$inferSelect): Sealed => ({
  kek,
  wrapped,
  fields: { key, secret, ...(passphrase === null ? {} : { passphrase }) },
});
