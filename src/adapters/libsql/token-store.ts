import { and, desc, getTableColumns, isNull, lt, or, type SQL, sql } from "drizzle-orm";
import type { Millis } from "../../kernel/time.ts";
import { EVERY_ACCOUNT } from "../../model/events.ts";
import { LINK_LIFE, SIGN_IN_LIFE, type Token } from "../../model/token.ts";
import type { TokenStore } from "../../ports/stores/store.ts";
import {
  type Context,
  cachedReads,
  hasRows,
  rowsOf,
  type StoreMethod,
  selectedColumns,
  statement,
} from "../../storage/client/context.ts";
import { writeText } from "../../storage/client/event-chain.ts";
import { tokens } from "../../storage/tables/venue-tables.ts";

/** Rows are in the order of insertion. */
const TOKEN_PLACE = sql<number>`${tokens}.rowid`;
const { hash: _hash, maker: _maker, ...shown } = getTableColumns(tokens);

/** Maximum number of cached tokens in use. */
const MAX_CACHED_TOKENS = 200;

const TOKEN_EVENT = { account: EVERY_ACCOUNT, strategy: null, kind: "token" } as const;

const isOwn = and(isNull(tokens.server), isNull(tokens.maker));

/**
 * Returns whether a token is valid. Links and sign-ins have a creator; one that ends later than its lifetime from now
 * was created while the clock was ahead.
 */
const isLiveAt = (at: SQL<unknown>): SQL => {
  const life = sql`iif(${tokens.scope} = 'link', ${LINK_LIFE}, ${SIGN_IN_LIFE})`;
  return sql`${tokens.revokedAt} is null and (${tokens.expiresAt} is null or ${tokens.expiresAt} > ${at}) and (${tokens.maker} is null or ${tokens.expiresAt} <= ${at} + ${life})`;
};

const hasEnded = ({ expiresAt, maker }: Token, at: Millis): boolean =>
  expiresAt !== null && (expiresAt <= at || (maker !== null && expiresAt > at + SIGN_IN_LIFE));

/** Returns hashes of an unrevoked token, and of all tokens that its links created, and theirs. */
const familyOf = (id: string): SQL => sql`with recursive family(hash) as (
  select hash from tokens where id = ${id} and revoked_at is null
  union select made.hash from tokens made join family on made.maker = family.hash
) select hash from family`;

export function tokenStore(context: Context): TokenStore {
  const { client, db, now, prepare } = context;
  const byHash = prepare((at) => {
    const found = sql`${tokens.hash} = ${sql.placeholder("hash")} and ${isLiveAt(at)}`;
    return sql`select ${selectedColumns(tokens)} from ${tokens} where ${found}`;
  });
  const keptToken = cachedReads<Token | undefined>(context, {
    maxEntries: MAX_CACHED_TOKENS,
    isWorth: (token) => token !== undefined,
  });
  const readToken = async (hash: string): Promise<Token | undefined> => {
    const [found] = rowsOf(tokens, await client.execute(byHash({ hash })));
    if (!found) return undefined;
    const { hash: _, ...token } = found;
    return token;
  };
  return {
    addToken: (token, by) => addToken(context, token, by),

    async tokens({ limit, before = Number.MAX_SAFE_INTEGER }) {
      return db
        .select({ ...shown, place: TOKEN_PLACE })
        .from(tokens)
        .where(and(lt(TOKEN_PLACE, before), or(isOwn, isLiveAt(now()))))
        .orderBy(desc(TOKEN_PLACE))
        .limit(limit);
    },

    async hasTokens() {
      const live = db
        .select({ id: tokens.id })
        .from(tokens)
        .where(and(isOwn, isLiveAt(now())))
        .limit(1);
      return (await live).length > 0;
    },

    async tokenByHash(hash, writes = false) {
      if (writes) return readToken(hash);
      const { value: result, now: at } = await keptToken(hash, () => readToken(hash));
      return result && at !== undefined && hasEnded(result, at) ? undefined : result;
    },

    redeemLink: (link, session, by) => redeemLink(context, link, session, by),

    async revokeToken(id, by) {
      const revoke = db
        .update(tokens)
        .set({ revokedAt: now() })
        .where(sql`${tokens.revokedAt} is null and ${tokens.hash} in (${familyOf(id)})`)
        .returning({ id: tokens.id });
      const result = { ...TOKEN_EVENT, message: `revoked ${id}` };
      const isOpen = sql`exists(select 1 from ${tokens} where ${tokens.id} = ${id} and ${tokens.revokedAt} is null)`;
      const [, revoked] = await writeText(context, by, async ({ tell }) => [
        await tell(result, isOpen),
        statement(revoke),
      ]);
      return hasRows(revoked);
    },
  };
}

const addToken: StoreMethod<TokenStore["addToken"]> = async (context, token, by) => {
  const { db, now } = context;
  const added = statement(db.insert(tokens).values({ ...token, createdAt: now() }));
  const { server } = token;
  const whose = server === undefined ? "" : `, for commands on the machine of the server at ${server}`;
  const kind = server === undefined ? "token" : "server";
  const opens = token.scope === "agent" ? "works at /mcp for an agent" : `has scope ${token.scope}`;
  const message =
    token.scope === "link"
      ? `created ${token.id}, a ${token.name}`
      : `created ${token.id}, which ${opens}${whose}`;
  await writeText(context, by, async ({ tell }) => [added, await tell({ ...TOKEN_EVENT, kind, message })]);
};

const redeemLink: StoreMethod<TokenStore["redeemLink"]> = async (
  context,
  link,
  { id, name, scope, hash, expiresAt, maker },
  by,
) => {
  const message = `signed in: created ${id}, which has scope ${scope}`;
  const [, , redeemed] = await writeText(context, by, async ({ tell, now: at }) => {
    const isOpen = sql`exists(select 1 from ${tokens} where ${tokens.id} = ${link} and ${isLiveAt(sql`${at}`)})`;
    const added = sql`insert into ${tokens} (id, name, scope, hash, created_at, expires_at, maker) select ${id}, ${name}, ${scope}, ${hash}, ${at}, ${expiresAt}, ${maker} where ${isOpen}`;
    const ended = context.db
      .update(tokens)
      .set({ revokedAt: at })
      .where(sql`${tokens.id} = ${link} and ${isLiveAt(sql`${at}`)}`)
      .returning({ id: tokens.id });
    return [await tell({ ...TOKEN_EVENT, message }, isOpen), statement(added), statement(ended)];
  });
  return hasRows(redeemed);
};
