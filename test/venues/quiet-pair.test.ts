import { expect, it } from "vitest";
import { DAY, MINUTE } from "../../src/kernel/time.ts";
import { VENUES, type VenueName } from "../../src/model/market.ts";
import { createYear } from "./quiet-year-setup.ts";

const NAMES = Object.keys(VENUES) as VenueName[];

it.each(NAMES)(
  "a fill of a grid on %s is booked when it starts 8, 31 or 95 days after another",
  async (name) => {
    const year = await createYear(name);
    for (const days of [0, 8, 31, 95]) {
      year.sleep(days * DAY);
      await year.start();
      year.meetNearest();
      await year.booked(`after ${days} days`);
      await year.stop();
    }
    await year.close();
    expect(year.report()).toMatchObject({ violations: [], slowest: 1 });
  },
);

it.each(NAMES)(
  "fills on %s during downtime are booked, as far back as the exchange returns them",
  async (name) => {
    const reach = { mexc: 6, gateio: 95, bitget: 89, kraken: 95 }[name];
    const year = await createYear(name);
    await year.start();
    year.meetNearest(MINUTE);
    year.sleep(reach * DAY);
    year.restart();
    year.meetNearest(MINUTE);
    await year.booked("early and late");
    await year.close();
    expect(year.report().violations).toEqual([]);
  },
);

it.each(NAMES)("a hundred executions in one second on %s fail no pass, and none is lost", async (name) => {
  const year = await createYear(name);
  await year.start();
  const first = year.nearest("buy");
  for (let count = 0; count < 100; count++) year.exchange.fill(first.id, "0.01");
  await year.booked("a hundred of one order");
  year.sleep(MINUTE);
  const others = year.exchange.open().slice(0, 3);
  for (let count = 0; count < 180; count++) year.exchange.fill(others[count % 3]?.id ?? "", "0.01");
  await year.booked("more of several orders", undefined, 8);
  await year.close();
  expect(year.report().violations).toEqual([]);
});
