import { and, asc, eq, type SQL, sql } from "drizzle-orm";
import { messageOf, SettingsError } from "../../kernel/errors.ts";
import type { Millis } from "../../kernel/time.ts";
import type { AccountKey } from "../../model/account.ts";
import { type ActorAndRequest, keysEvent } from "../../model/events.ts";
import { type Context, cachedReads, hasRows, rowsOf, statement } from "../../storage/client/context.ts";
import { type EncryptedText, type Kek, openSealed, rewrap, seal } from "../../storage/client/envelope.ts";
import { writeText } from "../../storage/client/event-chain.ts";
import { accounts } from "../../storage/tables/trading-tables.ts";
import { credentials } from "../../storage/tables/venue-tables.ts";

export interface StoredKeys {
  readonly key: string;
  readonly secret: string;
  readonly passphrase?: string | undefined;
}

/** Stored keys of an account, or why they cannot be decrypted. */
export interface OpenedKeys {
  readonly account: AccountKey;
  readonly keys?: StoredKeys;
  readonly trouble?: string;
}

/** Exchange keys of accounts, encrypted with the operator's key. Changes are logged as events without the keys. */
export interface CredentialStore {
  put(account: AccountKey, keys: StoredKeys, by: ActorAndRequest): Promise<void>;
  /** Returns undefined without keys. Throws SettingsError if they cannot be decrypted. */
  get(account: AccountKey): Promise<StoredKeys | undefined>;
  list(): Promise<readonly { readonly account: AccountKey; readonly createdAt: Millis }[]>;
  /** Returns all keys, decrypted if one of the operator's keys fits. */
  opened(): Promise<readonly OpenedKeys[]>;
  /** Returns false if there is nothing to remove. */
  remove(account: AccountKey, by: ActorAndRequest): Promise<boolean>;
  /** Encrypts all with the first of the operator's keys; returns how many another key encrypted. */
  rotate(by: ActorAndRequest): Promise<number>;
}

/** With more accounts, they are read each time. */
const MAX_CACHED_KEYS = 50;

/** `keks` are the operator's keys: the first one encrypts, all decrypt. */
export function credentialStore(context: Context, keks: readonly Kek[]): CredentialStore {
  const { client, db, prepare } = context;
  const all = prepare(() => db.select().from(credentials).orderBy(asc(credentials.account)));
  const keptRows = cachedReads<readonly CredentialRow[]>(context, {
    maxEntries: 1,
    isWorth: ({ length }) => length <= MAX_CACHED_KEYS,
  });
  const unseal = async (row: CredentialRow): Promise<StoredKeys> => {
    const {
      key = "",
      secret = "",
      passphrase,
    } = await openSealed(keks, sealOwner(row.account), sealedOf(row));
    return { key, secret, passphrase };
  };
  return {
    put: (account, keys, by) => putKeys(context, keks, { account, keys, by }),

    async get(account) {
      const [row] = await db.select().from(credentials).where(isOf(account));
      return row && unseal(row);
    },

    async list() {
      return db
        .select({ account: credentials.account, createdAt: credentials.createdAt })
        .from(credentials)
        .orderBy(asc(credentials.account));
    },

    async opened() {
      const opened: OpenedKeys[] = [];
      // Cached as stored, so decrypted keys stay in memory only while they are needed.
      const { value: results } = await keptRows("", async () =>
        rowsOf(credentials, await client.execute(all())),
      );
      for (const row of results)
        opened.push({
          account: row.account,
          ...(await unseal(row).then(
            (keys) => ({ keys }),
            (error: unknown) => ({ trouble: messageOf(error) }),
          )),
        });
      return opened;
    },

    async remove(account, by) {
      const gone = db.delete(credentials).where(isOf(account)).returning({ account: credentials.account });
      const [, removed] = await writeText(context, by, async ({ tell }) => [
        await tell(keysEvent(account, "removed"), isThere(isOf(account))),
        statement(gone),
      ]);
      return hasRows(removed);
    },

    rotate: (by) => rewrapAll(context, keks, by),
  };
}

async function putKeys(
  context: Context,
  keks: readonly Kek[],
  {
    account,
    keys: { key, secret, passphrase },
    by,
  }: { readonly account: AccountKey; readonly keys: StoredKeys; readonly by: ActorAndRequest },
): Promise<void> {
  const { db, now } = context;
  const [kek] = keks;
  if (!kek) throw new SettingsError("EDGEMAKER_KEK is not set; it encrypts stored exchange keys");
  const texts = { key, secret, ...(passphrase === undefined ? {} : { passphrase }) };
  const { fields, ...wrapping } = await seal(kek, sealOwner(account), texts);
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
  const known = db.select({ account: credentials.account }).from(credentials).where(isOf(account));
  await writeText(context, by, async ({ calls, tell }) => {
    const isKnown = hasRows(await calls.execute(statement(known)));
    return [
      await tell(keysEvent(account, isKnown ? "replaced" : "stored")),
      statement(put),
      statement(endBackoff(context, account)),
    ];
  });
}

async function rewrapAll(context: Context, keks: readonly Kek[], by: ActorAndRequest): Promise<number> {
  const { db } = context;
  let count = 0;
  for (const row of await db.select().from(credentials)) {
    if (row.kek === keks[0]?.id) continue;
    const { kek, wrapped } = await rewrap(keks, sealOwner(row.account), sealedOf(row));
    // Keys that were replaced meanwhile have a different data key.
    const isSame = and(isOf(row.account), eq(credentials.wrapped, row.wrapped));
    const update = db.update(credentials).set({ kek, wrapped }).where(isSame);
    const [, changed] = await writeText(context, by, async ({ tell }) => [
      await tell(keysEvent(row.account, "encrypted with another EDGEMAKER_KEK"), isThere(isSame)),
      statement(update.returning({ account: credentials.account })),
    ]);
    if (hasRows(changed)) count++;
  }
  return count;
}

const sealOwner = (account: AccountKey) => `credentials ${account}`;
const isOf = (account: AccountKey) => eq(credentials.account, account);
const isThere = (where: SQL | undefined) => sql`exists(select 1 from ${credentials} where ${where})`;

/** Ends the account's backoff, because failures of the old keys no longer matter. */
const endBackoff = ({ db }: Context, account: AccountKey) =>
  db.update(accounts).set({ retryAt: 0, failures: 0 }).where(eq(accounts.account, account));

type CredentialRow = typeof credentials.$inferSelect;

const sealedOf = ({ kek, wrapped, key, secret, passphrase }: CredentialRow): EncryptedText => ({
  kek,
  wrapped,
  fields: { key, secret, ...(passphrase === null ? {} : { passphrase }) },
});
