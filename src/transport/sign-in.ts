import { digest } from "../kernel/digest.ts";
import { LINK_LIFE, newToken, SIGN_IN_LIFE } from "../model/token.ts";
import type { Deps } from "../ports/deps.ts";
import { type Access, type Caller, callerByHash } from "./access.ts";

type SignInDeps = Pick<Deps, "store" | "local">;

/** Stores a sign-in link and returns its code: 50 characters of [0-9a-z]. It allows one sign-in within ten minutes. */
export async function createSignInLink(
  { store, local }: SignInDeps,
  { actor, key }: Pick<Caller, "actor" | "key">,
  request: string | null,
): Promise<string> {
  const code = local.randomText(50);
  const expiresAt = (await store.now()) + LINK_LIFE;
  const link = {
    id: `link_${local.randomText(10)}`,
    name: `sign-in link of ${actor}`,
    scope: "link",
  } as const;
  await store.addToken({ ...link, hash: await digest(code), expiresAt, maker: key }, { actor, request });
  return code;
}

/**
 * Redeems a link's code for a new token with its creator's scope. The token ends after a day, or with its creator.
 * Returns undefined for a wrong, used or expired code.
 */
export async function redeemSignInLink(
  code: string,
  { store, local }: SignInDeps,
  { access, request }: { readonly access: Access; readonly request: string },
): Promise<string | undefined> {
  const reading = { store, writes: true };
  const link = await store.tokenByHash(await digest(code), reading.writes);
  if (link?.scope !== "link" || link.maker === null) return undefined;
  const maker = await callerByHash(link.maker, access, reading);
  if (!maker) return undefined;
  const { expiresAt } = (await store.tokenByHash(link.maker, reading.writes)) ?? {};
  const latest = (await store.now()) + SIGN_IN_LIFE;
  const token = newToken(local);
  const signIn = {
    id: `tok_${local.randomText(10)}`,
    name: `signed in by a link of ${maker.actor}`,
    scope: maker.scope,
    hash: await digest(token),
    expiresAt: Math.min(latest, expiresAt ?? latest),
    maker: link.maker,
  };
  return (await store.redeemLink(link.id, signIn, { actor: link.id, request })) ? token : undefined;
}
