import * as z from "zod";
import { max, text, ZERO } from "../../kernel/decimal.ts";
import { idField } from "../../kernel/fields.ts";
import { splitPair } from "../../kernel/pair.ts";
import type { StopWish } from "../../kernel/stop-flags.ts";
import { readPositionPause, readPositionSale } from "../../limits/operations/position-reads.ts";
import type { By } from "../../model/events.ts";
import type { Preview } from "../../model/proposal.ts";
import { TRADES_NOTHING } from "../../model/proposal.ts";
import { byOf, operation } from "../../operation.ts";
import type { Deps } from "../../ports/deps.ts";
import { quoteStopInput } from "../schema/input.ts";
import type { QuoteStrategy } from "../state/state.ts";
import { CHANGES_QUOTES, changeableQuotes, changedOut, passesOver } from "./changing.ts";
import { readQuotesExposure } from "./exposures.ts";
import { quoteView } from "./quote-views.ts";

const idInput = () => z.object({ id: idField("Invalid request").describe("Strategy id") });

/** Describes the base that stays in the account or is sold. */
const positionText = ({ symbol, state }: QuoteStrategy): string =>
  `${text(state.base)} ${splitPair(symbol).base}`;

function previewOfStop(strategy: QuoteStrategy, sellBase: boolean): Preview {
  const { id } = strategy;
  const position = positionText(strategy);
  return {
    what: `stop ${id}, canceling its orders${sellBase ? `, and sell ${position} below the market` : ""}`,
    cost: sellBase ? `${position} are sold` : "nothing is sold or bought",
    worstCase: sellBase
      ? "it sells at up to 10 % below the mid price, even into a thin order book"
      : `${position} stay in the account`,
    limits: [],
  };
}

function previewOfPause(strategy: QuoteStrategy, isPaused: boolean): Preview {
  const { id, symbol, config, state } = strategy;
  const quote = `${text(max(ZERO, config.budget.quote + state.ledger.quote))} ${splitPair(symbol).quote}`;
  return {
    what: isPaused
      ? `pause ${id}: cancel its orders until you resume it`
      : `resume ${id}: quote both sides again`,
    cost: isPaused
      ? "nothing is sold or bought"
      : `up to ${positionText(strategy)} and ${quote} are used for quotes`,
    worstCase: isPaused ? "the base stays, and loses value with the price" : "the same as at the start",
    limits: [],
  };
}

export const stopQuote = operation({
  ...CHANGES_QUOTES,
  name: "stop_quote",
  lane: "urgent",
  summary: "Stop quotes and cancel their orders",
  failure: "Cancel failed",
  http: { route: "DELETE /strategy/quote", from: "body" },
  cli: {
    path: "quote stop",
    positional: ["id"],
    examples: ["edgemaker quote stop quote-mexc-SNEK-USDT-1767225600000"],
  },
  input: quoteStopInput,
  async prepare(deps, { id, ...flags }, call) {
    const { strategy } = await quoteView(deps, id);
    const { sellBase } = flags;
    return {
      preview: async () => previewOfStop(strategy, sellBase),
      strategies: [id],
      exposure: sellBase ? () => readPositionSale(deps, strategy) : TRADES_NOTHING,
      act: () => stopQuotesByHand(deps, strategy, { keepOrders: false, ...flags }, byOf(call)),
    };
  },
});

async function stopQuotesByHand(deps: Deps, { id, status }: QuoteStrategy, how: StopWish, by: By) {
  if (status !== "stopped") await deps.store.setWants(id, "stop", how, by);
  const { view, why } = await passesOver(deps, id, ({ strategy }) => strategy.status === "stopped");
  const isOver = view.strategy.status === "stopped";
  return changedOut(
    view,
    isOver
      ? `${id} is stopped and has no orders left`
      : `${id} is stopping: ${view.openOrders} of its orders could still be open${why}; the next passes finish the stop`,
  );
}

export const pausing = (isPaused: boolean) =>
  operation({
    ...CHANGES_QUOTES,
    name: isPaused ? "pause_quote" : "resume_quote",
    summary: isPaused
      ? "Pause quotes: cancel their orders until you resume them"
      : "Resume quotes that are paused or in error",
    failure: "Internal error",
    http: {
      route: isPaused ? "POST /strategy/quote/:id/pause" : "POST /strategy/quote/:id/resume",
      from: "body",
    },
    cli: {
      path: isPaused ? "quote pause" : "quote resume",
      positional: ["id"],
      ...(isPaused ? {} : { steps: true }),
    },
    input: idInput,
    async prepare(deps, { id }, call) {
      const { strategy } = await changeableQuotes(deps, id);
      return {
        preview: async () => previewOfPause(strategy, isPaused),
        strategies: [id],
        exposure: () => (isPaused ? readPositionPause(deps, strategy) : readQuotesExposure(deps, strategy)),
        async act() {
          await deps.store.setPaused(id, isPaused, byOf(call));
          const { view, why } = await passesOver(deps, id, ({ openOrders }) => isPaused && openOrders === 0);
          const message = isPaused
            ? `${id} is paused: its orders are canceled${why}`
            : `${id} is resumed${why}`;
          return changedOut(view, message, view.strategy.status !== "error");
        },
      };
    },
  });
