import { currentBundle } from "../../cli/build/current.cjs";

/** One build before tests start many commands at once. */
export async function setup(): Promise<void> {
  await currentBundle();
}
