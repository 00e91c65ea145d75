import { readFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from "vitest";
import { bitget } from "../../src/adapters/ccxt/exchanges/bitget.ts";
import { gateio } from "../../src/adapters/ccxt/exchanges/gateio.ts";
import { kraken } from "../../src/adapters/ccxt/exchanges/kraken.ts";
import { mexc } from "../../src/adapters/ccxt/exchanges/mexc.ts";
import { kindsOf } from "../../src/engine/accounts.ts";
import { type Decimal, text } from "../../src/kernel/decimal.ts";
import { kindsWith } from "../../src/kinds.ts";
import { VENUES, type VenueName } from "../../src/model/market.ts";
import { twoSided } from "../own/deeds.ts";
import { addTokens, servedOver } from "../support/app.ts";
import { root } from "../support/bundle.ts";
import { edgemaker } from "../support/command.ts";
import { emulatedExchanges } from "../support/emulated.ts";
import { appClient, callTool } from "../support/mcp.ts";
import { previewOf, starts } from "../support/starts.ts";
import { tempFolder } from "../support/temp.ts";
import { startVenue } from "./index.ts";

const PAIR = "BTC/USDT";
const QUIRKS = { mexc, gateio, bitget, kraken };
const NAMES = Object.keys(VENUES) as VenueName[];
/** What each exchange publishes, or lists if that is more. */
const ASSUMED: Record<VenueName, readonly [maker: number, taker: number, published: string]> = {
  mexc: [0, 0.05, "2025-07-16"],
  gateio: [0.2, 0.2, "2026-04-09"],
  bitget: [0.1, 0.1, "2023-08-16"],
  kraken: [0.25, 0.4, "2026-05-30"],
};
const textOf = (name: VenueName): string => {
  const [maker, taker, published] = ASSUMED[name];
  return `maker fee ${maker} %, taker fee ${taker} %, assumed: published rate of ${published}`;
};
const fieldsOf = (name: VenueName) => {
  const [makerPercent, takerPercent, assumed] = ASSUMED[name];
  return { makerPercent, takerPercent, assumed };
};

const MARKET = { symbol: PAIR };
const PLANS = {
  grid: { lowerPrice: 50_000, upperPrice: 70_000, gridLevels: 4, orderSize: 100 },
  centered: { levels: 4, size: 100, spacing: 0.02 },
  quote: { spreadPercent: 2, size: 100, quoteBudget: 1000, baseBudget: 0.01 },
  "two-sided": { spreadPercent: 2, size: 100, quoteBudget: 1000, baseBudget: 0.01 },
};

describe.each(NAMES)("an account on %s whose fees cannot be read", (name) => {
  let setup: Awaited<ReturnType<typeof emulatedExchanges>>;
  let app: ReturnType<typeof servedOver>;
  beforeAll(async () => {
    setup = await emulatedExchanges({ names: [name] });
    setup.exchange(name).fail({ kind: "server_error", route: "fee", times: 1000 });
    const deps = { ...setup.deps, kinds: kindsOf(kindsWith([twoSided])) };
    await addTokens(deps.store);
    app = servedOver(deps, { mcp: { trading: true, confirm: "plan" }, definitions: [twoSided] });
  });
  afterAll(() => setup.close());

  const post = async (path: string, body: object, place: object = { ...MARKET, exchange: name }) => {
    const response = await app.ask(`/api/v1${path}`, {
      method: "POST",
      headers: { authorization: `Bearer ${app.tokens.trade}`, "content-type": "application/json" },
      body: JSON.stringify({ ...place, ...body }),
    });
    const answer = (await response.json()) as { warnings: unknown; fees: unknown };
    expect([response.status, answer]).toEqual([200, expect.anything()]);
    return answer;
  };

  it.each(Object.entries(PLANS))(
    "has a plan of %s that shows the assumed rates",
    async (definition, fields) => {
      const place = { ...MARKET, exchange: name };
      const { fees, warnings } = await post(...previewOf(definition, { ...place, ...fields }), {});
      expect(fees).toEqual(fieldsOf(name));
      expect(warnings).toContainEqual({ code: "fees_assumed", message: textOf(name) });
    },
  );

  it("has a plan for an agent that shows them", async () => {
    const client = await appClient(app, "trade");
    const input = { ...MARKET, exchange: name, ...PLANS.grid };
    expect(JSON.stringify(await callTool(client, ...starts("grid", input)))).toContain(textOf(name));
  });

  it("starts and changes a grid, and shows them", async () => {
    const started = await post("/strategy/grid", PLANS.grid);
    expect(started).toMatchObject({ status: "running" });
    expect(started.warnings).toContainEqual({ code: "fees_assumed", message: textOf(name) });
    const { id } = started as unknown as { id: string };
    const edited = await post(`/strategies/${id}/preview`, { config: { orderSize: 120 } }, {});
    expect(edited.warnings).toContainEqual({ code: "fees_assumed", message: textOf(name) });
  });
});

describe("kraken, whose list of markets has no fees", () => {
  /** Without keys. */
  async function place() {
    const venue = await startVenue("kraken");
    onTestFinished(() => venue.close());
    const folder = tempFolder();
    const env = { EDGEMAKER_EXCHANGES: "kraken", EDGEMAKER_VENUE_URLS: `kraken=${venue.url}` };
    return (...args: string[]) => edgemaker(folder, args, env);
  }
  const GRID = "--exchange kraken --symbol BTC/USDT --lower 50000 --upper 70000 --levels 4 --size 100";

  it("previews and starts paper trading without a key", async () => {
    const run = await place();
    for (const command of [
      `grid preview ${GRID} --dry-run`,
      "quote preview --exchange kraken --symbol BTC/USDT --spread-percent 2 --size 100 --dry-run",
      `grid start ${GRID} --dry-run --yes`,
    ]) {
      const { code, stdout, stderr } = await run(...command.split(" "));
      expect([command, code, stderr]).toEqual([command, 0, expect.anything()]);
      expect((stdout + stderr).replace(/\s+/g, " ")).toContain(textOf("kraken"));
    }
    const json = await run(..."grid preview --dry-run --json".split(" "), ...GRID.split(" "));
    expect(JSON.parse(json.stdout)).toMatchObject({ fees: fieldsOf("kraken") });
  });

  it("has its assumed rates in `doctor`", async () => {
    const run = await place();
    const { code, stdout } = await run("doctor", "--json");
    expect(JSON.parse(stdout)).toMatchObject({
      checks: expect.arrayContaining([{ check: "kraken fees", finding: "note", detail: textOf("kraken") }]),
    });
    expect(code).toBe(0);
  });
});

it("`doctor` shows the rates that an account pays", async () => {
  const { url, keys, close } = await startVenue("kraken");
  onTestFinished(close);
  const env = {
    EDGEMAKER_EXCHANGES: "kraken",
    EDGEMAKER_VENUE_URLS: `kraken=${url}`,
    KRAKEN_API_KEY: keys.key,
    KRAKEN_SECRET: keys.secret,
  };
  const { stdout } = await edgemaker(tempFolder(), ["doctor", "--json"], env);
  const detail = "maker fee 0.25 %, taker fee 0.4 %";
  expect(JSON.parse(stdout).checks).toContainEqual({ check: "kraken fees", finding: "ok", detail });
});

it("docs/exchanges.md has the published rates of every exchange", () => {
  const page = readFileSync(join(root, "docs/exchanges.md"), "utf8");
  const percent = (rate: Decimal) => `${text(rate * 100n)} %`;
  const rows = NAMES.map((name) => QUIRKS[name].publishedFees);
  const cells = rows.map(({ maker, taker }) => `${percent(maker)}, ${percent(taker)}`);
  expect(page).toContain(
    `| maker and taker fee that a plan assumes if they cannot be read | ${cells.join(" | ")} |`,
  );
  for (const name of NAMES) {
    const { published } = QUIRKS[name].publishedFees;
    expect(page).toMatch(new RegExp(`^\\| ${name} \\| .+ \\| ${published} \\|$`, "m"));
  }
});
