import type { Route } from "playwright-core";
import { expect, it, onTestFinished } from "vitest";
import { findChromium, openProfile } from "../support/browser.ts";
import { decrypt, EXAMPLE, pushService } from "../support/push.ts";
import { spawnServer } from "../support/server.ts";
import { makeFolder, tempFolder } from "../support/temp.ts";

it.skipIf(!findChromium())("the page subscribes its browser, which then shows the alerts", async () => {
  let status = 201;
  const service = await pushService(() => status);
  const made = makeFolder();
  const env = {
    EDGEMAKER_OUTBOUND_HOSTS: new URL(service.url).host,
    EDGEMAKER_KEK: Buffer.alloc(32, 5).toString("base64"),
  };
  const server = spawnServer(made.path, ["--sandbox", "--seed", "7"], env);
  const context = await openProfile(tempFolder());
  onTestFinished(async () => {
    await context.close();
    await server.kill("SIGTERM");
    made.remove();
  });
  const url = `${await server.listens}/`;
  await context.grantPermissions(["notifications"]);
  // Chromium's own push service is not reachable from here: its subscription is one of the local service.
  const { browserPublic, secret } = EXAMPLE;
  const json = { endpoint: service.url, keys: { p256dh: browserPublic, auth: secret } };
  await context.addInitScript(
    `const own = new WeakMap();
    window.ended = [];
    let count = 0;
    PushManager.prototype.getSubscription = async function () { return own.get(this) ?? null; };
    PushManager.prototype.subscribe = async function (options) {
      if (own.has(this)) throw new Error("a registration has one subscription");
      window.subscribed = options;
      const nth = ++count;
      const unsubscribe = async () => (window.ended.push(nth), own.delete(this));
      own.set(this, { unsubscribe, toJSON: () => (${JSON.stringify(json)}) });
      return own.get(this);
    };`,
  );
  const page = await context.newPage();
  await page.goto(url);
  await page.getByLabel("API token").fill(server.token);
  await page.getByRole("button", { name: "Sign in" }).click();
  await page.getByRole("heading", { name: "Strategies", exact: true }).waitFor();
  await page.goto(`${url}#/alerts`);
  await page.getByRole("button", { name: "Notify this browser" }).click();
  await page.getByText(/^browser-\w{8} is added/).waitFor();
  const applied = "[subscribed.userVisibleOnly, subscribed.applicationServerKey.length]";
  expect(await page.evaluate(applied)).toEqual([true, 65]);
  await page.getByRole("button", { name: /^Test browser-/ }).click();
  await page.getByRole("button", { name: "Send it" }).click();
  await page.getByText(/accepted the message/).waitFor();
  const [request] = service.requests;
  const text = decrypt(request?.body ?? Buffer.alloc(0));
  expect(JSON.parse(text).title).toBe("edgemaker: this is a test");

  // Chromium gives it to the service worker, as it would after its own push service has delivered it.
  const protocol = await context.newCDPSession(page);
  const registered = new Promise<string>((resolve) =>
    protocol.on("ServiceWorker.workerRegistrationUpdated", ({ registrations: [one] }) => {
      if (one) resolve(one.registrationId);
    }),
  );
  await protocol.send("ServiceWorker.enable");
  const registrationId = await registered;
  await protocol.send("ServiceWorker.deliverPushMessage", {
    origin: new URL(url).origin,
    registrationId,
    data: text,
  });
  const notifications =
    "navigator.serviceWorker.ready.then((one) => one.getNotifications()).then((all) => all.map(({ title, body }) => [title, body]))";
  await expect
    .poll(() => page.evaluate(notifications))
    .toEqual([["edgemaker: this is a test", "This channel gets messages about your orders."]]);

  status = 410;
  await page.getByRole("button", { name: /^Test browser-/ }).click();
  await page.getByRole("button", { name: "Send it" }).click();
  await page.getByRole("dialog").getByText("this browser no longer accepts messages").waitFor();
  await page.getByRole("button", { name: "Go back" }).click();
  await page
    .getByRole("table", { name: "Alert channels" })
    .getByText("this browser no longer accepts")
    .waitFor();

  // A subscription that the server does not store ends, and the one that it stores stays.
  const again = page.getByRole("button", { name: "Notify this browser" });
  const refuse = (route: Route) =>
    route.request().method() === "POST" ? route.fulfill({ status: 503, json: REFUSAL }) : route.fallback();
  await page.route("**/api/v1/channels", refuse);
  await again.click();
  await page.getByText(/Internal error: The database is busy/).waitFor();
  expect(await page.evaluate("ended")).toEqual([2]);
  await page.unroute("**/api/v1/channels", refuse);
  await again.click();
  await expect.poll(() => page.evaluate("ended")).toEqual([2, 1]);
  await again.click();
  await expect.poll(() => page.evaluate("ended")).toEqual([2, 1, 3]);
});

const REFUSAL = { error: "Internal error", message: "the database is busy" };
