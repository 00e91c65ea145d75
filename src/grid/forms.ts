import type { ConfigForm } from "../ports/config-form.ts";
import { editConfig } from "./schema/edit-input.ts";
import { CAUTIOUS, centeredConfig, RANGE_FLAGS, rangeConfig, TRAIL_PARTS } from "./schema/input.ts";

/** What can be started as a grid. */
export const GRID_FORMS: readonly [ConfigForm, ConfigForm] = [
  {
    ...CAUTIOUS,
    definition: "grid",
    word: "grid",
    what: "a grid between two prices",
    synonym: (verb) => `grid ${verb}`,
    config: rangeConfig,
    fixed: { geometry: "range" },
    flags: RANGE_FLAGS,
    parts: TRAIL_PARTS,
    example: "--exchange kraken --symbol BTC/USDT --lower 57000 --upper 63000 --levels 12 --size 100",
  },
  {
    ...CAUTIOUS,
    definition: "grid",
    word: "centered",
    what: "a grid that follows the market price",
    takesProfile: true,
    config: centeredConfig,
    fixed: { geometry: "centered" },
    example: "--exchange kraken --symbol BTC/USDT --levels 5 --spacing 0.004 --size 100",
  },
];

/** What can change in a running grid. */
export const GRID_EDIT_FORM: ConfigForm = {
  definition: "grid",
  word: "grid",
  what: "a grid",
  synonym: (verb) => `grid ${verb}`,
  config: editConfig,
  flags: {
    lowerPrice: "lower",
    upperPrice: "upper",
    gridLevels: "levels",
    orderSize: "size",
  },
  example: "grid-kraken-BTC-USDT-1767225600000 --lower 55000 --upper 65000",
};
