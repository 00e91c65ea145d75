import type { CandleFile } from "../../src/adapters/sandbox/replay.ts";
import { decimal, text } from "../../src/kernel/decimal.ts";
import { MINUTE } from "../../src/kernel/time.ts";
import { type Driven, drivenApp } from "./driven.ts";
import { START } from "./sandbox.ts";

const SYMBOL = "BTC/USDT";

export const SWUNG = {
  exchange: "kraken",
  symbol: SYMBOL,
  lowerPrice: 57_000,
  upperPrice: 63_000,
  gridLevels: 6,
  orderSize: 200,
  useOwnBase: false,
};

/** A price that swings through four levels, once in forty minutes; a bar goes one way alone. */
export function swings(minutes: number): CandleFile {
  const price = (minute: number) => decimal((60_000 + 2400 * Math.sin((minute * Math.PI) / 20)).toFixed(1));
  const bars = Array.from({ length: minutes }, (_, minute) => [price(minute), price(minute + 1)] as const);
  return {
    times: bars.map((_bar, minute) => START + minute * MINUTE),
    rows: bars.map(([open, close]) =>
      open < close ? [open, close, open, close] : [open, open, close, close],
    ),
    volumes: bars.map(() => 1),
  };
}

/** The same as a file of comma-separated values. */
export const swingsCsv = (minutes: number): string => {
  const { times, rows } = swings(minutes);
  const lines = rows.map((row, i) => [times[i], ...row.map(text), 1].join(","));
  return `timestamp,open,high,low,close,volume\n${lines.join("\n")}\n`;
};

interface Swung {
  readonly minutes: number;
  /** Minutes in which nobody steps. */
  readonly asleep?: readonly [from: number, until: number];
  /** Quote of the account, as much as the sandbox gives where it is left out. */
  readonly quote?: bigint;
  readonly parts?: boolean;
  readonly url?: string;
}

/** A grid of the real service over those minutes, a pass in each. */
export async function swung({
  minutes,
  asleep = [0, 0],
  quote,
  parts = false,
  url,
}: Swung): Promise<{ app: Driven; id: string }> {
  const candles = new Map([[SYMBOL, swings(minutes + 5)]] as const);
  const app = await drivenApp({ candles, origin: START, parts, ...(url ? { url } : {}) });
  if (quote !== undefined) {
    const held = (await app.venue("kraken").balances()).find(({ asset }) => asset === "USDT");
    await app.deposit("USDT", quote - (held?.free ?? 0n));
  }
  const { id } = await app.start(SWUNG);
  for (let minute = 1; minute <= minutes; minute++) {
    if (minute > asleep[0] && minute <= asleep[1]) app.time.pass(MINUTE);
    else await app.tick(MINUTE);
  }
  return { app, id };
}
