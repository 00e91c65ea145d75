import { configSchemaOf } from "../engine/operations/shapes.ts";
import { budgetSettings, startOfPosition } from "../engine/position/position.ts";
import type { KindReading } from "../ports/kind-reading.ts";
import { QuoteDetailsShape, quoteConfig } from "./schema/input.ts";
import { quoteLines } from "./schema/view.ts";
import { quotePricedOut, quoteRequestOut, quoteSettingsOf, sourcesOut } from "./start/planned-quote.ts";
import { type QuoteStrategy, STORED_QUOTES } from "./state.ts";

const NOT_QUOTED = { reference: null, halfSpread: null, widenedBy: null, at: null, sources: [] };

/** What quotes add to the list and the status. */
export const quoteReading: KindReading<QuoteStrategy> = {
  word: "quote",
  killed: "nothing is placed until it is off",
  definitions: () => [
    {
      name: "quote",
      title: "Quotes",
      summary: "Quote both sides of a market around a reference price",
      builtIn: true,
      version: STORED_QUOTES.version,
      config: configSchemaOf(quoteConfig()),
    },
  ],
  definitionOf: () => "quote",
  startedWith: startOfPosition,
  settingsOf: ({ config }) => ({ config: quoteSettingsOf(config), ...budgetSettings(config.budget) }),
  markOf: ({ state }) => state.quoted?.reference ?? undefined,
  details: QuoteDetailsShape,
  detailsOf({ strategy: { config, state } }, timeOf) {
    const quoted = state.quoted ?? NOT_QUOTED;
    return {
      kind: "quote",
      ...quoteRequestOut(config),
      ...quotePricedOut(quoted, sourcesOut(quoted)),
      quotedAt: timeOf(quoted.at),
    };
  },
  linesOf: quoteLines,
};
