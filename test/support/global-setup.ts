import { currentBundle } from "../../cli/build/build.mjs";

/** One build before tests start many commands at once. */
export async function setup(): Promise<void> {
  await currentBundle();
}
