import { isCancel, select, text } from "@clack/prompts";
import { isPair } from "../../src/kernel/pair.ts";
import type { Operation } from "../../src/operation.ts";
import type { Answer } from "../../src/transport/run.ts";

export type GridAnswers = Readonly<Record<string, unknown>>;
export type AskByName = (name: string, input: GridAnswers) => Promise<Answer>;

interface UnreservedAssets {
  readonly balances: readonly { readonly asset: string; readonly canWithdraw: string }[];
}

const WIDTH_OPTIONS = [
  { value: "usual", label: "Usual", hint: "price range of the last week" },
  {
    value: "narrow",
    label: "Narrow",
    hint: "price range of the last day: more cycles, but the price leaves it sooner",
  },
  { value: "wide", label: "Wide", hint: "price range of the last month: fewer cycles, but it lasts longer" },
];

const LEAVE_OPTIONS = [
  { value: "wait", label: "Wait until it returns", hint: "the grid keeps its base" },
  { value: "follow", label: "Follow it", hint: "up or down by half the range; orders are half as large" },
  { value: "stop", label: "Stop", hint: "a little beyond the range, and sell its base" },
];

/** Asks for missing values; undefined if the user leaves with Ctrl-C. */
export async function askForGrid(
  guide: Operation,
  given: GridAnswers,
  ask: AskByName,
): Promise<GridAnswers | undefined> {
  let request = given;
  const questions: readonly (readonly [string, () => Promise<unknown>])[] = [
    ["exchange", () => askForExchange(guide)],
    ["symbol", askForSymbol],
    ["budget", async () => askForBudget(String(request.symbol), await freeOf(request, ask))],
    ["width", () => select({ message: "How wide should the range be?", options: WIDTH_OPTIONS })],
    ["onLeave", () => select({ message: "What if the price leaves the range?", options: LEAVE_OPTIONS })],
  ];
  for (const [field, question] of questions) {
    if (request[field] !== undefined) continue;
    const answer = await question();
    if (isCancel(answer)) return undefined;
    request = { ...request, [field]: answer };
  }
  return request;
}

function askForExchange({ input }: Operation): Promise<unknown> {
  const { options } = input.shape.exchange as unknown as { readonly options: readonly string[] };
  const [only, ...others] = options;
  if (others.length === 0) return Promise.resolve(only);
  return select({
    message: "On which exchange?",
    options: options.map((value) => ({ value, label: value })),
  });
}

const askForSymbol = async (): Promise<unknown> => {
  const answer = await text({
    message: "Which pair?",
    placeholder: "BTC/USDT",
    validate: (typed) => (isPair(inUpperCase(typed)) ? undefined : "BASE/QUOTE, for example BTC/USDT"),
  });
  return typeof answer === "string" ? inUpperCase(answer) : answer;
};

const inUpperCase = (typed: string | undefined): string => (typed ?? "").trim().toUpperCase();

async function askForBudget(symbol: string, free: string | undefined): Promise<unknown> {
  const quote = symbol.split("/")[1] ?? "";
  const answer = await text({
    message: `How much ${quote} can it use in total?${free === undefined ? "" : ` ${free} are free.`}`,
    placeholder: "500",
    validate: (typed) => (Number(typed) > 0 ? undefined : "a number above 0"),
  });
  return typeof answer === "string" ? Number(answer) : answer;
}

/** Returns what no strategy needs, as the plan counts it; undefined if it is unknown. */
async function freeOf(
  { exchange, symbol, dryRun }: GridAnswers,
  ask: AskByName,
): Promise<string | undefined> {
  if (dryRun) return undefined;
  const asset = String(symbol).split("/")[1];
  const { status, body } = await ask("get_balance", { exchange, withdrawable: true });
  return status === 200
    ? (body as UnreservedAssets).balances.find((one) => one.asset === asset)?.canWithdraw
    : undefined;
}
