import { styleText } from "node:util";

type Style = Parameters<typeof styleText>[0];

/** Returns whether to use colors: only in a terminal, and not with NO_COLOR. */
const isColoured = (): boolean =>
  process.stdout.isTTY === true && !process.env.NO_COLOR && process.env.TERM !== "dumb";

export const styled = (style: Style, text: string): string => (isColoured() ? styleText(style, text) : text);

/** Width of a terminal that reports none, as some serial consoles and containers do. */
const ASSUMED_COLUMNS = 80;

/** Sets the width of a terminal that reports 0 columns, because neither texts nor prompts fit into that. */
export function assumeWidth(output: NodeJS.WriteStream = process.stdout): void {
  if (output.columns !== 0) return;
  const assume = () => {
    if (output.columns === 0) output.columns = ASSUMED_COLUMNS;
  };
  assume();
  // The terminal reports it again whenever its size changes.
  output.on("resize", assume);
}

/** Returns the width in columns: the terminal's, or the default for a file or a pipe. */
export const terminalColumns = (): number => process.stdout.columns ?? 120;

/** Returns the maximum width of a table: unlimited for a file or a pipe. */
export const tableWidth = (): number => process.stdout.columns ?? Number.POSITIVE_INFINITY;

/** Wraps text between words into lines of at most `width`; a longer word gets its own line. */
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
