import { existsSync } from "node:fs";
import { confirm, intro, isCancel, log, outro, password, select, spinner } from "@clack/prompts";
import type { StoredKeys } from "../../src/adapters/libsql/credential-store.ts";
import { createDeps } from "../../src/compose/deps.ts";
import { gridKind } from "../../src/grid/kind.ts";
import { messageOf, VenueError, type VenueFailure } from "../../src/kernel/errors.ts";
import { plainText } from "../../src/kernel/plain-text.ts";
import type { PlanAnswer } from "../../src/lifecycle/plan.ts";
import { planText } from "../../src/lifecycle/plan-view.ts";
import { accountKey } from "../../src/model/account.ts";
import { VENUES, type VenueName } from "../../src/model/market.ts";
import type { Operation } from "../../src/operation.ts";
import { createOperations } from "../../src/operations.ts";
import { configFile, databaseFile, shownUrl } from "../host/directories.ts";
import { createLog, nodeRuntime } from "../host/node-runtime.ts";
import { type CliSettings, changeSettingsFile, fromFile, readSettings } from "../host/settings.ts";
import { UsageError, type Values } from "../terminal/arguments.ts";
import { render } from "../terminal/output.ts";
import type { AskByName } from "./questions.ts";
import { openAnswering } from "./run-operation.ts";
import { importKeys, openLive, storeKeys } from "./store-keys.ts";

/** Thrown on Ctrl-C; nothing is written. */
class SetupCancelled extends Error {}

/** What a run of setup asks for; `open` names the exchanges that accepted their keys. */
interface SetupAnswers {
  readonly keys: ReadonlyMap<string, StoredKeys>;
  readonly open: readonly string[];
  readonly trading: Readonly<Record<string, string>>;
}

/** Asks for keys and settings and writes all or none; then shows what the keys allow. It shows no secret. */
export async function runSetup(values: Values): Promise<number> {
  if (!process.stdin.isTTY || !process.stdout.isTTY)
    throw new UsageError("setup needs a terminal; without one, set <EXCHANGE>_API_KEY and <EXCHANGE>_SECRET");
  const settings = readSettings({ ...values, sandbox: false }, process.env);
  intro("edgemaker setup");
  const answers = await askAll(settings).catch((error: unknown) => {
    if (!(error instanceof SetupCancelled)) throw error;
    outro("Nothing was written.");
    return undefined;
  });
  if (!answers) return 1;
  await writeAnswers(answers, settings);
  // Read again with the keys that were just written.
  if (answers.open.length > 0)
    await showFirstPlan(answers.open, readSettings({ ...values, sandbox: false }, process.env));
  process.stdout.write("Next: edgemaker doctor, then edgemaker serve.\n");
  return 0;
}

async function askAll(settings: CliSettings): Promise<SetupAnswers> {
  const keys = new Map<string, StoredKeys>();
  const open: string[] = [];
  const known = await exchangesWithKeys(settings);
  for (;;) {
    const id = await chosen(settings, new Set([...known, ...keys.keys()]));
    if (id === DONE) return { keys, open, trading: await askTrading() };
    const request = await askKeys(id, settings);
    if (!request) continue;
    keys.set(id, request.keys);
    if (request.isOpen) open.push(id);
  }
}

/** Stores keys in the database, and everything else in the settings file. */
async function writeAnswers({ keys, trading }: SetupAnswers, before: CliSettings): Promise<void> {
  const settings = keys.size > 0 ? await storeKeys(before, keys, process.env, log.info) : before;
  const imported = await importKeys(settings, process.env);
  const file = changeSettingsFile(process.env, trading);
  for (const { exchange, stored } of imported)
    log.info(
      stored
        ? `Moved the keys of ${exchange} from ${file} into the database.`
        : `Removed the keys of ${exchange} from ${file}: ${exchange} refuses them, and the database has others.`,
    );
  if (keys.size > 0) log.info(`The keys are encrypted in the database ${shownUrl(settings.databaseUrl)}.`);
  outro(`Written to ${file}. Only you can read it.`);
}

async function requireAnswer<T>(request: Promise<T>): Promise<Exclude<T, symbol>> {
  const answer = await request;
  if (isCancel(answer)) throw new SetupCancelled();
  return answer as Exclude<T, symbol>;
}

const DONE = "";

/** Asks for one exchange at a time, so Enter chooses the highlighted one. */
const chosen = ({ config }: CliSettings, withKeys: ReadonlySet<string>): Promise<string> =>
  requireAnswer(
    select({
      message: "Which exchange do you want to add keys for?",
      options: [
        ...config.exchanges.map(({ id }) => ({
          value: id,
          label: id,
          ...(withKeys.has(id) ? { hint: "has keys" } : {}),
        })),
        { value: DONE, label: withKeys.size > 0 ? "No other: continue" : "None: continue" },
      ],
      initialValue: withKeys.size > 0 ? DONE : (config.exchanges[0]?.id ?? DONE),
    }),
  );

