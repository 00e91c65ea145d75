import { expect, it } from "vitest";
import { kindsOf } from "../../src/engine/accounts.ts";
import { runPass } from "../../src/engine/pass/pass.ts";
import { kindsWith } from "../../src/kinds.ts";
import { createOperations } from "../../src/operations.ts";
import type { StrategyDefinitions } from "../../src/ports/definition.ts";
import { alertsOf } from "../support/alerts.ts";
import { heardLog } from "../support/heard.ts";
import { EXCHANGES, testSandbox } from "../support/sandbox.ts";
import { starts } from "../support/starts.ts";
import { twoSided } from "./deeds.ts";

const PLACE = { exchange: "kraken", symbol: "BTC/USDT", quoteBudget: 1000, baseBudget: 0.1 };

it.each<[string, StrategyDefinitions, string]>([
  ["is missing", [], "the strategy two-sided is not loaded"],
  ["has a version without an upgrade", [{ ...twoSided, version: 2 }], "to version 2 without an upgrade"],
])("a strategy whose file %s is reported once, and a resume names the reason", async (_what, after, why) => {
  const { deps, venue, time, context } = await testSandbox();
  const receiveAlerts = await alertsOf({ context, local: time.local });
  const lines: string[] = [];
  const log = (...entry: unknown[]) => {
    heardLog(...entry);
    lines.push(JSON.stringify(entry));
  };
  const asking = (definitions: StrategyDefinitions) => {
    const own = { ...deps, log, kinds: kindsOf(kindsWith(definitions)) };
    const ask = async <T>(name: string, input: object): Promise<T> => {
      const operation = createOperations(EXCHANGES, definitions).find((one) => one.name === name);
      if (!operation) throw new Error(`there is no operation ${name}`);
      return (await operation.run(own, operation.input.parse(input), { actor: "local" })) as T;
    };
    return { own, ask };
  };
  const { id } = await asking([twoSided]).ask<{ id: string }>(
    ...starts("two-sided", {
      ...PLACE,
      spreadPercent: 0.2,
      size: 100,
    }),
  );
  await receiveAlerts();
  const { own, ask } = asking(after);
  for (let i = 0; i < 4; i++) {
    time.pass(5000);
    await runPass(own, venue("kraken"));
  }
  const { events } = await ask<{ events: { kind: string; message: string }[] }>("get_strategy_events", {
    id,
  });
  const found = events.filter(({ message }) => message.includes(why));
  expect(found).toEqual([expect.objectContaining({ kind: "error" })]);
  expect(lines.filter((line) => line.includes(why))).toEqual([expect.stringContaining(id)]);
  expect((await receiveAlerts()).filter((line) => line.includes(why))).toHaveLength(1);
  const resumed = await ask<{ success: boolean; message: string }>("resume_strategy", { id });
  expect(resumed).toMatchObject({ success: false, message: expect.stringContaining(why) });
  expect(resumed.message).not.toContain("is resumed");
  expect(await ask("get_strategy", { id })).toMatchObject({
    phase: "paused",
    lastError: expect.stringContaining(why),
  });
  // With the file it trades again, whatever was resumed meanwhile.
  expect(await asking([twoSided]).ask("resume_strategy", { id })).toMatchObject({
    success: true,
    message: `${id} is resumed`,
  });
});
