/** What every verb on a strategy shares: finding it, and the passes that carry a request out. */
import type { Pass } from "../../engine/pass/pass.ts";
import { runPassNow } from "../../engine/pass/round.ts";
import { AppError } from "../../kernel/errors.ts";
import { parseAccountKey } from "../../model/account.ts";
import type { Strategy } from "../../model/strategy.ts";
import type { Deps } from "../../ports/deps.ts";
import type { StoreDeps } from "../../ports/kind.ts";
import { inThisVersion, type ReadableStrategy } from "../reading.ts";

/** Returns one strategy of any kind. Throws AppError if there is none, or if this version cannot read it. */
export async function strategyById({ store, kinds }: StoreDeps, id: string): Promise<ReadableStrategy> {
  const [view] = await store.strategies({ id });
  if (!view) throw new AppError("Not found", `there is no strategy ${id}`);
  try {
    return inThisVersion(kinds, view);
  } catch (cause) {
    const message = `${id} was stored by another version of edgemaker, which this one cannot read; use that version`;
    throw new AppError("Conflict", message, { cause });
  }
}

/** Returns a strategy that a person can still change. Throws AppError otherwise. */
export async function changeableById(deps: StoreDeps, id: string): Promise<ReadableStrategy> {
  const view = await strategyById(deps, id);
  const { status, wants } = view.strategy;
  if (status !== "stopped" && wants !== "stop") return view;
  const is = status === "stopped" ? "is stopped" : "is stopping";
  throw new AppError("Conflict", `${id} ${is} and cannot be changed; start a new one`);
}

export interface AfterPasses {
  readonly view: ReadableStrategy;
  /** The last pass; undefined if this process cannot reach the account. */
  readonly pass: Pass | undefined;
}

/** Runs passes until the request is carried out, if this process can reach the account; at most `most`. */
export async function passesFor(
  deps: Deps,
  { id, account }: Pick<Strategy, "id" | "account">,
  isDone: (view: ReadableStrategy) => boolean,
  most = 2,
): Promise<AfterPasses> {
  const venue = deps.venueOf(parseAccountKey(account));
  for (let left = most - 1; venue; left--) {
    const pass = await runPassNow(deps, venue);
    const view = await strategyById(deps, id);
    const isComplete = pass.outcome === "stepped" || pass.outcome === "short";
    if (left === 0 || !isComplete || isDone(view)) return { view, pass };
  }
  return { view: await strategyById(deps, id), pass: undefined };
}

/** Describes why a request is not carried out yet; empty if nothing delays it. */
export function reasonForDelay({ view, pass }: AfterPasses): string {
  if (!pass) return `; a process that is configured for ${view.strategy.account} applies it`;
  if (pass.outcome === "failed") return `; its pass failed (${pass.message}) and is tried again`;
  return pass.outcome === "busy" ? "; the next pass applies it" : "";
}
