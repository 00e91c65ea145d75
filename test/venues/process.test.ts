import { spawn } from "node:child_process";
import { createInterface } from "node:readline";
import { expect, it } from "vitest";
import { bundleScript } from "../support/bundle.ts";
import { takeLeaks } from "../support/canary.ts";
import { ccxtClient } from "./ccxt-client.ts";

it("emulated exchanges are served from a separate process", async () => {
  const child = spawn(process.execPath, [await bundleScript("venues"), "kraken", "mexc"], {
    stdio: ["ignore", "pipe", "inherit"],
  });
  try {
    const lines: { name: "kraken" | "mexc"; url: string }[] = [];
    for await (const line of createInterface({ input: child.stdout })) {
      lines.push(JSON.parse(line));
      if (lines.length === 2) break;
    }
    expect(lines.map(({ name }) => name)).toEqual(["kraken", "mexc"]);
    // Whoever starts it is told its keys: that alone is no leak.
    expect(takeLeaks().length).toBeGreaterThan(0);
    for (const { name, url } of lines) {
      const ticker = await ccxtClient(name, { url }).fetchTicker("BTC/USDT");
      expect(Number(ticker.last)).toBe(60000);
    }
  } finally {
    child.kill();
  }
});
