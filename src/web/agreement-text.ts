/** The terms of an agreement: as rows of a form, and as the text of a request. */
import { PRESETS, type Preset } from "../model/samples/promise.ts";
import {
  checkAmount,
  checkPair,
  checkPercent,
  pairText,
  type RowColumn,
  type TextRows,
} from "./row-checks.ts";

const PRESET_RULES: Readonly<Record<Preset, readonly [name: string, terms: readonly string[]]>> = {
  agreement: ["Usual terms", ["spread", "depth", "band", "levels", "uptime"]],
  "gate-score": ["Gate score", ["spread", "depth", "band", "uptime"]],
  "bitget-st": ["Bitget ST policy", ["spread"]],
  "mexc-st": ["MEXC ST warnings", []],
  "binance-flags": ["Binance red flags", []],
};

/** Names of the terms in a request, in the order of their columns. */
const TERM_NAMES = ["spread", "depth", "band", "levels", "uptime"] as const;

const TERM_BANDS = ["0.5", "1", "2"].map((band) => [band, `${band} %`] as const);

const checkLevels = (text: string): string =>
  /^[1-9]\d?$/.test(text) ? "" : "Write a whole number from 1 to 99.";

/** The server assumes these values for a market without them. */
const TERM_COLUMNS: readonly RowColumn[] = [
  { label: "Spread at most, %", kind: "number", initial: "2", check: checkPercent },
  { label: "Depth per side, quote", kind: "number", initial: "1000", check: checkAmount },
  { label: "Depth within", kind: "choice", initial: "2", choices: TERM_BANDS },
  { label: "Levels per side", kind: "number", initial: "1", check: checkLevels },
  { label: "Uptime at least, %", kind: "number", initial: "90", check: checkPercent },
];

const presetOf = ([, , preset = ""]: readonly string[]): Preset =>
  PRESETS.find((one) => one === preset) ?? "agreement";

/** Returns the columns of markets on these exchanges. */
export const marketColumns = (exchanges: readonly string[]): readonly RowColumn[] => [
  {
    label: "Exchange",
    kind: "choice",
    initial: exchanges[0] ?? "",
    choices: exchanges.map((id) => [id, id] as const),
  },
  {
    label: "Pair",
    kind: "text",
    initial: "",
    check: (text, row, rows) =>
      checkPair(text) ||
      (rows.some((cells, at) => at < row && marketPlace(cells) === marketPlace(rows[row] ?? []))
        ? "This market is in the agreement already."
        : ""),
  },
  {
    label: "Rules",
    kind: "choice",
    initial: "agreement",
    choices: PRESETS.map((preset) => [preset, PRESET_RULES[preset][0]] as const),
  },
  ...TERM_COLUMNS.map((column, at) => ({
    ...column,
    isIn: (cells: readonly string[]) => PRESET_RULES[presetOf(cells)][1].includes(TERM_NAMES[at] ?? ""),
    // Bitget publishes no limit of the spread.
    check: (text: string, row: number, rows: TextRows) =>
      text === "" && presetOf(rows[row] ?? []) === "bitget-st" ? "" : (column.check?.(text, row, rows) ?? ""),
  })),
];

const marketPlace = ([exchange = "", pair = ""]: readonly string[]): string =>
  `${exchange}:${pairText(pair)}`;

/** Columns of the rules of all markets of a pair together, of which any can be empty. */
export const TOTAL_COLUMNS: readonly RowColumn[] = TERM_COLUMNS.map(({ check, ...column }, at) => ({
  ...column,
  initial: column.kind === "choice" ? column.initial : "",
  check: (text, row, rows) => {
    if (text !== "") return check?.(text, row, rows) ?? "";
    const [spread, depth, , levels, uptime] = rows[row] ?? [];
    if (TERM_NAMES[at] !== "uptime" || uptime) return "";
    if (spread || levels) return "A spread and levels need an uptime.";
    return depth ? "" : "Fill in a depth, an uptime, or both.";
  },
}));

/** Writes terms, such as `spread=2 depth=500`. */
const termsText = (cells: readonly string[], names: readonly string[]): string =>
  TERM_NAMES.map((name, at) => [name, cells[at] ?? ""] as const)
    .filter(([name, text]) => names.includes(name) && text !== "")
    .map(([name, text]) => `${name}=${text}`)
    .join(" ");

/** Reads terms; `initial` are the texts of those that are absent. */
function termCells(words: readonly string[], initial: readonly string[]): readonly string[] {
  const given = Object.fromEntries(words.map((word) => word.replace("%", "").split("=")));
  return TERM_NAMES.map((name, at) => given[name] ?? initial[at] ?? "");
}

/** Returns the rows of a stored agreement's markets. */
export const marketRows = (text: string): TextRows =>
  text.split(", ").map((entry) => {
    const [place = "", ...words] = entry.split(" ");
    const [exchange = "", pair = ""] = place.split(/:(.*)/);
    const preset = PRESETS.find((one) => one === words[0]) ?? "agreement";
    const initial = preset === "bitget-st" ? [] : TERM_COLUMNS.map((column) => column.initial);
    return [exchange, pair, preset, ...termCells(words, initial)];
  });

export const writeMarkets = (rows: TextRows): string =>
  rows
    .map((cells) => {
      const preset = presetOf(cells);
      return `${marketPlace(cells)} ${preset} ${termsText(cells.slice(3), PRESET_RULES[preset][1])}`.trim();
    })
    .join(", ");

/** Returns the row of a stored agreement's rules in total, if it has any. */
export const totalRows = (text: string | null): TextRows =>
  text === null
    ? []
    : [
        termCells(
          text.split(" "),
          TOTAL_COLUMNS.map(({ initial }) => initial),
        ),
      ];

/** Writes the rules in total. Without a depth, its distance means nothing. */
export const writeTotal = ([cells]: TextRows): string =>
  cells
    ? termsText(
        cells,
        TERM_NAMES.filter((name) => name !== "band" || cells[1] !== ""),
      )
    : "none";
