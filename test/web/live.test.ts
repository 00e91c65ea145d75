import type { Browser, Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from "vitest";
import { findChromium, startBrowser } from "../support/browser.ts";
import { startProxy } from "../support/proxy.ts";
import { eventually, type Spawned, spawnServer } from "../support/server.ts";
import { signedIn } from "../support/signed-in.ts";
import { makeFolder } from "../support/temp.ts";

const GRID = { exchange: "kraken", symbol: "BTC/USDT", gridLevels: 4, orderSize: 100 };

describe.skipIf(!findChromium())("live updates of the page in Chromium (skipped without Chromium)", () => {
  const made = makeFolder();
  let server: Spawned;
  let browser: Browser;
  let url: string;

  beforeAll(async () => {
    server = spawnServer(made.path, ["--sandbox", "--seed", "7"]);
    browser = await startBrowser();
    url = (await server.listens) ?? "";
  });
  afterAll(async () => {
    await browser?.close();
    await server?.kill("SIGTERM");
    made.remove();
  });

  const start = async (lowerPrice: number) => {
    const body = JSON.stringify({ ...GRID, lowerPrice, upperPrice: 70_000 });
    const answer = await server.ask("/api/v1/strategy/grid", { method: "POST", body });
    return ((await answer.json()) as { id: string }).id;
  };

  /** Signed in behind a proxy, at a clock that goes only as the test lets it. */
  const behindProxy = async (how?: { buffers: boolean }) => {
    const proxy = await startProxy(url, how);
    const { page, context, errors } = await signedIn(browser, proxy.url, server.token);
    onTestFinished(async () => {
      await context.close();
      proxy.close();
    });
    await page.clock.install();
    await page.reload();
    await page.getByRole("heading", { name: "Strategies" }).waitFor();
    return { page, proxy, errors };
  };

  /** Lets the page's clock go on until it holds. Between two seconds the page is asked for a file, so that news arrive. */
  const runUntil = async (page: Page, holds: () => boolean | Promise<boolean>, beat = () => {}) => {
    const patience = performance.now() + 240_000;
    while (!(await holds())) {
      if (performance.now() > patience)
        throw new Error(`never: ${await page.getByRole("status").first().textContent()}`);
      beat();
      await page.evaluate("fetch('/static/page/icon.svg').then((a) => a.text()).catch(() => {})");
      await page.clock.runFor(1000);
    }
  };

  it("poll with an ETag if a proxy buffers the stream, and still show events", async () => {
    const { page, proxy, errors } = await behindProxy({ buffers: true });
    const answers: number[] = [];
    page.on("response", (response) => {
      if (response.url().includes("/api/v1/events")) answers.push(response.status());
    });
    const begun = proxy.streams.length;
    await runUntil(page, () => page.getByText("every 5 s", { exact: true }).isVisible());
    expect(proxy.streams.length - begun).toBeLessThanOrEqual(2);
    await runUntil(page, () => answers.includes(304));
    await start(50_000);
    await runUntil(page, () => page.getByRole("link", { name: "BTC/USDT" }).first().isVisible());
    expect(errors).toEqual([]);
  });

  it("stay live on heartbeats alone, and treat a stream without any as buffered", async () => {
    const { page, proxy } = await behindProxy();
    await page.getByText("connected", { exact: true }).waitFor();
    const begun = proxy.streams.length;
    let seconds = 0;
    await runUntil(
      page,
      () => seconds++ >= 60,
      () => proxy.say(": \n\n"),
    );
    expect(await page.getByText("connected", { exact: true }).isVisible()).toBe(true);
    expect(proxy.streams.length).toBe(begun);
    // The same, and nothing comes. However often: what has spoken is not held back, it has ended without a word.
    for (const times of [1, 2, 3]) {
      proxy.hold();
      await runUntil(page, () => proxy.streams.length >= begun + times);
      await page.getByText("connected", { exact: true }).waitFor();
    }
  });

  it("are live again when the stream is no longer buffered", async () => {
    const { page, proxy } = await behindProxy({ buffers: true });
    await runUntil(page, () => page.getByText("every 5 s", { exact: true }).isVisible());
    proxy.stopBuffering();
    await page.clock.fastForward("10:00");
    // The server needs a while of its own to answer, so that the page's clock goes on as the wall's.
    await page.getByText("connected", { exact: true }).waitFor();
  });

  it("continue after a stream ends, without gaps or duplicates", async () => {
    const { page, proxy, errors } = await behindProxy();
    await page.getByText("connected", { exact: true }).waitFor();
    const before = proxy.streams.length - 1;
    const ids = () => proxy.streams.slice(before).flatMap((stream) => stream.ids);
    const id = await start(51_000);
    await eventually(
      async () => ids().length,
      (count) => count > 0,
    );
    proxy.hold();
    // What happens while nobody reads, as on Workers between two answers of 25 seconds.
    for (const what of ["pause", "resume", "pause"])
      await server.ask(`/api/v1/strategies/${id}/${what}`, { method: "POST", body: "{}" });
    proxy.endStreams();
    const answer = await server.ask(`/api/v1/events?after=${Number(ids()[0]) - 1}`);
    const lines = ((await answer.json()) as { events: { id: number }[] }).events.map((event) =>
      String(event.id),
    );
    await eventually(
      async () => ids(),
      (heard) => heard.length >= lines.length && proxy.streams.length > before + 1,
    );
    expect(ids().slice(0, lines.length)).toEqual(lines);
    for (const [at, stream] of proxy.streams.slice(before + 1).entries())
      expect(stream.lastEventId).toBe(
        proxy.streams
          .slice(before, before + 1 + at)
          .flatMap((one) => one.ids)
          .at(-1),
      );
    await page.goto(`${proxy.url}/#/strategy/${id}`);
    await page.getByRole("button", { name: "Resume" }).waitFor();
    expect(errors).toEqual([]);
  });

  it("show the page as offline with the time of the data, and go live again by themselves", async () => {
    const { page, proxy } = await behindProxy();
    await page.getByText("connected", { exact: true }).waitFor();
    proxy.cut(true);
    await runUntil(page, () => page.getByText(/^offline; as of [2-9] min/).isVisible());
    proxy.cut(false);
    await runUntil(page, () => page.getByText("connected", { exact: true }).isVisible());
  });
});
