import { CHANGES_STRATEGY, changeable, changedOut, idInput } from "../../engine/operations/changes.ts";
import type { Pass } from "../../engine/pass/step.ts";
import { stepNow } from "../../engine/pass/tick.ts";
import { splitPair } from "../../kernel/pair.ts";
import { parseAccountKey } from "../../model/account.ts";
import { type By, byOf } from "../../model/events.ts";
import { type Operation, operation } from "../../operation.ts";
import type { Deps } from "../../ports/deps.ts";
import type { StrategyView } from "../../ports/stores/strategy-store.ts";
import { pauseTexts, previewChange } from "../start/preview.ts";

import { readPauseExposure, readResumeExposure } from "./exposures.ts";
import { viewOf } from "./stop.ts";

const PAUSE_OPERATION = {
  ...CHANGES_STRATEGY,
  input: idInput,
  failure: "Internal error",
} as const;

const pauseGrid = operation({
  ...PAUSE_OPERATION,
  name: "pause_grid",
  summary: "Pause a grid: place nothing new, and leave orders open",
  http: { route: "POST /strategy/grid/:id/pause", from: "body" },
  cli: {
    path: "grid pause",
    positional: ["id"],
    examples: ["edgemaker grid pause grid-kraken-BTC-USDT-1767225600000"],
  },
  async prepare(deps, { id }, call) {
    const before = await changeableGrid(deps, id);
    return {
      preview: async () =>
        previewChange(before, {
          text: "pause: open orders stay, and stop prices are not watched,",
          notes: pauseTexts(before.strategy.config, splitPair(before.strategy.symbol).quote),
        }),
      strategies: [id],
      exposure: () => readPauseExposure(deps, before.strategy),
      async act() {
        await deps.store.setPaused(id, true, byOf(call));
        const { view, pass } = await passed(deps, id);
        const why = pass ? failureOf(pass) : notedElsewhere(view);
        return changedOut(view, pauseMessage(view, why), view.strategy.wants === "pause");
      },
    };
  },
});

const resumeGrid = operation({
  ...PAUSE_OPERATION,
  name: "resume_grid",
  summary: "Resume a grid that is paused or in error",
  http: { route: "POST /strategy/grid/:id/resume", from: "body" },
  cli: {
    path: "grid resume",
    positional: ["id"],
    steps: true,
    examples: ["edgemaker grid resume grid-kraken-BTC-USDT-1767225600000"],
  },
  async prepare(deps, { id }, call) {
    const before = await changeableGrid(deps, id);
    return {
      preview: async () =>
        previewChange(before, {
          text: "resume, placing what is missing,",
          notes: ["it resumes the grid: its slots sell and buy again"],
          buys: true,
          killed: await deps.store.killed(),
        }),
      strategies: [id],
      exposure: () => readResumeExposure(deps, before.strategy),
      act: () => resumeByHand(deps, id, byOf(call)),
    };
  },
});

async function resumeByHand(deps: Deps, id: string, by: By) {
  await deps.store.setPaused(id, false, by);
  const { view, pass } = await passed(deps, id);
  const { status, wants, lastError } = view.strategy;
  if (status === "error") return changedOut(view, `${id} is in error again: ${lastError}`, false);
  const why = pass ? failureOf(pass) : notedElsewhere(view);
  const isRunning = wants === "run";
  return changedOut(view, isRunning ? `${id} is resumed${why}` : pauseMessage(view, why), isRunning);
}

/** Returns a grid that a user can still pause. Throws AppError otherwise. */
const changeableGrid = async (deps: Deps, id: string) =>
  changeable(await viewOf(deps, id), " and cannot be paused or resumed; start a new grid");

async function passed(deps: Deps, id: string): Promise<{ view: StrategyView; pass: Pass | undefined }> {
  const { strategy } = await viewOf(deps, id);
  const venue = deps.venueOf(parseAccountKey(strategy.account));
  const pass = venue && (await stepNow(deps, venue));
  return { view: await viewOf(deps, id), pass };
}

const failureOf = ({ outcome, message }: Pass): string => {
  if (outcome === "failed") return `; its pass failed (${message}) and is tried again`;
  return outcome === "busy" ? "; the next pass applies it" : "";
};

const notedElsewhere = ({ strategy }: StrategyView): string =>
  `; a process that is configured for ${strategy.account} applies it`;

function pauseMessage({ strategy: { id, wants }, openOrders }: StrategyView, why: string): string {
  if (wants === "stop") return `${id} is stopping${why}`;
  if (wants === "run") return `${id} is running: it was resumed${why}`;
  return `${id} is paused: nothing new is placed, ${openOrders} orders stay open, and stop and take-profit prices are not watched${why}`;
}

export const pauseOperations: readonly Operation[] = [pauseGrid, resumeGrid];
