import { confirm, intro, isCancel, log, multiselect, outro, password, select, spinner } from "@clack/prompts";
import type { Config } from "../../src/compose/config.ts";
import { createDeps } from "../../src/compose/deps.ts";
import { messageOf, VenueError, type VenueFailure } from "../../src/kernel/errors.ts";
import { prefixOf } from "../../src/kernel/key-names.ts";
import { plainText } from "../../src/kernel/plain-text.ts";
import { VENUES, type VenueName } from "../../src/model/venues.ts";
import { configFile } from "../host/directories.ts";
import { createLog, nodeRuntime } from "../host/node-runtime.ts";
import { writePrivate } from "../host/private-file.ts";
import { type CliSettings, fromFile, readSettings } from "../host/settings.ts";
import type { Values } from "../terminal/arguments.ts";
import { UsageError } from "../terminal/usage-error.ts";
import { tellFirstPlan } from "./guided/first-plan.ts";

type KeptSettings = Record<string, string>;

/** Thrown on Ctrl-C; nothing is written. */
class SetupCancelled extends Error {}

/** Asks for keys and settings and writes all or none; then shows what the keys allow. It shows no secret. */
export async function runSetup(values: Values): Promise<number> {
  if (!process.stdin.isTTY || !process.stdout.isTTY)
    throw new UsageError("setup needs a terminal; without one, set <EXCHANGE>_API_KEY and <EXCHANGE>_SECRET");
  const settings = readSettings({ ...values, sandbox: false }, process.env);
  const file = configFile(process.env);
  const kept: KeptSettings = { ...(fromFile(file) as KeptSettings) };
  const opened: string[] = [];
  intro("edgemaker setup");
  try {
    for (const id of await chosen(settings.config)) {
      const request = await askKeys(id, settings);
      Object.assign(kept, request.kept);
      if (request.isOpen) opened.push(id);
    }
    Object.assign(kept, await askTrading());
  } catch (error) {
    if (!(error instanceof SetupCancelled)) throw error;
    outro("Nothing was written.");
    return 1;
  }
  writePrivate(file, `${JSON.stringify(kept, null, 2)}\n`);
  outro(`Written to ${file}. Only you can read it.`);
  // Read again with the keys that were just written.
  if (opened.length > 0)
    await tellFirstPlan(opened, readSettings({ ...values, sandbox: false }, process.env));
  process.stdout.write("Next: edgemaker doctor, then edgemaker serve.\n");
  return 0;
}

async function requireAnswer<T>(request: Promise<T>): Promise<Exclude<T, symbol>> {
  const answer = await request;
  if (isCancel(answer)) throw new SetupCancelled();
  return answer as Exclude<T, symbol>;
}

const chosen = ({ exchanges }: Config): Promise<string[]> =>
  requireAnswer(
    multiselect({
      message: "Which exchanges do you have keys for? (space to select, enter to continue)",
      options: exchanges.map(({ id, keys }) => ({
        value: id,
        label: id,
        ...(keys ? { hint: "has keys" } : {}),
      })),
      required: false,
    }),
  );

interface KeysRequest {
  /** Settings as the configuration file names them; empty if the exchange is skipped. */
  readonly kept: KeptSettings;
  /** Whether the exchange accepted them. */
  readonly isOpen: boolean;
}

async function askKeys(id: string, settings: CliSettings): Promise<KeysRequest> {
  let kept = await typedKeys(id, settings);
  for (;;) {
    const verdict = await test(id, kept, settings);
    if (verdict === "accepted") return { kept, isOpen: true };
    const options = OPTIONS[verdict];
    const next = await requireAnswer(
      select({ message: `What do you want to do with the keys of ${id}?`, options }),
    );
    if (next === "keep") return { kept, isOpen: verdict === "can withdraw" };
    if (next === "skip") return { kept: {}, isOpen: false };
    if (next === "type") kept = await typedKeys(id, settings);
  }
}

async function typedKeys(id: string, { config }: CliSettings): Promise<KeptSettings> {
  const venue = config.exchanges.find((one) => one.id === id)?.venue as VenueName;
  const parts = ["API_KEY", "SECRET", ...(VENUES[venue].passphrase ? ["PASSPHRASE"] : [])];
  const given: KeptSettings = {};
  for (const part of parts) {
    const message = `${id}: ${part.toLowerCase().replace("_", " ")}`;
    const validate = (text: string | undefined) => (text?.trim() ? undefined : "it is empty");
    given[`${prefixOf(id)}_${part}`] = (
      await requireAnswer(password({ message, mask: "•", validate }))
    ).trim();
  }
  return given;
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
async function test(
  id: string,
  given: KeptSettings,
  { config, databaseUrl }: CliSettings,
): Promise<KeyVerdict> {
  const named = (part: string) => given[`${prefixOf(id)}_${part}`];
  const keys = {
    key: named("API_KEY") ?? "",
    secret: named("SECRET") ?? "",
    passphrase: named("PASSPHRASE"),
  };
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

async function askTrading(): Promise<KeptSettings> {
  const trading = await requireAnswer(
    confirm({
      message: "Allow agents to trade over MCP, with your approval of each plan?",
      initialValue: false,
    }),
  );
  return { EDGEMAKER_MCP_TRADING: trading ? "1" : "0", EDGEMAKER_MCP_CONFIRM: "terminal" };
}
