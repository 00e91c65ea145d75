import { execFile } from "node:child_process";
import { promisify } from "node:util";
import type { Browser } from "playwright-core";
import { openPage } from "./browser.ts";
import { environment, launcher } from "./server.ts";

const run = promisify(execFile);

/** A page that somebody has signed in to with a token. */
export async function signedIn(
  browser: Browser,
  url: string,
  token: string,
  look: Parameters<typeof openPage>[2] = {},
) {
  const opened = await openPage(browser, url, look);
  await opened.page.goto(url);
  await opened.page.getByLabel("API token").fill(token);
  await opened.page.getByRole("button", { name: "Sign in" }).click();
  await opened.page.getByRole("heading", { name: "Strategies" }).waitFor();
  return opened;
}

/** A command's whole answer, on a server's own database. */
export async function commandIn(folder: string, ...args: readonly string[]): Promise<string> {
  const { stdout } = await run(process.execPath, [launcher, ...args], {
    env: environment(folder),
    cwd: folder,
  });
  return stdout;
}

export async function newToken(folder: string, scope: string, flags = ["--sandbox"]): Promise<string> {
  const text = await commandIn(folder, "token", "create", "--scope", scope, ...flags, "--json");
  return (JSON.parse(text) as { token: string }).token;
}
