/**
 * Emulated exchanges in a process of their own: `node venues.mjs kraken=9001 mexc`, all four where none is named.
 * Prints one line of JSON per exchange, { name, url, keys }, and runs until it is stopped.
 */
import { VENUES, type VenueName } from "../../src/model/market.ts";
import { startVenue } from "../venues/index.ts";

const named = process.argv.slice(2);
for (const entry of named.length > 0 ? named : Object.keys(VENUES)) {
  const [name, port] = entry.split("=");
  const { url, keys } = await startVenue(name as VenueName, { port: Number(port ?? 0) });
  console.log(JSON.stringify({ name, url, keys }));
}
