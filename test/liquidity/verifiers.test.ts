import { spawnSync } from "node:child_process";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { beforeAll, describe, expect, it } from "vitest";
import { digest } from "../../src/kernel/digest.ts";
import { checkBundle } from "../../src/liquidity/operations/check-proof.ts";
import { createProofKey, importProofKey } from "../../src/liquidity/store/proofs.ts";
import { NO_PREVIOUS, type ProofKey } from "../../src/model/samples/promise.ts";
import { edgemaker } from "../support/command.ts";
import { tempFolder } from "../support/temp.ts";

const FOLDER = join(import.meta.dirname, "../../examples/verify");
const hasPython = spawnSync("python3", ["--version"]).status === 0;
const AT = Date.UTC(2026, 0, 1);

/** Verifies all files in one process. An exception is "crash", which is neither answer. */
const DRIVER = `
import contextlib, io, json, sys
sys.dont_write_bytecode = True
sys.path.insert(0, sys.argv[1])
import verify
def answer(path):
    try:
        with contextlib.redirect_stdout(io.StringIO()):
            return verify.main(path) == 0
    except BaseException:
        return "crash"
print(json.dumps([answer(path) for path in json.load(sys.stdin)]))
`;

let key: ProofKey;
beforeAll(async () => {
  key = await importProofKey(await createProofKey());
});

/** The cells of a minute with both sides; with the times of own orders. */
const CELLS = `${AT},1,0.01,0.02,2,2,1,1,1,1,1,1,1,1,1,1,1,1,0,0.001,2,pause,0.0125:2:30000;?:500`.split(",");
const MISS = ["miss", String(AT), "exchange"];
const TEXTS = [
  ["nothing", ""],
  ["a hexadecimal number", "0x10"],
  ["a hexadecimal time", `0x${AT.toString(16)}`],
  ["an exponent", "1.7e12"],
  ["the time with an exponent", `${AT}e0`],
  ["the time with decimals", `${AT}.0`],
  ["NaN", "NaN"],
  ["Infinity", "Infinity"],
  ["a space before the time", ` ${AT}`],
  ["a space after the time", `${AT} `],
  ["a tab", `${AT}\t`],
  ["a no-break space", `${AT}\u00a0`],
  ["a separator", `${AT}\u001c`],
  ["a byte order mark", `${AT}\ufeff`],
  ["an underscore", "1_000"],
  ["a plus", "+5"],
  ["a minus", "-5"],
  ["a fraction", "1/2"],
  ["a point after the digits", "5."],
  ["a point before the digits", ".5"],
  ["zeros before it", `00${AT}`],
  ["digits of another script", "٥"],
  ["a word", "pause"],
  ["half of a character", "\ud800"],
  ["a line separator", "a\u2028b"],
  ["5,000 digits", "9".repeat(5000)],
  ["milliseconds of 5,000 digits", `0.01:1:${"0".repeat(4999)}1`],
] as const;

type Line = Record<string, unknown>;
interface Given {
  readonly lines?: readonly string[];
  readonly head?: Line;
  /** Fields of the day: before it is signed, and after. */
  readonly day?: { readonly day?: string; readonly previous?: unknown };
  readonly sent?: Line;
}

/** Signs whatever it gets, and returns the text of the file. */
async function fileOf({ lines = [CELLS.join()], head = {}, day = {}, sent = {} }: Given): Promise<string> {
  const first = { format: "edgemaker-proof-1", exchange: "kraken", symbol: "BTC/USDT", ...head };
  const signed = { day: "2026-01-01", previous: NO_PREVIOUS as unknown, ...day, lines };
  const { format, exchange, symbol } = first;
  const hash = await digest(
    [format, `${exchange} ${symbol}`, signed.day, String(signed.previous), ...lines].join("\n"),
  );
  const signature = await key.sign(`edgemaker-proof-1 ${hash}`);
  const rows = [
    { ...first, publicKey: head.publicKey ?? key.publicKey },
    { ...signed, hash, signature, ...sent },
  ];
  return `${rows.map((row) => JSON.stringify(row)).join("\n")}\n`;
}

