/** The columns of typed rows, and what is wrong with a text. */
import { ASSET, isPair } from "../kernel/pair.ts";

/** Typed texts, row by row. */
export type TextRows = readonly (readonly string[])[];

export interface RowColumn {
  readonly label: string;
  /** Anything but a number or a choice is text. */
  readonly kind: string;
  /** The text of a new row. */
  readonly initial: string;
  readonly choices?: readonly (readonly [value: string, name: string])[];
  /** Returns what is wrong with a text, given the other rows; empty if nothing is. */
  readonly check?: (text: string, row: number, rows: TextRows) => string;
  /** Whether rows with these cells have this column; by default, all have it. */
  readonly isIn?: (cells: readonly string[]) => boolean;
}

/** Whether every text of these rows is right. */
export const areRight = (columns: readonly RowColumn[], rows: TextRows): boolean =>
  rows.every((cells, row) =>
    columns.every(({ check, isIn }, at) => isIn?.(cells) === false || !check?.(cells[at] ?? "", row, rows)),
  );

const AMOUNT = /^\d{1,20}(\.\d{1,18})?$/;

export const checkAmount = (text: string): string =>
  AMOUNT.test(text) ? "" : "Write an amount, such as 500.";
export const checkPercent = (text: string): string =>
  AMOUNT.test(text) && Number(text) > 0 && Number(text) <= 100 ? "" : "Write a percentage up to 100.";
export const checkAsset = (text: string): string =>
  ASSET.test(pairText(text)) ? "" : "Write an asset, such as USDT.";
export const checkPair = (text: string): string =>
  isPair(pairText(text)) ? "" : "Write a pair, such as BTC/USDT.";

/** Returns a typed pair or asset as exchanges write it. */
export const pairText = (typed: string): string => typed.trim().toUpperCase();
