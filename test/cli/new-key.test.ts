import { expect, it, onTestFinished } from "vitest";
import { canaryKek } from "../support/canary.ts";
import { edgemaker, eventually, serve } from "../support/command.ts";
import { tempFolder } from "../support/temp.ts";
import { startVenue } from "../venues/index.ts";

const GRID = {
  exchange: "bitget",
  symbol: "BTC/USDT",
  gridLevels: 4,
  orderSize: 50,
  useOwnBase: false,
};

interface Status {
  readonly strategies: readonly { readonly lastError: string | null; readonly openOrders: number }[];
}

it("a running server uses a new key immediately and trades with it", async () => {
  const venue = await startVenue("bitget");
  onTestFinished(async () => void (await venue.close()));
  const folder = tempFolder();
  const env = {
    EDGEMAKER_EXCHANGES: "bitget",
    EDGEMAKER_VENUE_URLS: `bitget=${venue.url}`,
    EDGEMAKER_KEK: canaryKek("N"),
  };
  const add = async () => {
    const { key, secret, passphrase } = venue.addKeys({ account: venue.account, may: { withdraw: false } });
    const args = ["exchange", "add", "bitget", "--json"];
    const added = await edgemaker(folder, args, env, `${key}\n${secret}\n${passphrase}\n`);
    expect(added.code, added.stderr).toBe(0);
    return { key, result: JSON.parse(added.stdout) as { note?: string } };
  };
  const first = await add();
  const server = await serve(folder, ["--tick-interval", "300"], env);
  const ask = async <T>(path: string, init: RequestInit = {}): Promise<T> =>
    (await (await server.ask(path, init)).json()) as T;
  const { last } = await ask<{ last: number }>("/api/v1/ticker?exchange=bitget&symbol=BTC/USDT");
  const body = JSON.stringify({
    ...GRID,
    lowerPrice: Math.round(last * 0.9),
    upperPrice: Math.round(last * 1.1),
  });
  const headers = { "content-type": "application/json" };
  const started = await ask<{ id?: string }>("/api/v1/strategy/grid", { method: "POST", body, headers });
  expect(started.id, JSON.stringify(started)).toBeDefined();
  const grid = async () => (await ask<Status>("/api/v1/strategy/grid/status")).strategies[0];
  const resting = () => venue.account.open.size;
  await eventually(grid, (one) => (one?.openOrders ?? 0) > 0);
  const orders = resting();
  venue.revokeKeys(first.key);
  // It is refused again and again, and waits longer each time.
  await eventually(grid, (one) => /bitget/.test(one?.lastError ?? ""));
  const outcome = async () => {
    const { accounts } = await ask<{ accounts: { outcome: string }[] }>("/api/v1/internal/tick", {
      method: "POST",
      body: "{}",
      headers,
    });
    return accounts[0]?.outcome;
  };
  await eventually(outcome, (one) => one === "backing_off");
  // What is missing now is placed by whoever may trade again.
  const [lost] = [...venue.account.open.values()];
  venue.engine.cancel(venue.account, (lost as { id: string }).id);
  expect(resting()).toBe(orders - 1);
  const { result } = await add();
  expect(result.note).toMatch(/uses them from its next pass/);
  expect(await outcome()).not.toBe("backing_off");
  await eventually(grid, (one) => one?.lastError === null);
  await eventually(
    async () => resting(),
    (count) => count === orders,
  );
});

it("keys in the environment take precedence, and storing others prints a warning", async () => {
  const venue = await startVenue("bitget");
  onTestFinished(async () => void (await venue.close()));
  const { key, secret, passphrase } = venue.addKeys({ account: venue.account, may: { withdraw: false } });
  const env = {
    EDGEMAKER_EXCHANGES: "bitget",
    EDGEMAKER_VENUE_URLS: `bitget=${venue.url}`,
    EDGEMAKER_KEK: canaryKek("N"),
    BITGET_API_KEY: venue.keys.key,
    BITGET_SECRET: venue.keys.secret,
    BITGET_PASSPHRASE: venue.keys.passphrase ?? "",
  };
  const lines = `${key}\n${secret}\n${passphrase}\n`;
  const { code, stdout, stderr } = await edgemaker(tempFolder(), ["exchange", "add", "bitget"], env, lines);
  expect(code, stderr).toBe(0);
  expect(stdout.replace(/\s+/g, " ")).toMatch(
    /BITGET_API_KEY is set here and overrides stored keys; unset it and restart the server/,
  );
});
