import { expect, it } from "vitest";
import { VenueError } from "../../src/kernel/errors.ts";
import type { Deps } from "../../src/ports/deps.ts";
import { askingOf, testSandbox } from "../support/sandbox.ts";
import { starts } from "../support/starts.ts";
import { REQUEST } from "./requested.ts";

it("a change of quotes is not previewed while their exchange is unavailable, with the reason", async () => {
  const { deps, store, venue } = await testSandbox();
  const { ask } = askingOf(deps);
  const { id } = await ask<{ id: string }>(...starts("quote", REQUEST));
  const resting = async () => (await venue("kraken").openOrders("BTC/USDT")).map(({ id }) => id);
  const row = async () => (await store.strategies({ id }))[0]?.strategy;
  const [orders, before] = [await resting(), await row()];
  expect(orders).toHaveLength(4);

  const silent = async () => {
    throw new VenueError("unavailable", "kraken: no answer");
  };
  const dead: Partial<Deps> = { venueOf: () => ({ ...venue("kraken"), ticker: silent, book: silent }) };
  await expect(ask("preview_edit", { id, config: { levels: 1 } }, dead)).rejects.toMatchObject({
    label: "Exchange error",
    message:
      "nothing is changed: kraken could not be read (kraken: no answer); the strategy continues unchanged",
  });
  const away: Partial<Deps> = { venueOf: () => undefined };
  await expect(ask("preview_edit", { id, config: { levels: 1 } }, away)).rejects.toMatchObject({
    label: "Exchange error",
    message: "nothing is changed: this process is not configured for kraken; use a process that is",
  });
  expect(await resting()).toEqual(orders);
  expect(await row()).toEqual(before);

  const changed = await ask<{ message: string }>("edit_strategy", { id, config: { levels: 1 } }, away);
  expect(changed.message).toMatch(
    /^quote-\S+ changes with its next passes; a process that is configured for .*kraken.* applies it$/,
  );
  expect(await resting()).toEqual(orders);
  expect((await row())?.edits).toBe(1);
});
