import type { Miniflare } from "miniflare";
import type { VenueName } from "../../src/model/market.ts";
import { type EmulatedVenue, startVenue, type VenueOptions } from "../venues/index.ts";

/** Accounts of a live deployment: each an exchange id of its own, on one of four emulated exchanges. */
export interface Accounts {
  readonly venues: Readonly<Record<VenueName, EmulatedVenue>>;
  /** Exchange id, and what it holds on its venue. */
  readonly ids: readonly { readonly id: string; readonly venue: VenueName; readonly key: string }[];
  readonly settings: Readonly<Record<string, string>>;
  close(): Promise<void>;
}

const NAMES: readonly VenueName[] = ["mexc", "gateio", "bitget", "kraken"];

/** `each` accounts on every one of the four exchanges; with one, the exchange id is the venue's own. */
export async function liveAccounts(
  each: number,
  {
    only = NAMES,
    most = Number.POSITIVE_INFINITY,
    unified = false,
    pairs = [],
  }: { only?: readonly VenueName[]; most?: number; unified?: boolean } & Pick<VenueOptions, "pairs"> = {},
): Promise<Accounts> {
  const started = await Promise.all(
    // Crons follow each other here as they never do: the counters of kraken's lowest tier would hold them up.
    only.map(async (name) => [name, await startVenue(name, { unified, pairs, tier: "pro" })] as const),
  );
  const venues = Object.fromEntries(started) as Record<VenueName, EmulatedVenue>;
  const settings: Record<string, string> = {};
  const ids = started
    .flatMap(([venue, emulated]) =>
      Array.from({ length: each }, (_, place) => {
        const id = place === 0 ? venue : `${venue}-${place}`;
        const keys = place === 0 ? emulated.keys : emulated.addKeys();
        const prefix = id.toUpperCase().replaceAll("-", "_");
        settings[`${prefix}_API_KEY`] = keys.key;
        settings[`${prefix}_SECRET`] = keys.secret;
        if (venue === "bitget") settings[`${prefix}_PASSPHRASE`] = keys.passphrase;
        return { id, venue, key: keys.key };
      }),
    )
    .slice(0, most);
  settings.EDGEMAKER_EXCHANGES = ids.map(({ id, venue }) => (id === venue ? id : `${id}=${venue}`)).join(",");
  const tiers = ids.filter(({ venue }) => venue === "kraken").map(({ id }) => `${id}=pro`);
  settings.EDGEMAKER_TIERS = tiers.join(",");
  settings.EDGEMAKER_VENUE_URLS = ids.map(({ id, venue }) => `${id}=${venues[venue].url}`).join(",");
  return {
    venues,
    ids,
    settings,
    close: async () => void (await Promise.all(started.map(([, one]) => one.close()))),
  };
}

/** Lets the cron fire at a time, as the platform does. */
export async function fireCron(worker: Miniflare, scheduledTime: number): Promise<void> {
  const { scheduled } = await worker.getWorker();
  const { outcome } = await scheduled({ scheduledTime: new Date(scheduledTime), cron: "* * * * *" });
  if (outcome !== "ok") throw new Error(`the cron ended with ${outcome}`);
}
