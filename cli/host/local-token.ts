import { hostname } from "node:os";
import { digest } from "../../src/kernel/digest.ts";
import type { By } from "../../src/model/events.ts";
import type { TokenStore } from "../../src/ports/stores/token-store.ts";
import { nodeLocal } from "./process/node-local.ts";

/** So many tokens are looked through for one that a killed server has left. */
const MOST_TOKENS_READ = 1000;

/**
 * Lists a server's own token with the others, where it can be revoked. Ends one of the same place: nobody else listens
 * there now, so its server was killed. Answers how this one is ended when the server stops.
 */
export async function listLocalToken(
  store: TokenStore,
  { token, url }: { readonly token: string; readonly url: string },
): Promise<() => Promise<void>> {
  const by: By = { actor: "local", request: nodeLocal.randomText(12) };
  const server = `${url} on ${hostname()}`;
  for (const one of await store.tokens({ limit: MOST_TOKENS_READ }))
    if (one.server === server) await store.revokeToken(one.id, by);
  const id = `local_${nodeLocal.randomText(10)}`;
  const hash = await digest(token);
  const name = "commands on the server's own machine";
  await store.addToken({ id, name, server, scope: "admin", expiresAt: null, hash }, by);
  return async () => void (await store.revokeToken(id, by));
}
