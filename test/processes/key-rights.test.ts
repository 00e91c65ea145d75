import { expect, it, onTestFinished } from "vitest";
import { edgemaker } from "../support/command.ts";
import { eventually, spawnServer } from "../support/server.ts";
import { tempFolder } from "../support/temp.ts";
import { startVenue } from "../venues/index.ts";

const SAID = "the keys of gateio can withdraw; create keys that can only read and trade";

it("serve lists keys that can withdraw, without waiting for the check, and doctor does too", async () => {
  const venue = await startVenue("gateio");
  onTestFinished(() => venue.close());
  venue.grant({ withdraw: true });
  const { key, secret } = venue.keys;
  const env = {
    EDGEMAKER_EXCHANGES: "gateio",
    EDGEMAKER_VENUE_URLS: `gateio=${venue.url}`,
    GATEIO_API_KEY: key,
    GATEIO_SECRET: secret,
  };
  // The first question is never answered: the server listens and answers all the same.
  venue.fail({ kind: "hang", route: "kind" });
  const server = spawnServer(tempFolder(), [], env);
  onTestFinished(() => server.kill("SIGKILL"));
  const status = async () =>
    (await (await server.ask("/api/v1/strategy/grid/status")).json()) as { warnings: string[] };
  expect((await status()).warnings).toEqual([]);
  await eventually(
    async () => venue.count("kind"),
    (requestCount) => requestCount > 0,
  );
  await server.kill("SIGKILL");

  const folder = tempFolder();
  const again = spawnServer(folder, [], env);
  onTestFinished(() => again.kill("SIGKILL"));
  const result = await eventually(
    async () => (await (await again.ask("/api/v1/strategy/grid/status")).json()) as { warnings: string[] },
    ({ warnings }) => warnings.length > 0,
  );
  expect(result.warnings).toEqual([SAID]);
  await expect.poll(again.stderr).toContain(SAID);
  expect(again.stderr()).not.toContain(secret);
  await again.kill("SIGTERM");

  const tested = await edgemaker(folder, ["exchange", "test", "gateio", "--json"], env);
  expect(JSON.parse(tested.stdout)).toMatchObject({ account: "classic", mayWithdraw: "yes" });
  const { code, stdout } = await edgemaker(folder, ["doctor", "--json"], env);
  expect(code).toBe(1);
  const { checks } = JSON.parse(stdout) as { checks: { check: string; finding: string; detail: string }[] };
  expect(checks.find(({ check }) => check === "gateio withdrawals")).toMatchObject({
    finding: "bad",
    detail: SAID,
  });
});
