import { mkdirSync } from "node:fs";
import { describeFolder, type LackingFolder } from "../../host/settings.ts";
import type { Values } from "../../terminal/arguments.ts";
import { UsageError } from "../../terminal/usage-error.ts";
import { isAtTerminal } from "../confirm-start.ts";

/** Creates a database's folder after a confirmation. Throws UsageError if the user declines or there is no terminal. */
export async function askForFolder(lacking: LackingFolder, { json }: Values): Promise<void> {
  if (json || !isAtTerminal() || !(await isWished(lacking))) throw new UsageError(describeFolder(lacking));
  mkdirSync(lacking.folder, { recursive: true, mode: 0o700 });
}

async function isWished({ folder, named }: LackingFolder): Promise<boolean> {
  // Loaded only for a question, because most commands have none.
  const { confirm } = await import("@clack/prompts");
  const message = `The folder ${folder} of ${named} does not exist. Create it?`;
  return (await confirm({ message, initialValue: false })) === true;
}
