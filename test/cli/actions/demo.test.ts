import { spawn } from "node:child_process";
import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it, onTestFinished } from "vitest";
import { explainLoss } from "../../../cli/actions/demo.ts";
import { asGridView } from "../../../src/grid/state/state.ts";
import { root } from "../../support/bundle.ts";
import { environment, eventually } from "../../support/command.ts";
import { drivenApp } from "../../support/driven.ts";
import { gridRequest } from "../../support/requests.ts";
import { tempFolder } from "../../support/temp.ts";
import { hasTerminal, terminal } from "../../support/terminal.ts";

it("the demo fills a buy and its matching sell, and prints both", async () => {
  const folder = tempFolder();
  const child = spawn("npm", ["run", "--silent", "demo", "--", "--port", "0"], {
    cwd: root,
    env: environment(folder),
    detached: true,
  });
  onTestFinished(() => {
    if (child.pid) process.kill(-child.pid, "SIGKILL");
  });
  let text = "";
  const cycle = new Promise<void>((resolve, reject) => {
    child.stdout.on("data", (part) => {
      text += String(part);
      if (/[1-9]\d* cycles/.test(text)) resolve();
    });
    child.on("close", (code) => reject(new Error(`the demo ended with ${code}: ${text}`)));
    setTimeout(() => reject(new Error(`no cycle: ${text}`)), 240_000).unref();
  });
  await cycle;
  expect(text).toMatch(/API +http:\/\/127\.0\.0\.1:\d+/);
  expect(text).not.toContain("listening on");
  expect(text).toMatch(/bought 0\.0\d+ BTC at \d+/);
  expect(text).toMatch(/sold +0\.0\d+ BTC at \d+/);
  expect(text).toContain(join(folder, "data/edgemaker/demo.db"));
});

it.skipIf(!hasTerminal || process.platform !== "linux")(
  "the demo prints a link to its page in a terminal, and opens it when the user presses Enter",
  async () => {
    const folder = tempFolder();
    const [programs, opened] = [join(folder, "programs"), join(folder, "opened.txt")];
    mkdirSync(programs);
    writeFileSync(join(programs, "xdg-open"), `#!/bin/sh\necho "$1" > ${opened}\n`, { mode: 0o755 });
    const over = { PATH: `${programs}:${process.env.PATH}` };
    const screen = terminal(folder, ["demo", "--port", "0"], { columns: 120, over });
    await screen.until(/Press Enter to open the page/);
    const link = /page +(http:\/\/127\.0\.0\.1:\d+\/#code=\S+) \(this link works once\)/;
    expect(screen.lines().join("\n")).toMatch(link);
    screen.type("\r");
    const read = async () => (existsSync(opened) ? readFileSync(opened, "utf8") : "");
    await eventually(read, (output) => output.endsWith("\n"));
    expect(await read()).toMatch(/^http:\/\/127\.0\.0\.1:\d+\/#code=\S+\n$/);
    screen.type("\x03");
    expect(await screen.ended).toBe(0);
    expect(screen.written()).toContain("The demo is over.");
  },
);

it("the end of the demo explains a loss, and says nothing of a gain", async () => {
  const app = await drivenApp();
  const { id } = await app.start(
    gridRequest({ lowerPrice: 50_000, upperPrice: 62_000, gridLevels: 12, orderSize: 500 }),
  );
  const view = async () => {
    await app.tick();
    const [found] = await app.deps.store.strategies({ id });
    return asGridView(found as never);
  };
  await app.move(1.02);
  expect(explainLoss(await view())).toBe("");
  await app.move(0.88);
  await view();
  expect(explainLoss(await view())).toMatch(
    /^ {2}Why a loss\? The price is \d{5}(\.\d+)? USDT, and the grid holds 0\.\d+ BTC, bought at \d{5}(\.\d+)? USDT on average\. Its sells earned/,
  );
});
