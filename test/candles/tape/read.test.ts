import { describe, expect, it } from "vitest";
import { hashTape, sliceTape, tapeCoverage } from "../../../src/candles/tape.ts";
import { createTapeReader, isTape } from "../../../src/candles/tape-reader.ts";

const AT = 1_767_225_600_000;
const PRINTS = [
  [AT, 100.5, 0.25],
  [AT + 1, 100.5, 0.25],
  [AT + 1, 99, 3],
  [AT + 120_000, 101.25, 0.00000001],
] as const;

const bytes = (text: string) => new TextEncoder().encode(text);

function read(text: string, { part = 1 << 16, skipRefused = false } = {}) {
  const reader = createTapeReader({ pair: "BTC/USDT", skipRefused });
  const all = bytes(text);
  for (let at = 0; at < all.length; at += part) reader.push(all.subarray(at, at + part));
  return reader.end();
}

const seconds = (at: number) => (at / 1000).toFixed(4);
const ccxt = PRINTS.map(([timestamp, price, amount], id) => ({
  info: { note: 'a "}" in [a] text\\' },
  id: String(id),
  timestamp,
  symbol: "BTC/USDT",
  side: "buy",
  price,
  amount,
  fees: [{ cost: 1 }],
}));

const FORMS: readonly (readonly [name: string, text: string])[] = [
  ["names of columns", `timestamp,price,amount\n${PRINTS.map((one) => one.join(",")).join("\n")}\n`],
  ["Kraken's files", PRINTS.map(([at, ...rest]) => [seconds(at), ...rest].join(",")).join("\n")],
  [
    "Kraken's answers",
    JSON.stringify({
      error: [],
      result: {
        XXBTZUSD: PRINTS.map(([at, price, amount], id) => [
          String(price),
          amount.toFixed(8),
          Number(seconds(at)),
          "b",
          "l",
          "",
          id,
        ]),
        last: "1",
      },
    }),
  ],
  [
    "Binance's archives of trades",
    PRINTS.map(([at, price, amount], id) =>
      [id, price, amount.toFixed(8), 1, at * 1000, "True", "True"].join(),
    ).join("\n"),
  ],
  [
    "Binance's archives of trades put together",
    PRINTS.map(([at, price, amount], id) =>
      [id, price, amount.toFixed(8), 1, 2, at, "false", "true"].join(),
    ).join("\n"),
  ],
  ["a list of ccxt", JSON.stringify(ccxt)],
  ["a list of ccxt, indented", JSON.stringify(ccxt, null, 2)],
  ["JSON Lines", ccxt.map((one) => JSON.stringify(one)).join("\n")],
];

describe("a tape reader", () => {
  it.each(FORMS)("reads %s, in parts of any size", async (_, text) => {
    expect(isTape(bytes(text))).toBe(true);
    const whole = read(text);
    const { times, close, scale, volume } = whole.tape.prints;
    expect([...times].map((at, i) => [at, (close[i] as number) / 10 ** scale, volume[i]])).toEqual(
      PRINTS.map((one) => [...one]),
    );
    for (const part of [1, 7, 64])
      expect(await hashTape(read(text, { part }).tape)).toBe(await hashTape(whole.tape));
  });

  it("reads rows without amounts", () => {
    const { tape, ...rest } = read(`time,price\n${AT},100\n${AT + 1},101\n`);
    expect(Number.isNaN(tape.prints.volume[0])).toBe(true);
    expect(tapeCoverage(tape, { ...rest, hash: "" })).toMatchObject({ prints: 2, hasAmounts: false });
  });

  it("reads rows with books in between", () => {
    const events = [
      {
        timestamp: AT,
        bids: [
          [99, 1],
          [98, 0],
          [97, 2],
        ],
        asks: [[101, 3]],
      },
      { timestamp: AT + 1, price: 100, amount: 1 },
      { timestamp: AT + 2, bids: [], asks: [[101, 1]], symbol: "BTC/USDT", nonce: null },
    ];
    const { tape } = read(events.map((one) => JSON.stringify(one)).join("\n"));
    expect(tape.books).toEqual({
      times: Float64Array.of(AT, AT + 2),
      starts: Uint32Array.of(0, 3, 4),
      asks: Uint32Array.of(2, 3),
      prices: Float64Array.of(99, 97, 101, 101),
      amounts: Float64Array.of(1, 2, 3, 1),
    });
    expect(sliceTape(tape, AT + 1, AT + 9).books?.starts).toEqual(Uint32Array.of(3, 4));
  });

  it("reports the coverage of a tape", async () => {
    const again = [...ccxt, ccxt[3]].map((one) => JSON.stringify(one)).join("\n");
    const { tape, ...file } = read(again);
    const hash = await hashTape(tape);
    expect(hash).toBe(await hashTape(read(JSON.stringify(ccxt)).tape));
    expect(tapeCoverage(tape, { ...file, hash })).toEqual({
      prints: 4,
      books: 0,
      hasAmounts: true,
      from: AT,
      until: AT + 120_000,
      gaps: 1,
      longestGap: 119_999,
      duplicates: 1,
      refusedRows: 0,
      refused: [],
      hash,
    });
  });

  it("rejects candles as a tape", () => {
    expect(isTape(bytes("timestamp,open,high,low,close,volume\n1,1,1,1,1,1\n"))).toBe(false);
    expect(isTape(bytes(`${AT},100,101,99,100,5\n`))).toBe(false);
    expect(isTape(bytes(`[[${AT},100,101,99,100,5]]`))).toBe(false);
    expect(isTape(bytes(""))).toBe(false);
  });
});

