import { type CandleRow, candlesOf } from "../../src/candles/candles.ts";
import { MINUTE } from "../../src/kernel/time.ts";
import { type Driven, drivenApp } from "./driven.ts";
import { gridRequest } from "./requests.ts";
import { START } from "./sandbox.ts";

const SYMBOL = "BTC/USDT";

export const SWUNG = gridRequest({ symbol: SYMBOL, useOwnBase: false });

/** A price that swings through four levels, once in forty minutes; a bar goes one way alone. */
function swings(minutes: number): CandleRow[] {
  const price = (minute: number) => (60_000 + 2400 * Math.sin((minute * Math.PI) / 20)).toFixed(1);
  return Array.from({ length: minutes }, (_, minute) => {
    const [open, close] = [price(minute), price(minute + 1)];
    const [low, high] = Number(open) < Number(close) ? [open, close] : [close, open];
    return { at: START + minute * MINUTE, open, high, low, close, volume: 1 };
  });
}

/** The same as a file of comma-separated values. */
export const swingsCsv = (minutes: number): string => {
  const lines = swings(minutes).map(({ at, open, high, low, close }) =>
    [at, open, high, low, close, 1].join(),
  );
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
  /** A centered grid in place of the usual one. */
  readonly centered?: object;
}

/** A grid of the real service over those minutes, a pass in each. */
export async function swung({
  minutes,
  asleep = [0, 0],
  quote,
  parts = false,
  url,
  centered,
}: Swung): Promise<{ app: Driven; id: string }> {
  const candles = new Map([
    [SYMBOL, candlesOf({ pair: SYMBOL, spanMillis: MINUTE }, swings(minutes + 5))],
  ] as const);
  const app = await drivenApp({ candles, origin: START, parts, ...(url ? { url } : {}) });
  if (quote !== undefined) {
    const balance = (await app.venue("kraken").balances()).find(({ asset }) => asset === "USDT");
    await app.deposit("USDT", quote - (balance?.free ?? 0n));
  }
  const { exchange, symbol, useOwnBase } = SWUNG;
  const { id } = centered
    ? await app.startCentered({ exchange, symbol, useOwnBase, ...centered })
    : await app.start(SWUNG);
  for (let minute = 1; minute <= minutes; minute++) {
    if (minute > asleep[0] && minute <= asleep[1]) app.time.pass(MINUTE);
    else await app.tick(MINUTE);
  }
  return { app, id };
}
