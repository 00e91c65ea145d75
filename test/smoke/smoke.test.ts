import { expect, it } from "vitest";
import { root, runNode } from "../support/bundle.ts";
import { startVenue } from "../venues/index.ts";

it("tells what emulated exchanges answer, and leaves no order behind", async () => {
  const [kraken, gateio] = [await startVenue("kraken"), await startVenue("gateio")];
  try {
    const { stdout } = await runNode(process.execPath, ["test/smoke/run.mjs"], {
      cwd: root,
      env: {
        PATH: process.env.PATH,
        EDGEMAKER_EXCHANGES: "kraken,gateio",
        EDGEMAKER_VENUE_URLS: `kraken=${kraken.url},gateio=${gateio.url}`,
        KRAKEN_API_KEY: kraken.keys.key,
        KRAKEN_SECRET: kraken.keys.secret,
      },
    });
    expect(stdout).toMatch(/kraken\n.*market.*tick 0\.1,/);
    expect(stdout).toContain("keys: accepted, 8 assets, may withdraw: false");
    expect(stdout).toMatch(/create em0\w{15}, .* at 29998.5 .*"result":"accepted"/);
    expect(stdout).toMatch(/shown by client id: open after \d+ ms and 1 looks/);
    expect(stdout).toMatch(/cancel again .*"result":"look"/);
    expect(stdout).toMatch(/gateio\n[\s\S]*no keys are set/);
    expect(kraken.orders().map(({ status }) => status)).toEqual(["canceled"]);
    expect(gateio.orders()).toEqual([]);
    expect(stdout).not.toContain(kraken.keys.secret);
  } finally {
    await Promise.all([kraken.close(), gateio.close()]);
  }
});
