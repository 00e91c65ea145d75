/** Listen keys and tokens: what a signed REST call gives, and a connection is opened with. */
import { createHash } from "node:crypto";
import type { Millis } from "../../../src/kernel/time.ts";
import type { Member, PrivateAsk } from "../dialect.ts";
import type { Engine } from "../engine.ts";

interface StreamKey {
  readonly member: Member;
  until: Millis;
}

const issued = new WeakMap<Engine, Map<string, StreamKey>>();

export function streamKeys(engine: Engine): Map<string, StreamKey> {
  const keys = issued.get(engine) ?? new Map<string, StreamKey>();
  issued.set(engine, keys);
  return keys;
}

/** Makes another key of the account, good for so long. */
export function issueKey({ engine, member, now }: PrivateAsk, lasts: Millis): string {
  const keys = streamKeys(engine);
  const key = createHash("sha256").update(`${member.keys.key} ${keys.size} ${now}`).digest("hex");
  keys.set(key, { member, until: now + lasts });
  return key;
}