describe("an invalid tape row", () => {
  const table = (row: string) => `timestamp,price,amount,id\n${AT},100,1,a\n${row}\n`;
  const lines = (row: object) =>
    `${JSON.stringify({ timestamp: AT, price: 1, amount: 1 })}\n${JSON.stringify(row)}`;
  it.each([
    [table(`${AT - 1},100,1,b`), "line 3: it is earlier than the previous trade"],
    [table(`${AT},-1,1,b`), "line 3: its price is not a number above zero"],
    [table(`${AT},0.12345678901234567,1,b`), "line 3: its price has 18 digits; round it to 15"],
    [table(`${AT},x,1,b`), "line 3: its price is not a number above zero"],
    [table(`${AT},1,0,b`), "line 3: its amount is not a number above zero"],
    [table(`${AT},1,,b`), "line 3: its amount is not a number above zero"],
    [table(`soon,1,1,b`), "line 3: its time cannot be read"],
    [table(`${AT},1,1,a`), "line 3: there is another trade with the id a"],
    ["timestamp,price,amount\n", "there is no trade in it"],
    [
      lines({ timestamp: AT, price: 1, amount: 1, symbol: "ETH/USDT" }),
      "row 2: its pair is ETH/USDT, not BTC/USDT",
    ],
    [
      lines({ timestamp: AT, bids: [[1, 1]], asks: [[1, 1]] }),
      "row 2: its best bid is not below its best ask",
    ],
    [
      lines({
        timestamp: AT,
        bids: [
          [1, 1],
          [2, 1],
        ],
        asks: [],
      }),
      "row 2: its levels are not best first",
    ],
    [
      lines({ timestamp: AT, bids: [[1, -1]], asks: [] }),
      "row 2: its levels are not prices and amounts above zero",
    ],
    [
      lines({ timestamp: AT, bids: "no", asks: [] }),
      "row 2: its levels are not prices and amounts above zero",
    ],
    [`{"timestamp":${AT},"price":1,"amount":1}\nhello`, "row 2: neither a trade nor a book"],
    [`{"timestamp":1,"price":1,"amount":1`, "row 1: the file ends inside this object"],
    [`[{"timestamp":${AT},"price":1,"amount":1},`, "row 2: the file ends inside a list; download it again"],
    [`[[1,1,1640995200,"b","m","",1],`, "row 2: the file ends inside a list; download it again"],
    [`{"timestamp":1,"price":1,"amount":01}`, "row 1: it is not JSON"],
    [JSON.stringify({ timestamp: AT, bids: [], asks: [] }), "there is no trade in it"],
  ])("is rejected by name: %#", (text, output) => {
    expect(() => read(text)).toThrow(output);
  });

  it("is counted on request", () => {
    const { tape, refusedRows, refused } = read(table(`${AT},-1,1,b`), { skipRefused: true });
    expect([tape.prints.times.length, refusedRows]).toEqual([1, 1]);
    expect(refused).toEqual([{ row: "line 3", reason: "its price is not a number above zero" }]);
  });
});
