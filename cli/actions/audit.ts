import { chainedOut } from "../../src/audit/operations/events.ts";
import { verify } from "../../src/audit/operations/verify.ts";
import { SettingsError } from "../../src/kernel/errors.ts";
import { DAY } from "../../src/kernel/time.ts";
import { wholeFlag } from "../host/settings.ts";
import type { Values } from "../terminal/arguments.ts";
import { byCommand, withDatabase } from "./database/open.ts";

const EVENTS_PER_EXPORT = 1000;

export async function verifyEvents(values: Values): Promise<number> {
  let isIntact = false;
  const code = await withDatabase(values, async ({ store, signers = [] }) => {
    const { next: _all, ...verdict } = await verify(store, signers);
    isIntact = verdict.intact;
    return verdict;
  });
  return isIntact ? code : 1;
}

export async function exportEvents(values: Values): Promise<number> {
  const from = wholeFlag(values, "after", { usual: 0, most: Number.MAX_SAFE_INTEGER });
  return withDatabase(values, async ({ store }) => {
    let [id, isWhole] = [from, false];
    while (!isWhole) {
      const page = await store.eventsAfter(id, EVENTS_PER_EXPORT);
      const lines = page.map((event) => `${JSON.stringify(chainedOut(event))}\n`);
      process.stdout.write(lines.join(""));
      id = page.at(-1)?.id ?? id;
      isWhole = page.length < EVENTS_PER_EXPORT;
    }
    return undefined;
  });
}

export async function signEvents(values: Values): Promise<number> {
  const days = wholeFlag(values, "keep-days", { usual: undefined, least: 1, most: 36_500 });
  return withDatabase(values, async ({ store, signers: [signer] = [] }) => {
    if (!signer)
      throw new SettingsError("EDGEMAKER_KEK is not set; checkpoints are signed with a key derived from it");
    const keep = days === undefined ? undefined : days * DAY;
    const { checkpoint, cut } = await store.checkpoint(signer, keep, byCommand());
    const { number, at, key, signature, marks } = checkpoint;
    return { number, at: new Date(at).toISOString(), key, signature, deleted: cut, chains: marks.length };
  });
}
