import { configSchemaOf } from "../engine/operations/shapes.ts";
import { startOfPosition } from "../engine/position/position.ts";
import type { KindReading } from "../ports/kind-reading.ts";
import { quoteKind } from "./kind.ts";
import { quotePreviewInput } from "./schema/input.ts";
import type { QuoteStrategy } from "./state.ts";

/** What quotes add to the list and the status. */
export const quoteReading: KindReading<QuoteStrategy> = {
  word: "quote",
  killed: "nothing is placed until it is off",
  definitions: (ids) => [
    {
      name: "quote",
      title: "Quotes",
      summary: "Quote both sides of a market around a reference price",
      builtIn: true,
      version: quoteKind.version,
      config: configSchemaOf(quotePreviewInput(ids)),
    },
  ],
  definitionOf: () => "quote",
  startedWith: startOfPosition,
  markOf: ({ state }) => state.quoted?.reference ?? undefined,
};