/** Returns the exchanges whose keys are in the settings or in the database. */
async function exchangesWithKeys(settings: CliSettings): Promise<readonly string[]> {
  const file = databaseFile(settings.databaseUrl);
  if (file !== undefined && !existsSync(file))
    return settings.config.exchanges.filter(({ keys }) => keys).map(({ id }) => id);
  const { live, close } = await openLive(settings);
  const stored = await live.credentials.list().finally(close);
  const accounts = new Set(stored.map(({ account }) => account));
  return settings.config.exchanges
    .filter(({ id, keys }) => keys !== undefined || accounts.has(accountKey(live.venues.accountOf(id))))
    .map(({ id }) => id);
}

interface KeysRequest {
  readonly keys: StoredKeys;
  /** Whether the exchange accepted them. */
  readonly isOpen: boolean;
}

/** Asks for the keys of an exchange and tests them; undefined if the user skips it. */
async function askKeys(id: string, settings: CliSettings): Promise<KeysRequest | undefined> {
  let keys = await typedKeys(id, settings);
  for (;;) {
    const verdict = await test(id, keys, settings);
    if (verdict === "accepted") return { keys, isOpen: true };
    const options = OPTIONS[verdict];
    const next = await requireAnswer(
      select({ message: `What do you want to do with the keys of ${id}?`, options }),
    );
    if (next === "keep") return { keys, isOpen: verdict === "can withdraw" };
    if (next === "skip") return undefined;
    if (next === "type") keys = await typedKeys(id, settings);
  }
}

async function typedKeys(id: string, { config }: CliSettings): Promise<StoredKeys> {
  const venue = config.exchanges.find((configuredExchange) => configuredExchange.id === id)
    ?.venue as VenueName;
  const typed = async (part: string) => {
    const validate = (text: string | undefined) => (text?.trim() ? undefined : "it is empty");
    return (await requireAnswer(password({ message: `${id}: ${part}`, mask: "•", validate }))).trim();
  };
  const [key, secret] = [await typed("api key"), await typed("secret")];
  return { key, secret, ...(VENUES[venue].passphrase ? { passphrase: await typed("passphrase") } : {}) };
}

type KeyVerdict = "accepted" | "can withdraw" | "refused" | "unanswered";

const [TYPE, SKIP] = [
  { value: "type", label: "Type them again" },
  { value: "skip", label: "Skip this exchange" },
];
const KEEP = { value: "keep", label: "Store them anyway" };
const OPTIONS = {
  "can withdraw": [TYPE, KEEP, SKIP],
  refused: [TYPE, KEEP, SKIP],
  unanswered: [
    { value: "ask", label: "Try again with the same keys" },
    { value: "keep", label: "Store them untested", hint: "edgemaker doctor tests them later" },
    TYPE,
    SKIP,
  ],
};

/** Checks the keys at the exchange. Keys that can withdraw need a confirmation. */
async function test(id: string, keys: StoredKeys, { config, databaseUrl }: CliSettings): Promise<KeyVerdict> {
  const spinnerResult = spinner();
  spinnerResult.start(`Testing the keys at ${id}`);
  const deps = await createDeps(config, nodeRuntime(databaseUrl, config, createLog("error")));
  try {
    if (!deps.live) throw new Error("the exchanges are simulated here");
    const { assets, mayWithdraw } = await deps.live.venues.checkKeys(id, keys);
    spinnerResult.stop(`${id} accepts them; ${assets} assets`);
    if (!mayWithdraw) return "accepted";
    log.warn("These keys can withdraw. Create keys that can only read and trade.");
    return "can withdraw";
  } catch (error) {
    const isRefused = error instanceof VenueError && REFUSALS.has(error.failure);
    spinnerResult.stop(isRefused ? `${id} does not accept them` : `${id} could not be reached`);
    log.error(plainText(messageOf(error)));
    log.message(isRefused ? adviceOf(id) : UNANSWERED);
    return isRefused ? "refused" : "unanswered";
  } finally {
    deps.close();
  }
}

/** Failures in which the exchange checked the keys; after any other failure, their validity is unknown. */
const REFUSALS: ReadonlySet<VenueFailure> = new Set(["invalid_credentials", "refused"]);

const adviceOf = (id: string) =>
  `Check there that the key is complete, can read balances, and allows this IP address. Or create another key at ${id}.`;

const UNANSWERED =
  "The keys could not be tested and can be correct. Check that this machine is online and its clock is right; edgemaker doctor checks both.";

/** Asks with the answer of the last run as the default. */
async function askTrading(): Promise<Readonly<Record<string, string>>> {
  const { EDGEMAKER_MCP_TRADING: before, EDGEMAKER_MCP_CONFIRM: approval } = fromFile(
    configFile(process.env),
  );
  const trading = await requireAnswer(
    confirm({
      message: "Allow agents to trade over MCP, with your approval of each plan?",
      initialValue: before === "1" || before === "true",
    }),
  );
  return { EDGEMAKER_MCP_TRADING: trading ? "1" : "0", EDGEMAKER_MCP_CONFIRM: approval ?? "terminal" };
}

