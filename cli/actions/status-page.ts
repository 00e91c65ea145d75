import { existsSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { messageOf } from "../../src/kernel/errors.ts";
import { readStatusContent } from "../../src/liquidity/operations/status.ts";
import { STATUS_MARK, statusPage } from "../../src/liquidity/status-page.tsx";
import { nodeLocal } from "../host/process/node-local.ts";
import type { Values } from "../terminal/arguments.ts";
import { UsageError } from "../terminal/usage-error.ts";
import { withDatabase } from "./database/open.ts";

/** Writes the page under another name and renames it, so the folder never has half of it. */
export async function buildStatusPage(values: Values): Promise<number> {
  const { out = "status-page", maker, amounts = false } = values;
  if (maker !== undefined && !/^[^<>]{1,80}$/.test(String(maker)))
    throw new UsageError("--maker must be a name of at most 80 characters, without < and >");
  const file = join(String(out), "index.html");
  refuseOther(file);
  return withDatabase(values, async (deps) => {
    const status = await readStatusContent(deps, {
      ...{ maker: maker === undefined ? null : String(maker), hasAmounts: amounts === true },
    });
    writeWhole(String(out), file, statusPage(status));
    return { file, pairs: status.pairs.length };
  });
}

/** Throws UsageError if the file exists and is not a status page, so nobody's own page is lost. */
function refuseOther(file: string): void {
  if (existsSync(file) && !readFileSync(file, "utf8").includes(STATUS_MARK))
    throw new UsageError(`${file} is not a status page; choose another folder with --out`);
}

function writeWhole(folder: string, file: string, text: string): void {
  const fresh = `${file}.${process.pid}.${nodeLocal.randomText(6)}`;
  try {
    mkdirSync(folder, { recursive: true });
    writeFileSync(fresh, text, { flag: "wx" });
    renameSync(fresh, file);
  } catch (error) {
    if (existsSync(fresh)) rmSync(fresh);
    throw new UsageError(`${file} could not be written: ${messageOf(error)}`);
  }
}
