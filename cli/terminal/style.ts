import { styleText } from "node:util";

type Style = Parameters<typeof styleText>[0];

/** Colours are for a terminal, and for who has not said NO_COLOR. */
const isColoured = (): boolean =>
  process.stdout.isTTY === true && !process.env.NO_COLOR && process.env.TERM !== "dumb";

export const styled = (style: Style, text: string): string => (isColoured() ? styleText(style, text) : text);

/** Columns to write in: those of the terminal, or what a file or a pipe is read with. */
export const terminalColumns = (): number => process.stdout.columns ?? 120;

/** What a table may be wide: a file or a pipe breaks no line, and whoever reads one wants every column. */
export const tableWidth = (): number => process.stdout.columns ?? Number.POSITIVE_INFINITY;

/** Breaks a text between words into lines of at most `width`; a longer word has a line of its own. */
export function wrap(text: string, width: number): string[] {
  const lines: string[] = [];
  let line = "";
  for (const word of text.split(" ")) {
    if (line !== "" && line.length + 1 + word.length > width) {
      lines.push(line);
      line = word;
    } else line = line === "" ? word : `${line} ${word}`;
  }
  return [...lines, line];
}