interface FreeBalance {
  readonly asset: string;
  readonly free: string;
}

interface Purse extends FreeBalance {
  readonly exchange: string;
}

/** Quote assets for a first grid, with similar unit values. */
const QUOTES = ["USDT", "USDC", "USD", "EUR"];
const MAX_ASSETS_NAMED = 6;
/** Maximum number of assets whose price is requested. */
const MAX_ASSETS_PRICED = 20;

/** Shows the free balances on these exchanges, and a grid from the largest one. Starts nothing. */
async function showFirstPlan(exchanges: readonly string[], settings: CliSettings): Promise<void> {
  const operations = createOperations(settings.config.exchanges.map(({ id }) => id));
  const { ask: asks, close } = await openAnswering(settings, undefined);
  const ask: AskByName = (name, input) =>
    asks(operations.find((operation) => operation.name === name) as Operation, { ...input });
  try {
    const purses: Purse[] = [];
    for (const exchange of exchanges) purses.push(...(await tellBalance(exchange, ask)));
    await tellPlan(purses, ask);
  } finally {
    close();
  }
}

/** Prints the balances, and returns those that are free. */
async function tellBalance(exchange: string, ask: AskByName): Promise<readonly Purse[]> {
  const { status, body } = await ask("get_balance", { exchange });
  if (status !== 200) {
    tellFields({ [exchange]: answerMessage(body) });
    return [];
  }
  const free = (body as { balances: readonly FreeBalance[] }).balances.filter(
    (freeBalance) => Number(freeBalance.free) > 0,
  );
  const named = free
    .slice(0, MAX_ASSETS_NAMED)
    .map((freeBalance) => `${freeBalance.free} ${freeBalance.asset}`);
  const others = free.length > MAX_ASSETS_NAMED ? `, and ${free.length - MAX_ASSETS_NAMED} other assets` : "";
  tellFields({
    [exchange]: free.length === 0 ? "no free balance" : `${named.join(", ")}${others} free`,
  });
  return free.map((freeBalance) => ({ ...freeBalance, exchange }));
}

async function tellPlan(purses: readonly Purse[], ask: AskByName): Promise<void> {
  const funds = purses.filter(({ asset }) => QUOTES.includes(asset));
  const [most] = funds.toSorted((a, b) => Number(b.free) - Number(a.free));
  if (!most) return tellFields({ "no plan yet": `no free ${QUOTES.join(", ")} for a grid. ${GO_ON}` });
  const { exchange, free } = most;
  let why = "";
  for (const symbol of await pairsFor(most, purses, ask)) {
    const guided = await ask("guide_grid", { exchange, symbol, budget: Number(free) });
    const { start } = guided.body as { readonly start: Readonly<Record<string, unknown>> };
    const { status, body } = guided.status === 200 ? await ask("preview_strategy", start) : guided;
    if (status === 200) return tellGrid(body as PlanAnswer, { symbol, most });
    why = `on ${symbol}, ${answerMessage(body)}`;
  }
  tellFields({ "no plan yet": `${why}. ${GO_ON}` });
}

function tellGrid(
  plan: PlanAnswer,
  { symbol, most: { exchange, asset, free } }: { readonly symbol: string; readonly most: Purse },
): void {
  process.stdout.write(`\nSample plan: ${symbol} with all ${free} ${asset}. Nothing was started.\n`);
  tellFields(planText(plan, gridKind));
  const flags = `--exchange ${exchange} --symbol ${symbol} --budget ${free}`;
  tellFields({ "to start it": `edgemaker grid new ${flags}; another pair or budget gives another plan` });
}

/** Returns the pairs of the assets that the account has, by their worth, and then BTC's. */
async function pairsFor(
  { exchange, asset: quote }: Purse,
  purses: readonly Purse[],
  ask: AskByName,
): Promise<readonly string[]> {
  const own = purses.filter((purse) => purse.exchange === exchange && !QUOTES.includes(purse.asset));
  const priced = await Promise.all(
    own.slice(0, MAX_ASSETS_PRICED).map(async ({ asset, free }) => {
      const symbol = `${asset}/${quote}`;
      const { status, body } = await ask("get_ticker", { exchange, symbol });
      return { symbol, worth: status === 200 ? Number((body as { last: number }).last) * Number(free) : 0 };
    }),
  );
  const worth = priced.filter((one) => one.worth > 0).toSorted((a, b) => b.worth - a.worth);
  return [...new Set([...worth.map(({ symbol }) => symbol), `BTC/${quote}`])];
}

const GO_ON = "Deposit there, then run edgemaker grid new. To try a grid without money, run edgemaker demo.";

const tellFields = (result: Readonly<Record<string, string>>): void =>
  void process.stdout.write(`${render(result)}\n`);

const answerMessage = (body: unknown): string =>
  (body as { readonly message?: string }).message ?? "no message";
