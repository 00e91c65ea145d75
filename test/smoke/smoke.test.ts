import { afterEach, describe, expect, it } from "vitest";
import type { VenueName } from "../../src/model/market.ts";
import { root, runNode } from "../support/bundle.ts";
import { type EmulatedVenue, startVenue } from "../venues/index.ts";

const NAMES: readonly VenueName[] = ["mexc", "gateio", "bitget", "kraken"];

/** Lines that read like the exchange's own behaviour. */
const REPORTED: Record<VenueName, readonly string[]> = {
  mexc: [
    "a key's rights are told: trade true, withdraw false",
    "my trades reach back 7 days: yes",
    "times of my trades are whole seconds: yes",
    "a buy's fee is taken in: quote",
    "a filled order tells its fees: no",
    "open orders of all pairs in one call: no",
  ],
  gateio: [
    "a key's rights are told: spot, account (reads)",
    "the account is: classic",
    "the account's tier of fees: 1",
    "my trades from a start alone reach 7 days: yes",
    "a range of more than 30 days is refused: yes",
    "a buy's fee is taken in: base",
    "an ended order is found by its text: no",
  ],
  bitget: [
    "the account is: classic",
    "trades older than 90 days are an error (43111): yes",
    "a buy's fee is taken in: base",
  ],
  kraken: [
    "a key's rights are told: query-funds, query-open-trades, query-closed-trades, query-ledger, modify-trades, close-trades",
    "balances that earn rewards or are locked: XBT.F",
    "open orders of all pairs in one call: yes, 2 pairs",
    "several trades in one QueryTrades: yes",
    "several orders in one QueryOrders: yes",
    "executions whose cost is told as nothing: yes, 1 of 3",
    "an execution names our client id: no",
  ],
};
const TRADED: Record<VenueName, readonly string[]> = {
  mexc: [
    "self-trade prevention: yes",
    "would take does not: yes (30041)",
    "of an open one is refused: no, both were taken",
  ],
  gateio: [
    "would take does not: yes (POC_FILL_IMMEDIATELY)",
    "of an open one is refused: no, both were taken",
  ],
  bitget: [
    "self-trade prevention: yes",
    "would take does not: yes (cancelled at once)",
    "of an open one is refused: yes (43118)",
  ],
  kraken: [
    "self-trade prevention: yes",
    "would take does not: yes (EOrder:Post only order)",
    "of an open one is refused: yes (EGeneral:Invalid arguments:cl_ord_id not unique)",
  ],
};

/** Everything at once is more calls than kraken's lowest tier has. */
const TIER = { tier: "pro" } as const;

/** An account that has traded a little. */
async function traded(name: VenueName): Promise<EmulatedVenue> {
  const venue = await startVenue(name, TIER);
  const clientId = name === "gateio" ? "t-smoke1" : "smoke1";
  venue.own({ symbol: "BTC/USDT", side: "buy", price: "61000", amount: "0.001", clientId });
  const dusty = venue.own({ symbol: "BTC/USDT", side: "buy", price: "50000", amount: "0.001" });
  venue.dust(dusty.id);
  venue.fill(dusty.id);
  venue.own({ symbol: "BTC/USDT", side: "buy", price: "40000", amount: "0.001" });
  venue.own({ symbol: "ETH/USDT", side: "buy", price: "2000", amount: "0.01" });
  venue.earn("BTC");
  return venue;
}

/** Runs it over these exchanges; what it says of each. */
async function smoke(venues: readonly EmulatedVenue[], args: readonly string[]): Promise<readonly string[]> {
  const keys = venues.flatMap(({ name, keys: { key, secret, passphrase } }) => [
    [`${name.toUpperCase()}_API_KEY`, key],
    [`${name.toUpperCase()}_SECRET`, secret],
    [`${name.toUpperCase()}_PASSPHRASE`, passphrase],
  ]);
  const { stdout } = await runNode(process.execPath, ["test/smoke/run.mjs", ...args], {
    cwd: root,
    env: {
      PATH: process.env.PATH,
      EDGEMAKER_EXCHANGES: venues.map(({ name }) => name).join(","),
      EDGEMAKER_VENUE_URLS: venues.map(({ name, url }) => `${name}=${url}`).join(","),
      ...Object.fromEntries(keys),
    },
  });
  for (const [, secret] of keys) expect(stdout).not.toContain(secret);
  return venues.map(({ name }) => new RegExp(`^${name}\\n(?:  .*\\n)*`, "m").exec(stdout)?.[0] ?? "");
}

describe("the smoke test on emulated exchanges", () => {
  let venues: readonly EmulatedVenue[] = [];
  afterEach(() => Promise.all(venues.map((venue) => venue.close())));

  it("reports how each behaves, and only reads", async () => {
    venues = await Promise.all(NAMES.map(traded));
    const before = venues.map((venue) => venue.orders().length);
    for (const [place, text] of (await smoke(venues, [])).entries()) {
      expect(text).toMatch(/market.*tick 0\.\d+,/);
      expect(text).toMatch(/keys: accepted, \d+ assets, may withdraw: (false|not told)/);
      for (const line of REPORTED[NAMES[place] as VenueName]) expect(text).toContain(`  ${line}\n`);
    }
    expect(venues.map((venue) => venue.orders().length)).toEqual(before);
    expect(venues.map((venue) => venue.count("create") + venue.count("cancel"))).toEqual([0, 0, 0, 0]);
  });

  it("leaves no order behind after trading", async () => {
    venues = await Promise.all(NAMES.map((name) => startVenue(name, TIER)));
    for (const [place, text] of (await smoke(venues, ["--trade"])).entries()) {
      for (const line of TRADED[NAMES[place] as VenueName]) expect(text).toContain(line);
      expect(text).toMatch(/create em0\w{15}, .*"result":"accepted"/);
      expect(text).toMatch(/shown by client id: open after \d+ ms and 1 looks/);
      expect(text).toMatch(/cancel again .*"result":"look"/);
    }
    expect(venues.flatMap((venue) => [...venue.open(), ...venue.executions()])).toEqual([]);
  });
});

it("the smoke test trades on a unified account", async () => {
  const venue = await startVenue("bitget", { unified: true });
  try {
    const [text] = await smoke([venue], ["--trade"]);
    expect(text).toContain("the account is: unified\n");
    expect(text).toContain("of an open one is refused: yes");
    expect(text).not.toContain("40085)\n  a second");
    expect(venue.open()).toEqual([]);
    expect(venue.orders().length).toBeGreaterThan(2);
  } finally {
    await venue.close();
  }
});

it("the smoke test sends no private request without keys", async () => {
  const venue = await startVenue("gateio");
  try {
    const env = { EDGEMAKER_EXCHANGES: "gateio", EDGEMAKER_VENUE_URLS: `gateio=${venue.url}` };
    const { stdout } = await runNode(process.execPath, ["test/smoke/run.mjs"], {
      cwd: root,
      env: { PATH: process.env.PATH, ...env },
    });
    expect(stdout).toMatch(/gateio\n[\s\S]*no keys are set/);
    expect(venue.observed.every(({ key }) => key === undefined)).toBe(true);
  } finally {
    await venue.close();
  }
});