const replaced = (cells: readonly string[], at: number, text: string) => cells.with(at, text).join();
/** One value of each kind. */
const PLACES = [0, 1, 2, 3, 4, 8, 18, 19, 20, 21, 22];
const CELL_CASES = [CELLS, MISS].flatMap((cells) =>
  PLACES.filter((at) => at < cells.length).flatMap((at) =>
    TEXTS.map(
      ([what, text]) =>
        [`${what} as value ${at + 1} of ${cells.length}`, { lines: [replaced(cells, at, text)] }] as const,
    ),
  ),
);
const SYMBOLS = TEXTS.map(
  ([what, text]) => [`${what} in the symbol`, { head: { symbol: `B${text}/USDT` } }] as const,
);
const EXCHANGES = TEXTS.map(([what, text]) => [`${what} as exchange`, { head: { exchange: text } }] as const);
/** Points that only one of two implementations of Ed25519 accepts, with a signature that is valid for any text. */
const IDENTITY = `01${"00".repeat(31)}`;
const anyText = (publicKey: string): Given => ({
  head: { publicKey },
  sent: { signature: `${IDENTITY}${"00".repeat(32)}` },
});
const OTHERS: readonly (readonly [string, Given])[] = [
  ["the plain file", {}],
  ["a minute without the times of own orders", { lines: [CELLS.slice(0, -1).join()] }],
  ["a hash in an array", { day: { previous: [NO_PREVIOUS] } }],
  ["a number as symbol", { head: { symbol: 5 } }],
  ["a day that does not exist, without lines", { day: { day: "2026-02-31" }, lines: [] }],
  ["a day in digits of another script", { day: { day: "٢٠٢٦-01-01" }, lines: [] }],
  ["a day before 1970", { day: { day: "1969-12-31" }, lines: [] }],
  ["a day of the year 0", { day: { day: "0000-01-01" }, lines: [] }],
  ["a date with a time", { day: { day: "2026-01-01T00:00Z" }, lines: [] }],
  ["a day without lines", { lines: [] }],
  ["the key 1", anyText(IDENTITY)],
  ["the key 1 with a sign", anyText(`01${"00".repeat(30)}80`)],
  ["the key p + 1", anyText(`ee${"ff".repeat(30)}7f`)],
  ["the key -1 with a sign", anyText(`ec${"ff".repeat(31)}`)],
];

async function verdictsOf(files: readonly (string | Uint8Array)[]) {
  const folder = tempFolder();
  const paths = files.map((file, index) => {
    const path = join(folder, `${index}.jsonl`);
    writeFileSync(path, file);
    return path;
  });
  const { stdout, stderr } = spawnSync("python3", ["-B", "-c", DRIVER, FOLDER], {
    input: JSON.stringify(paths),
    encoding: "utf8",
  });
  expect(stderr).toBe("");
  const standalone = JSON.parse(stdout) as (boolean | "crash")[];
  const command = await Promise.all(files.map(async (file) => (await checkBundle(file)).valid));
  return { standalone, command };
}

describe.skipIf(!hasPython)("the command and the standalone verifier", () => {
  it("agree on every text in every place, and refuse unusual numbers and spaces", async () => {
    const cases: readonly (readonly [string, Given])[] = [...CELL_CASES, ...SYMBOLS, ...EXCHANGES, ...OTHERS];
    const files = await Promise.all(cases.map(([, given]) => fileOf(given)));
    const { standalone, command } = await verdictsOf(files);
    const named = (verdicts: readonly unknown[]) =>
      Object.fromEntries(cases.map(([what], index) => [what, verdicts[index]]));
    expect(named(standalone)).toEqual(named(command));
    const accepted = cases.flatMap(([what], index) => (command[index] ? [what] : []));
    const unusual = /hexa|NaN|Infinity|space|tab|separator|mark|script|under|plus|fraction|point/;
    expect(accepted.filter((what) => what.includes(" as value ") && unusual.test(what))).toEqual([]);
    expect(accepted).toEqual(expect.arrayContaining(["the plain file", "nothing as value 4 of 23"]));
  });

  it("agree on files that are not text, or not of whole lines", async () => {
    const plain = await fileOf({});
    const bytes = Buffer.from(plain);
    const wide = await fileOf({ head: { symbol: "B\ufffd/USDT" } });
    const files = [
      plain,
      "",
      "\n",
      plain.slice(0, -1),
      `\ufeff${plain}`,
      plain.replaceAll("\n", "\r\n"),
      `${plain}\n`,
      plain.replace('"lines":', '"lines": '),
      `${"[".repeat(100_000)}\n`,
      Buffer.concat([bytes.subarray(0, 60), Buffer.from([0xff]), bytes.subarray(60)]),
      // The signed text has the character that some readers show for a wrong byte.
      Buffer.from(wide.replace("\ufffd", "\u00ff"), "latin1"),
    ];
    const { standalone, command } = await verdictsOf(files);
    expect(standalone).toEqual(command);
    expect(command).toEqual(files.map((_, index) => index === 0));
  });
});

describe("`proof verify`", () => {
  it("takes a public key and the hash of an earlier day, and refuses other texts", async () => {
    const folder = tempFolder();
    const file = join(folder, "bundle.jsonl");
    const text = await fileOf({ day: { previous: "a".repeat(64) } });
    writeFileSync(file, text);
    const { hash } = JSON.parse(text.split("\n")[1] ?? "");
    const verify = (...flags: string[]) => edgemaker(folder, ["proof", "verify", file, "--json", ...flags]);
    const known = await verify("--key", key.publicKey, "--hash", hash);
    expect([known.code, JSON.parse(known.stdout)]).toMatchObject([
      0,
      { valid: true, knownUntil: "2026-01-01" },
    ]);
    expect((await verify("--hash", "a".repeat(64))).code).toBe(0);
    const other = await verify("--hash", "b".repeat(64));
    expect([other.code, JSON.parse(other.stdout).valid]).toEqual([1, false]);
    const wrong = await verify("--hash", "0x12");
    expect([wrong.code, wrong.stderr]).toEqual([
      2,
      expect.stringContaining("--hash must be the hash of a day"),
    ]);
  });
});
