import { text } from "../../src/kernel/decimal.ts";
import type { NewOrder } from "../../src/model/order.ts";
import type { Changes, Snapshot } from "../../src/ports/stores/pass-store.ts";
import type { VenueFill, VenueOrder } from "../../src/ports/venue.ts";
import type { Found } from "./explore.ts";
import { make, runOf } from "./moves.ts";
import type { Requested } from "./pass.ts";
import { type Setting, START } from "./setting.ts";
import { firstOf, type Move, type State } from "./state.ts";

/** A trace as a person reads it: what was asked, what came of it, and what happened beside it. */
export async function story(setting: Setting, { path, what }: Found): Promise<string[]> {
  const state = await firstOf(setting);
  const lines: string[] = [];
  for (const move of path) {
    const request = state.running === undefined ? undefined : (await runOf(state, state.running)).request();
    const who = state.running;
    const before = format(state, who);
    await make(state, move);
    const time = `${((state.now - START) / 1000).toFixed(0).padStart(3)} s `;
    lines.push(time + sentence(move, { request, who, state, answer: lastReport(state, who, before) }));
  }
  return [...lines, ...what.map((one) => `!!  ${one}`)];
}

const format = ({ processes }: State, who: number | undefined): number =>
  who === undefined ? 0 : (processes[who]?.passing.results.length ?? 0);

function lastReport({ processes }: State, who: number | undefined, before: number): unknown {
  const all = who === undefined ? undefined : processes[who]?.passing.results;
  const one = all && all.length > before ? all.at(-1) : undefined;
  return one && ("error" in one ? one.error : one.value);
}

interface Scene {
  readonly request: Requested | undefined;
  readonly who: number | undefined;
  readonly state: State;
  readonly answer: unknown;
}

function sentence(move: Move, { request, who, state, answer }: Scene): string {
  switch (move.kind) {
    case "answer": {
      const how = move.how === "told" ? answerOf(answer) : ` — ${HOW[move.how]}${answerOf(answer)}`;
      return `process ${who} ${request ? questionOf(request) : ""}${how}`;
    }
    case "switch":
      return `** process ${who} is held up; process ${move.to} runs`;
    case "freeze":
      return `** process ${who} is held up until its lease has ended`;
    case "wake":
      return `process ${move.process} goes on${answerOf(answer)}`;
    case "begin":
      return `process ${move.process} begins a pass`;
    case "market":
      return `** the market comes: the first ${move.side} executes ${PARTS[move.part]}`;
    case "person":
      return `** a person: ${move.does}`;
    case "restore":
      return `** the database is put back by ${move.back + 1} writes, epoch ${state.tables.epoch}`;
    case "outage":
      return "** the exchange answers no look at one order for a while";
    case "land":
      return "** a statement that was given up reaches the database";
  }
}

const PARTS = { whole: "wholly", half: "in half", late: "wholly, and its trade shows late" } as const;

const HOW = {
  text: "",
  lost: "** the request is lost",
  "answer lost": "** done, and the answer is lost",
  late: "** given up, and takes effect at the last moment",
  slow: "** the answer takes its whole time",
  stale: "** answered from before",
  refused: "** refused",
  "last moment": "** leaves at the last moment of its lease",
  "crash before": "** the process dies before it",
  "crash after": "** done, and the process dies",
} as const;

const orderText = ({
  clientId,
  side,
  amount,
  price,
}: Pick<NewOrder, "clientId" | "side" | "amount" | "price">) =>
  `${clientId} ${side} ${text(amount)} at ${text(price)}`;

function questionOf({ name, args }: Requested): string {
  switch (name) {
    case "create":
      return `create ${orderText(args[0] as NewOrder)}`;
    case "cancel":
      return `cancel ${(args[0] as { id: string }).id}`;
    case "order":
      return `order ${(args[0] as { clientId?: string }).clientId}`;
    case "record": {
      const changes = args[1] as readonly Changes[];
      const intents = changes.flatMap((one) => one.intents.map(orderText));
      const orders = changes.flatMap((one) =>
        one.orders.map(({ clientId, state }) => `${clientId} ${state}`),
      );
      const fills = changes.flatMap((one) => one.fills.map(({ tradeId }) => tradeId));
      return `record ${[...orders, ...fills, ...intents.map((one) => `intent ${one}`)].join("; ")}`;
    }
    default:
      return name;
  }
}

function answerOf(answer: unknown): string {
  if (answer === undefined) return "";
  if (answer instanceof Error) return ` → ${answer.message}`;
  if (answer instanceof Set) return ` → ${answer.size} to send`;
  if (Array.isArray(answer))
    return ` → ${(answer as { clientId?: string; id?: string; asset?: string; free?: bigint }[]).map((one) => (one.asset ? `${one.asset} ${text(one.free ?? 0n)}` : (one.clientId ?? one.id))).join() || "none"}`;
  if (typeof answer !== "object" || answer === null) return ` → ${String(answer)}`;
  if ("lease" in answer) return ` → lease ${(answer as Snapshot).lease.token}`;
  if ("fills" in answer)
    return ` → ${(answer as { fills: VenueFill[] }).fills.map(({ id }) => id).join() || "none"}`;
  if ("result" in answer) return ` → ${Object.values(answer).join(" ")}`;
  if ("status" in answer) return ` → ${(answer as VenueOrder).status}`;
  return "";
}
