import type { Browser } from "playwright-core";
import { afterAll, beforeAll } from "vitest";
import { startBrowser } from "./browser.ts";
import { type Spawned, spawnServer } from "./server.ts";
import { signedIn } from "./signed-in.ts";
import { makeFolder } from "./temp.ts";

type Look = Parameters<typeof signedIn>[3];

/** A server on a sandbox of its own and a Chromium beside it, for all tests of a `describe`. */
export function servedPage(args: readonly string[] = [], env: Readonly<Record<string, string>> = {}) {
  const made = makeFolder();
  const served = {} as { server: Spawned; browser: Browser; url: string };
  beforeAll(async () => {
    served.server = spawnServer(made.path, ["--sandbox", "--seed", "7", ...args], env);
    served.browser = await startBrowser();
    served.url = (await served.server.listens) ?? "";
  });
  afterAll(async () => {
    await served.browser?.close();
    await served.server?.kill("SIGTERM");
    made.remove();
  });
  return {
    folder: made.path,
    get url() {
      return served.url;
    },
    get browser() {
      return served.browser;
    },
    get server() {
      return served.server;
    },
    /** A page that an administrator has signed in to, or whoever has the token. */
    signIn: (look: Look = {}, token = served.server.token) =>
      signedIn(served.browser, served.url, token, look),
    /** What the API answers an administrator. Throws what it refuses. */
    async call<T>(method: string, path: string, body?: unknown): Promise<T> {
      const sent = body === undefined ? {} : { body: JSON.stringify(body) };
      const answer = await served.server.ask(`/api/v1${path}`, { method, ...sent });
      const output = await answer.text();
      if (!answer.ok) throw new Error(`${method} ${path}: ${output}`);
      return JSON.parse(output) as T;
    },
  };
}
