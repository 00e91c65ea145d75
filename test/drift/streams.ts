/** The same for the messages of an exchange's streams: a pass reads the exchange as always, whatever they contain. */
import { nodeSockets } from "../../cli/host/node-runtime.ts";
import { venueStreams } from "../../src/adapters/streams/streams.ts";
import { runRound } from "../../src/engine/pass/round.ts";
import { text, ZERO } from "../../src/kernel/decimal.ts";
import { SECOND } from "../../src/kernel/time.ts";
import { accountKey } from "../../src/model/account.ts";
import type { Hint, StreamStatus } from "../../src/ports/venue.ts";
import { emulatedExchanges } from "../support/emulated.ts";
import { gridInput } from "../support/requests.ts";
import { runOperation } from "../support/sandbox.ts";
import { protobuf } from "../venues/stream/mexc.ts";
import type { Message } from "../venues/stream/session.ts";
import type { Edition, Finding } from "./essentials.ts";
import { collect, type Json, type Kind, type Mutation, mutate } from "./mutate.ts";
import type { Fields, Outcome } from "./scenario.ts";

const PAIR = "BTC/USDT";
const BETWEEN = 10 * SECOND;
/** Beginning of the names of messages among the calls. */
export const STREAM = "stream ";

export async function streamFieldsOf(edition: Edition): Promise<Fields> {
  const fields: Fields = new Map();
  const { findings } = await run(edition, (kind, body) => {
    const found = fields.get(STREAM + kind) ?? new Map<string, Set<Kind>>();
    fields.set(STREAM + kind, found);
    collect(body, found);
    return body;
  });
  if (findings.length > 0)
    throw new Error(`without a change: ${findings.map(({ text }) => text).join("; ")}`);
  return fields;
}

export async function runStreamMutations(edition: Edition, mutations: readonly Mutation[]): Promise<Outcome> {
  let changed = 0;
  const { findings } = await run(edition, (message, body) => {
    let after = body;
    for (const { call, path, kind } of mutations)
      if (call === STREAM + message) after = mutate(after, path, kind);
    if (JSON.stringify(after) !== JSON.stringify(body)) changed++;
    return after;
  });
  return { findings, changed };
}

async function run(
  { exchange: name, unified }: Edition,
  change: (kind: string, body: Json) => Json,
): Promise<{ readonly findings: readonly Finding[] }> {
  const setup = await emulatedExchanges({
    names: [name],
    venue: { unified },
    timing: { readLag: 5 * SECOND },
  });
  const findings: Finding[] = [];
  const find = (what: Finding["what"], message: string) => findings.push({ what, text: message });
  const exchange = setup.exchange(name);
  const before = new Map(["BTC", "USDT"].map((asset) => [asset, exchange.total(asset)]));
  const sent = new Set<string>();
  const hints: Hint[] = [];
  const statuses: StreamStatus[] = [];
  await runOperation(setup.deps, "start_grid", gridInput({ exchange: name }));
  exchange.stream.changes.message = (kind, message) => {
    sent.add(kind);
    return changedMessage(message, (body) => change(kind, body));
  };
  const stream = venueStreams(setup.accessOf, nodeSockets).subscribe(
    setup.deps.venue(name).account,
    { orders: [PAIR], prices: [PAIR] },
    { onHint: (hint) => hints.push(hint), onStatus: (status) => statuses.push(status) },
  );
  const pass = async () => {
    setup.time.pass(BETWEEN);
    exchange.advance();
    await runRound(setup.deps);
  };
  try {
    // A changed confirmation may never count as one.
    await waitFor(() => statuses.some(({ state }) => state === "live"), sent.has("reply") ? 50 : 300);
    exchange.move(PAIR, "58400");
    await waitFor(() => sent.has("fill") && sent.has("price") && hints.length > 1, 30);
    for (const hint of hints)
      if (hint.kind === "price" && hint.bid > hint.ask)
        find("show", `a bid of ${text(hint.bid)} above the ask`);
    for (let count = 0; count < 6 && exchange.open(PAIR).length < 4; count++) await pass();
    if (exchange.executions().length === 0 || exchange.open(PAIR).length !== 4)
      find("act", "the grid places no counter-order");
    const account = accountKey(setup.deps.venue(name).account);
    const [grid] = await setup.deps.store.strategies({ account });
    for (const [asset, first] of before) {
      const booked = grid?.strategy.state.ledger.moved[asset] ?? ZERO;
      const total = exchange.total(asset) - first;
      if (booked !== total) find("book", `booked ${asset} ${text(booked)} for ${text(total)}`);
    }
    return { findings };
  } finally {
    stream?.close();
    await setup.close();
  }
}

/** Waits for a condition that a changed message can prevent, so not for long. */
async function waitFor(holds: () => boolean, turns: number) {
  for (let turn = 0; turn < turns && !holds(); turn++) await new Promise((after) => setTimeout(after, 5));
}

function changedMessage(message: Message, change: (body: Json) => Json): Message {
  if (typeof message !== "string") return encoded(change(decoded(message)));
  try {
    return JSON.stringify(change(JSON.parse(message) as Json));
  } catch {
    return message;
  }
}

/** Fields of a message of mexc by number; those from 300 are messages in it. */
function decoded(bytes: Uint8Array): Readonly<Record<string, Json>> {
  const fields: Record<string, Json> = {};
  let at = 0;
  const varint = () => {
    let [value, factor] = [0, 1];
    for (;;) {
      const byte = bytes[at++] ?? 0;
      value += (byte & 127) * factor;
      if (byte < 128) return value;
      factor *= 128;
    }
  };
  while (at < bytes.length) {
    const tag = varint();
    const number = Math.floor(tag / 8);
    const value = varint();
    if (tag % 8 === 0) fields[number] = value;
    else {
      const content = bytes.subarray(at, at + value);
      at += value;
      fields[number] = number >= 300 ? decoded(content) : new TextDecoder().decode(content);
    }
  }
  return fields;
}

function encoded(body: Json): Uint8Array {
  if (typeof body !== "object" || body === null) return new TextEncoder().encode(String(body));
  const fields: [number, string | Uint8Array | number][] = [];
  for (const [key, value] of Object.entries(body)) {
    const number = /^\d+$/.test(key) ? Number(key) : 999;
    if (value === null) continue;
    if (typeof value === "number" && Number.isSafeInteger(value) && value >= 0) fields.push([number, value]);
    else fields.push([number, typeof value === "object" ? encoded(value) : String(value)]);
  }
  return protobuf(fields);
}
