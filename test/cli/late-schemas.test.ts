import { join } from "node:path";
import { expect, it } from "vitest";
import { root } from "../support/bundle.ts";
import { serve } from "../support/command.ts";
import { tempFolder } from "../support/temp.ts";

const TELLS = join(root, "test/support/tells-schemas.cjs");

it("a server builds the schemas of an operation on its first request", async () => {
  const readOutput = async (...paths: readonly string[]) => {
    const server = await serve(tempFolder(), ["--sandbox"], { NODE_OPTIONS: `--require "${TELLS}"` });
    for (const path of ["/health", ...paths]) expect((await server.ask(path)).status).toBe(200);
    await server.kill("SIGTERM");
    return /full: \w+/.exec(server.stderr())?.[0];
  };
  expect(await readOutput()).toBe("full: false");
  expect(await readOutput("/api/v1/ticker?exchange=kraken&symbol=BTC/USDT")).toBe("full: true");
});
