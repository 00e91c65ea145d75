import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { edgemaker } from "./command.ts";
import { tempFolder } from "./temp.ts";

const MINUTE = 60_000;

/** A sandbox over a week that went up and down between 58,000 and 62,000, and stands at 60,000. */
export async function waves(): Promise<string> {
  const folder = tempFolder();
  const file = join(folder, "waves.csv");
  const from = Date.UTC(2026, 0, 1);
  const priceAt = (place: number) => 60_000 + Math.round(2000 * Math.sin((place * Math.PI) / 24));
  const rows = Array.from({ length: 337 }, (_, place) => {
    const [open, close] = [priceAt(place), priceAt(place + 1)];
    return [from + place * 30 * MINUTE, open, Math.max(open, close), Math.min(open, close), close, 1].join();
  });
  writeFileSync(file, `timestamp,open,high,low,close,volume\n${rows.join("\n")}\n`);
  const origin = new Date(from + 336 * 30 * MINUTE).toISOString();
  const { code, stderr } = await edgemaker(folder, [
    "sandbox",
    "reset",
    "--replay",
    file,
    "--origin",
    origin,
  ]);
  if (code !== 0) throw new Error(stderr);
  return folder;
}
