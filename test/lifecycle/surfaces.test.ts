/** Each verb on each definition from the page and from the command line: the same orders on the exchange, the same words. */
import { cpSync, mkdirSync } from "node:fs";
import { join } from "node:path";
import type { Page } from "playwright-core";
import { describe, expect, it, onTestFinished } from "vitest";
import { findChromium } from "../support/browser.ts";
import { root } from "../support/bundle.ts";
import { edgemaker } from "../support/command.ts";
import { servedPage } from "../support/served.ts";
import { makeFolder } from "../support/temp.ts";

const strategies = makeFolder();
mkdirSync(strategies.path, { recursive: true });
cpSync(join(root, "examples/two-sided.ts"), join(strategies.path, "two-sided.ts"));

/** Far from the price, so that none of its orders fills meanwhile. */
const TABLE = {
  grid: {
    flags: "--lower 45000 --upper 85000 --levels 4 --size 100",
    place: "start",
    typed: {
      "Lower price, USDT": "45000",
      "Upper price, USDT": "85000",
      "Levels, 2 to 100": "4",
      "Per order, USDT": "100",
    },
    edit: { flags: "--size 90", label: "Per order, USDT", to: "90" },
    pronoun: "it",
    keeps: true,
  },
  quote: {
    flags:
      "--spread-percent 4 --depth 400 --within-percent 3 --levels 2 --quote-budget 2000 --base-budget 0.05",
    place: "start/quote",
    typed: {
      "Spread between bid and ask, %": "4",
      "Depth per side, USDT": "400",
      "Depth within, %": "3",
      "Orders per side, 1 to 20": "2",
      "Quote budget, USDT": "2000",
      "Base budget, BTC": "0.05",
    },
    edit: { flags: "--spread-percent 2", label: "Spread between bid and ask, %", to: "2" },
    pronoun: "them",
    keeps: false,
  },
  "two-sided": {
    flags: "--spread-percent 4 --size 100 --quote-budget 2000 --base-budget 0.05",
    place: "start/two-sided",
    typed: {
      "Spread between bid and ask, in percent": "4",
      "Quote per order": "100",
      "Quote budget, USDT": "2000",
      "Base budget, BTC": "0.05",
    },
    edit: { flags: "--spread-percent 2", label: "Spread between bid and ask, in percent", to: "2" },
    pronoun: "it",
    keeps: false,
  },
} as const;
type Definition = keyof typeof TABLE;
type Verb = "edit" | "pause" | "resume" | "stop";

interface OpenOrder {
  readonly side: "buy" | "sell";
  readonly price: number;
  readonly amount: number;
}

const notionalOf = (orders: readonly OpenOrder[]): number =>
  orders.reduce((all, { price, amount }) => all + price * amount, 0);

/** Returns the distance between the best sell and the best buy. */
const gapOf = (orders: readonly OpenOrder[]): number => {
  const prices = (of: OpenOrder["side"]) =>
    orders.filter(({ side }) => side === of).map(({ price }) => price);
  return Math.min(...prices("sell")) - Math.max(...prices("buy"));
};

/** Starts a strategy and uses verbs on it; a verb returns its message. */
interface Surface {
  readonly start: () => Promise<string>;
  readonly verb: (id: string, name: Verb) => Promise<string>;
}

