import { configSchemaOf } from "../engine/operations/shapes.ts";
import { bookTrade, budgetSettings, POSITION_KIND } from "../engine/position/position.ts";
import { mul } from "../kernel/decimal.ts";
import type { Pair } from "../kernel/pair.ts";
import type { Fill } from "../model/order.ts";
import type { BuiltInKind } from "../ports/kind.ts";
import type { StrategyView } from "../ports/stores/store.ts";
import { readQuoteEdit } from "./operations/changes.ts";
import { readQuotesExposure } from "./operations/readings.ts";
import { QUOTE_EDIT_FORM, QUOTE_FORM, readQuoteStart } from "./operations/start.ts";
import { mayQuote, runQuote } from "./pass/run.ts";
import { requestedElsewhere } from "./pass/sources.ts";
import { fillsForDefence } from "./plan.ts";
import { QuoteDetailsShape, QuotePlanShape, quoteConfig } from "./schema/input.ts";
import { quoteLines, quotePlanLines } from "./schema/view.ts";
import { quotePricedOut, quoteRequestOut, quoteSettingsOf, sourcesOut } from "./start/planned-quote.ts";
import { type QuoteConfig, type QuoteState, type QuoteStrategy, STORED_QUOTES } from "./state.ts";

const NOT_QUOTED = { reference: null, halfSpread: null, widenedBy: null, at: null, sources: [] };

/** Quotes: orders on both sides of a market that follow a reference price from several sources. */
export const quoteKind: BuiltInKind<QuoteConfig, QuoteState> = {
  ...STORED_QUOTES,
  ...POSITION_KIND,
  group: "quote",
  summary: "Quote both sides of a market",
  definitions: [
    {
      name: "quote",
      title: "Quotes",
      summary: "Quote both sides of a market around a reference price",
      builtIn: true,
      version: STORED_QUOTES.version,
      schema: () => configSchemaOf(quoteConfig()),
      forms: [QUOTE_FORM],
      editForm: QUOTE_EDIT_FORM,
    },
  ],
  bookFill: (state: QuoteState, symbol: Pair, fill: Fill) => bookTrade(state, symbol, fill),
  isInRange: ({ quoted }: QuoteState) => quoted !== null && quoted.reference !== null,
  asksElsewhere: requestedElsewhere,
  fillsFor: ({ rules }: QuoteConfig, interval) => fillsForDefence(rules.defence, interval),
  mayPlace: mayQuote,
  // Orders further than the tolerance from the new reference move. Other sources are read at each round.
  wakesAt: ({ state, config: { tolerance } }: QuoteStrategy) => {
    const price = state.quoted?.reference;
    if (price === undefined || price === null) return undefined;
    const far = mul(price, tolerance.price, "up");
    return { below: price - far, above: price + far };
  },
  run: runQuote,
  readStart: readQuoteStart,
  readEdit: readQuoteEdit,
  editWaitsFor: "config",
  readExposure: (deps, strategy: QuoteStrategy) => readQuotesExposure(deps, strategy),
  settingsOf: ({ config }: QuoteStrategy) => ({
    config: quoteSettingsOf(config),
    ...budgetSettings(config.budget),
  }),
  markOf: ({ state }: QuoteStrategy) => state.quoted?.reference ?? undefined,
  planDetails: QuotePlanShape,
  planLines: quotePlanLines,
  statusDetails: QuoteDetailsShape,
  statusDetailsOf({ strategy: { config, state } }: StrategyView<QuoteStrategy>, timeOf) {
    const quoted = state.quoted ?? NOT_QUOTED;
    return {
      kind: "quote",
      ...quoteRequestOut(config),
      ...quotePricedOut(quoted, sourcesOut(quoted)),
      quotedAt: timeOf(quoted.at),
    };
  },
  statusLines: quoteLines,
};
