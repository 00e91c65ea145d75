import { createServer, request } from "node:http";
import type { AddressInfo } from "node:net";
import { expect, it, onTestFinished } from "vitest";
import { findChromium, openPage, openProfile, startBrowser } from "../support/browser.ts";
import { edgemaker, serve } from "../support/command.ts";
import { tempFolder } from "../support/temp.ts";

const PATH = "/edge/";
const GRID =
  "grid start --exchange kraken --symbol BTC/USDT --lower 57000 --upper 63000 --levels 6 --size 200";

/** A proxy that serves a server below a path, which it strips. Returns its address, and the requests beside the path. */
async function proxy(target: string) {
  const beside: string[] = [];
  const server = createServer((incoming, outgoing) => {
    const { url = "", method, headers } = incoming;
    if (!url.startsWith(PATH)) {
      beside.push(url);
      outgoing.writeHead(404).end();
      return;
    }
    const sent = request(`${target}/${url.slice(PATH.length)}`, { method, headers }, (answer) => {
      outgoing.writeHead(answer.statusCode ?? 502, answer.headers);
      answer.pipe(outgoing);
    });
    sent.on("error", () => outgoing.destroy());
    incoming.pipe(sent);
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}${PATH}`, beside };
}

it.skipIf(!findChromium())("the page and the API docs work below a path of a proxy", async () => {
  const folder = tempFolder();
  const server = await serve(folder, ["--sandbox"]);
  const { url, beside } = await proxy(server.url);
  const browser = await startBrowser();
  onTestFinished(() => browser.close());
  const { page, errors } = await openPage(browser, new URL(url).origin);
  const { stdout } = await edgemaker(folder, ["page", "--sandbox"]);
  await page.goto(`${url}#code=${/#code=(\w+)/.exec(stdout)?.[1]}`);
  await page.getByRole("heading", { name: "Strategies", exact: true }).waitFor();
  expect(new URL(page.url()).pathname).toBe(PATH);
  // The page stays open, so it shows this grid by the stream of events.
  const started = await edgemaker(folder, [...GRID.split(" "), "--sandbox", "--yes"]);
  expect(started.code, started.stderr).toBe(0);
  await page.getByText("BTC/USDT").first().waitFor();
  await page.reload();
  await page.getByText("BTC/USDT").first().click();
  await page.getByRole("link", { name: "API", exact: true }).click();
  await page.getByText("Suggest grid settings from a pair's price history").first().waitFor();
  expect(new URL(page.url()).pathname).toBe(`${PATH}docs`);
  const { servers } = (await (await fetch(`${url}openapi.json`)).json()) as { servers: { url: string }[] };
  expect(new URL(servers[0]?.url ?? "", `${url}openapi.json`).pathname).toBe(`${PATH}api/v1`);
  expect([errors, beside]).toEqual([[], []]);
});

it.skipIf(!findChromium())("the page can be installed, and says that it is offline", async () => {
  const folder = tempFolder();
  const server = await serve(folder, ["--sandbox"]);
  const { url } = await proxy(server.url);
  // Nothing can be installed from a private window, which the other contexts are.
  const context = await openProfile(tempFolder());
  onTestFinished(() => context.close());
  const page = await context.newPage();
  const errors: string[] = [];
  page.on("console", (message) => message.type() === "error" && errors.push(message.text()));
  const { stdout } = await edgemaker(folder, ["page", "--sandbox"]);
  await page.goto(`${url}#code=${/#code=(\w+)/.exec(stdout)?.[1]}`);
  await page.getByRole("heading", { name: "Strategies", exact: true }).waitFor();
  expect(await page.evaluate("navigator.serviceWorker.ready.then(({ scope }) => scope)")).toBe(url);
  const protocol = await context.newCDPSession(page);
  const manifest = await protocol.send("Page.getAppManifest");
  expect([manifest.errors, manifest.url]).toEqual([[], `${url}static/page/app.webmanifest`]);
  const { icons, start_url: start } = JSON.parse(manifest.data ?? "") as {
    readonly icons: readonly { readonly src: string; readonly type: string }[];
    readonly start_url: string;
  };
  expect(new URL(start, manifest.url).href).toBe(url);
  for (const { src, type } of icons) {
    const icon = await fetch(new URL(src, manifest.url));
    expect([icon.status, icon.headers.get("content-type")]).toEqual([200, type]);
  }
  expect(await protocol.send("Page.getInstallabilityErrors")).toEqual({ installabilityErrors: [] });
  // The service worker takes over with the next load.
  await page.goto(`${url}#/account`);
  await page.reload();
  await page.getByText("Worth of all accounts").waitFor();
  expect(errors).toEqual([]);
  await server.kill("SIGTERM");
  await page.reload();
  await page.getByRole("heading", { name: "The server cannot be reached" }).waitFor();
  await page.getByText("No figures are shown here, because they would be old.").waitFor();
  expect(await page.evaluate("document.body.innerText")).not.toMatch(/\d{3}/);
  // Nothing of any response is stored, and the address stays for the time when the server is back.
  expect(await page.evaluate("caches.keys()")).toEqual([]);
  expect(page.url()).toBe(`${url}#/account`);
});

it("--host takes an IPv6 address with and without brackets", async () => {
  const folder = tempFolder();
  for (const host of ["::1", "[::1]"]) {
    const server = await serve(folder, ["--sandbox", "--host", host]);
    expect(server.url).toMatch(/^http:\/\/\[::1\]:\d+$/);
    expect((await server.ask("/health")).status).toBe(200);
    await server.kill("SIGTERM");
  }
});
