import { confirm, intro, isCancel, log, multiselect, outro, password, select, spinner } from "@clack/prompts";
import type { Config } from "../../src/compose/config.ts";
import { createDeps } from "../../src/compose/deps.ts";
import { messageOf } from "../../src/kernel/errors.ts";
import { prefixOf } from "../../src/kernel/key-names.ts";
import { plainText } from "../../src/kernel/plain-text.ts";
import { VENUES, type VenueName } from "../../src/model/venues.ts";
import { configFile } from "../host/directories.ts";
import { createLog, nodeRuntime } from "../host/node-runtime.ts";
import { writePrivate } from "../host/private-file.ts";
import { fromFile, readSettings, type Settings } from "../host/settings.ts";
import type { Values } from "../terminal/arguments.ts";
import { UsageError } from "../terminal/usage-error.ts";

type Kept = Record<string, string>;

/** Left by Ctrl-C: nothing is written. */
class Cancelled extends Error {}

/** Asks for keys and settings and writes them at the end, all or nothing. No secret is shown. */
export async function runSetup(values: Values): Promise<number> {
  if (!process.stdin.isTTY || !process.stdout.isTTY)
    throw new UsageError("setup asks at a terminal; elsewhere set <EXCHANGE>_API_KEY and <EXCHANGE>_SECRET");
  const settings = readSettings({ ...values, sandbox: false }, process.env);
  const file = configFile(process.env);
  const kept: Kept = { ...(fromFile(file) as Kept) };
  intro("edgemaker setup");
  try {
    for (const id of await chosen(settings.config)) Object.assign(kept, await askKeys(id, settings));
    Object.assign(kept, await askTrading());
  } catch (error) {
    if (!(error instanceof Cancelled)) throw error;
    outro("Nothing was written.");
    return 1;
  }
  writePrivate(file, `${JSON.stringify(kept, null, 2)}\n`);
  outro(`Written to ${file}, readable by you alone. Next: edgemaker doctor, then edgemaker serve.`);
  return 0;
}

async function answered<T>(asked: Promise<T>): Promise<Exclude<T, symbol>> {
  const answer = await asked;
  if (isCancel(answer)) throw new Cancelled();
  return answer as Exclude<T, symbol>;
}

const chosen = ({ exchanges }: Config): Promise<string[]> =>
  answered(
    multiselect({
      message: "Which exchanges have you keys for? (space chooses, enter goes on)",
      options: exchanges.map(({ id, keys }) => ({
        value: id,
        label: id,
        ...(keys ? { hint: "has keys" } : {}),
      })),
      required: false,
    }),
  );

/** The keys of one exchange, as the configuration file names them; none when they fail and are not to be kept. */
async function askKeys(id: string, settings: Settings): Promise<Kept> {
  const venue = settings.config.exchanges.find((one) => one.id === id)?.venue as VenueName;
  const parts = ["API_KEY", "SECRET", ...(VENUES[venue].passphrase ? ["PASSPHRASE"] : [])];
  for (;;) {
    const given: Kept = {};
    for (const part of parts) {
      const message = `${id}: ${part.toLowerCase().replace("_", " ")}`;
      const validate = (text: string | undefined) => (text?.trim() ? undefined : "it is empty");
      given[`${prefixOf(id)}_${part}`] = (await answered(password({ message, mask: "•", validate }))).trim();
    }
    if (await test(id, given, settings)) return given;
    const next = await answered(
      select({
        message: `What about these keys of ${id}?`,
        options: [
          { value: "again", label: "Type them again" },
          { value: "keep", label: "Keep them all the same" },
          { value: "skip", label: "Leave this exchange out" },
        ],
      }),
    );
    if (next === "keep") return given;
    if (next === "skip") return {};
  }
}

/** Asks the exchange what these keys open. Keys that may withdraw are not taken without a word. */
async function test(id: string, given: Kept, { config, databaseUrl }: Settings): Promise<boolean> {
  const named = (part: string) => given[`${prefixOf(id)}_${part}`];
  const keys = {
    key: named("API_KEY") ?? "",
    secret: named("SECRET") ?? "",
    passphrase: named("PASSPHRASE"),
  };
  const told = spinner();
  told.start(`Asking ${id} whether it accepts them`);
  const deps = await createDeps(config, nodeRuntime(databaseUrl, config, createLog("error")));
  try {
    if (!deps.live) throw new Error("the exchanges are simulated here");
    const { assets, mayWithdraw } = await deps.live.venues.checkKeys(id, keys);
    told.stop(`${id} accepts them; ${assets} assets`);
    if (mayWithdraw) log.warn("These keys may withdraw: make others that only read and trade.");
    return !mayWithdraw;
  } catch (error) {
    told.stop(`${id} does not accept them`);
    log.error(plainText(messageOf(error)));
    return false;
  } finally {
    deps.close();
  }
}

async function askTrading(): Promise<Kept> {
  const trading = await answered(
    confirm({ message: "May agents trade over MCP, each time after you approve it?", initialValue: false }),
  );
  return { EDGEMAKER_MCP_TRADING: trading ? "1" : "0", EDGEMAKER_MCP_CONFIRM: "terminal" };
}
