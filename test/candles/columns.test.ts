import { describe, expect, it } from "vitest";
import { createReader, type ReadOptions } from "../../src/candles/read.ts";
import { createTapeReader, isTape } from "../../src/candles/tape-reader.ts";
import { DAY, MINUTE } from "../../src/kernel/time.ts";

const FIRST = Date.UTC(2022, 0, 1);
const bytesOf = (file: string) => new TextEncoder().encode(file);

function read(file: string, options: Partial<ReadOptions> = {}) {
  const reader = createReader({ pair: "BTC/USDT", ...options });
  reader.push(bytesOf(file));
  return reader.end().candles;
}

function amountsOf(file: string, options: Partial<ReadOptions> = {}) {
  const reader = createTapeReader({ pair: "BTC/USDT", ...options });
  reader.push(bytesOf(file));
  return Array.from(reader.end().tape.prints.volume);
}

const trade = (minute: number, ...fields: readonly (string | number)[]) =>
  `${FIRST + minute * MINUTE},${fields.join(",")}\n`;
const candle = (minute: number, ...volumes: readonly (string | number)[]) =>
  trade(minute, 100, 102, 99, 101, ...volumes);

describe("the amounts of trades", () => {
  const bitget = "trade_id,timestamp,price,side,volume(quote),size(base)\n";

  it("are those in base in Bitget's archive", () => {
    const file = `${bitget}7,${FIRST},47000.5,buy,4700.05,0.1\n8,${FIRST + MINUTE},47000,sell,23500,0.5\n`;
    expect(amountsOf(file)).toEqual([0.1, 0.5]);
    expect(Array.from(read(file).volume)).toEqual([0.1, 0.5]);
  });

  it("are those whose product with the price is the other column, where names do not show it", () => {
    const rows = trade(0, 100, 0, 0) + trade(1, 100, 250, 2.5);
    expect(amountsOf(`timestamp,price,amount,volume\n${trade(1, 100, 250, 2.5)}`)).toEqual([2.5]);
    expect(amountsOf(`timestamp,price,volume,amount\n${trade(1, 100, 2.5, 250)}`)).toEqual([2.5]);
    expect(Array.from(read(`timestamp,price,amount,volume\n${rows}`).volume)).toEqual([0, 2.5]);
  });

  it.each([
    ["a price of one", "timestamp,price,amount,volume\n", trade(0, 1, 5, 5)],
    ["unrelated amounts", "timestamp,price,amount,volume\n", trade(0, 100, 5, 6)],
    ["amounts in quote only", "timestamp,price,volume(quote)\n", trade(0, 100, 500)],
    ["amounts in another asset", "timestamp,price,Volume EUR\n", trade(0, 100, 500)],
  ])("are refused with %s, and read from --volume-column", (_name, names, row) => {
    const column = names.trim().split(",").at(-1) as string;
    expect(() => amountsOf(names + row)).toThrow("it is unknown which column has the amounts in BTC (");
    expect(() => amountsOf(names + row)).toThrow("name it with --volume-column");
    const last = Number(row.trim().split(",").at(-1));
    expect(amountsOf(names + row, { volumeColumn: column.toUpperCase() })).toEqual([last]);
    expect(amountsOf(names + row, { volumeColumn: "none" })).toEqual([Number.NaN]);
    expect(() => amountsOf(names + row, { volumeColumn: "qty" })).toThrow(
      `there is no column qty; its columns are ${names.trim().replaceAll(",", ", ")}`,
    );
  });

  it("are read from Gate's archive of trades, without a header", () => {
    const file = `${FIRST / 1000}.123456,4051029430,47000.5,0.25,2\n${FIRST / 1000 + 1},4051029431,47000,0.5,1\n`;
    expect(isTape(bytesOf(file))).toBe(true);
    expect(amountsOf(file)).toEqual([0.25, 0.5]);
  });
});

describe("the columns of candles", () => {
  it.each([
    ["the base before the quote", "timestamp,open,high,low,close,Volume BTC,Volume USD", [5, 505]],
    ["the quote before the base", "timestamp,open,high,low,close,Volume USD,Volume BTC", [505, 5]],
    ["another name of the base", "timestamp,open,high,low,close,Volume USDT,Volume XBT", [505, 5]],
    ["Binance's names", "open_time,open,high,low,close,volume,quote_volume,taker_buy_volume", [5, 505, 1]],
    ["CryptoCompare's names", "time,open,high,low,close,volumeto,volumefrom", [505, 5]],
    ["a turnover named amount", "time,open,high,low,close,amount,volume", [505, 5]],
  ] as const)("have the volume in base: %s", (_name, names, volumes) => {
    const { volume } = read(`${names}\n${candle(0, ...volumes)}${candle(1, ...volumes)}`);
    expect(Array.from(volume)).toEqual([5, 5]);
  });

  it("are refused where only a volume in another asset is named", () => {
    const file = `unix,symbol,open,high,low,close,Volume USD\n${FIRST},BTC/USDT,100,102,99,101,505\n`;
    expect(() => read(file, { spanMillis: MINUTE })).toThrow("(Volume USD); name it with --volume-column");
    expect(Array.from(read(file, { spanMillis: MINUTE, volumeColumn: "none" }).volume)).toEqual([0]);
  });

  it("begin at timeOpen in CoinMarketCap's file, whose timestamp is the end", () => {
    const day = (at: number) =>
      `${new Date(at).toISOString()};${new Date(at + DAY - 1).toISOString()};Bitcoin;100;102;99;101;5;9;${new Date(at + DAY - 1).toISOString()}\n`;
    const names = "timeOpen;timeClose;name;open;high;low;close;volume;marketCap;timestamp\n";
    const file = names + day(FIRST) + day(FIRST + DAY);
    expect(() => read(file), "its volume is in USD").toThrow("(volume); name it with --volume-column");
    const found = read(file, { volumeColumn: "none" });
    expect([Array.from(found.times), Array.from(found.volume)]).toEqual([
      [FIRST, FIRST + DAY],
      [0, 0],
    ]);
  });

  it("are those of Gate's archive where only its order of prices is possible", () => {
    const rows = `${FIRST / 1000},100,100,100,100,100\n${FIRST / 1000 + 60},7.5,101,102,99,100\n`;
    const found = read(rows);
    const last = [found.open, found.high, found.low, found.close].map((column) => column[1]);
    expect(last).toEqual([100, 102, 99, 101]);
  });
});