describe("each verb of the life of a strategy", () => {
  const served = servedPage(["--strategies", strategies.path]);
  const openOrders = async () => {
    const { orders } = await served.call<{ orders: OpenOrder[] }>(
      "GET",
      "/orders?exchange=kraken&symbol=BTC%2FUSDT",
    );
    return orders;
  };

  const commandLine = (definition: Definition): Surface => {
    const run = async (...args: string[]) => {
      const over = { EDGEMAKER_STRATEGIES: strategies.path };
      const { code, stdout, stderr } = await edgemaker(served.folder, [...args, "--sandbox", "--json"], over);
      expect([args, code, stderr]).toEqual([args, 0, ""]);
      return JSON.parse(stdout) as { id: string; message: string };
    };
    const { flags, edit } = TABLE[definition];
    const market = ["--exchange", "kraken", "--symbol", "BTC/USDT"];
    return {
      start: async () => (await run("start", definition, ...market, ...flags.split(" "), "--yes")).id,
      verb: async (id, name) => {
        const more = name === "edit" ? edit.flags.split(" ") : [];
        return (await run(name, id, ...more, ...(name === "pause" || name === "resume" ? [] : ["--yes"])))
          .message;
      },
    };
  };

  const onPage = (definition: Definition, page: Page): Surface => {
    const { place, typed, edit, pronoun } = TABLE[definition];
    const confirm = async (button: string, yes: string, id: string) => {
      await page.getByRole("button", { name: button, exact: true }).click();
      const dialog = page.getByRole("dialog");
      await dialog.getByRole("button", { name: yes, exact: true }).click();
      await dialog.waitFor({ state: "detached" });
      const message = await page.getByRole("status").getByText(id).innerText();
      return message;
    };
    return {
      async start() {
        await page.goto(`${served.url}/#/${place}`);
        await page.getByLabel("Exchange").selectOption("kraken");
        await page.getByLabel("Pair").fill("BTC/USDT");
        for (const [label, text] of Object.entries(typed)) await page.getByLabel(label).fill(text);
        const button = page.getByRole("button", { name: /^Start: / });
        await expect.poll(() => button.isEnabled()).toBe(true);
        await button.click();
        await page.getByRole("button", { name: "Start it", exact: true }).click();
        await page.getByRole("button", { name: "Pause", exact: true }).waitFor();
        return decodeURIComponent(page.url().split("/").at(-1) ?? "");
      },
      async verb(id, name) {
        if (name !== "edit") {
          const word = `${name[0]?.toUpperCase()}${name.slice(1)}`;
          return confirm(word, `${word} ${pronoun}`, id);
        }
        await page.getByRole("button", { name: "Edit", exact: true }).click();
        await page
          .getByRole("region", { name: /^Change th/ })
          .getByLabel(edit.label)
          .fill(edit.to);
        const message = await confirm("Change exactly as planned", "Change it", id);
        await page.getByRole("button", { name: "Edit", exact: true }).click();
        return message;
      },
    };
  };

  const live = async (definition: Definition, { start, verb }: Surface) => {
    const { keeps } = TABLE[definition];
    const measure = definition === "grid" ? notionalOf : gapOf;
    expect(await openOrders()).toEqual([]);
    const id = await start();
    // A failure leaves no orders to the next test.
    onTestFinished(async () => void (await served.call("POST", `/strategies/${id}/stop`, {})));
    expect(id).toMatch(/-kraken-BTC-USDT-\d+$/);
    await expect.poll(async () => (await openOrders()).length).toBeGreaterThan(1);
    const before = await openOrders();
    expect(await verb(id, "edit")).toBe(`${id} is changed`);
    // Quotes wait for their passes: a replacement is open before the old order is canceled.
    const isChanged = async () => {
      const now = await openOrders();
      return now.length === before.length && measure(now) < 0.95 * measure(before);
    };
    await expect.poll(isChanged).toBe(true);
    const left = keeps ? `its ${before.length} open orders stay` : "its orders are canceled";
    expect(await verb(id, "pause")).toBe(`${id} is paused: nothing new is placed, and ${left}`);
    expect(await openOrders()).toHaveLength(keeps ? before.length : 0);
    expect(await verb(id, "resume")).toBe(`${id} is resumed`);
    await expect.poll(async () => (await openOrders()).length).toBe(before.length);
    expect(await verb(id, "stop")).toMatch(new RegExp(`^${id} is stopped and has no orders left; total `));
    expect(await openOrders()).toEqual([]);
  };

  const definitions = Object.keys(TABLE) as Definition[];

  it.each(definitions)("has the same effect and words on the command line: %s", (definition) =>
    live(definition, commandLine(definition)),
  );

  it.skipIf(!findChromium()).each(definitions)(
    "has the same effect and words on the page (skipped without Chromium): %s",
    async (definition) => {
      const { page, context, errors } = await served.signIn();
      await live(definition, onPage(definition, page));
      expect(errors).toEqual([]);
      await context.close();
    },
  );
});
