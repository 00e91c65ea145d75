import { hostname } from "node:os";
import { digest } from "../../src/kernel/digest.ts";
import type { By } from "../../src/model/events.ts";
import type { TokenStore } from "../../src/ports/stores/token-store.ts";
import { nodeLocal } from "./process/node-local.ts";

/** Maximum number of tokens to search for one that a killed server left. */
const MOST_TOKENS_READ = 1000;

/**
 * Lists a server's own token so it can be revoked. Revokes an older token of the same address, whose server must have
 * been killed. Returns a function that ends this one when the server stops.
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
