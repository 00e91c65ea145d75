/** Ids that people give are held against what the exchange gives, before it is asked: no narrower than it, and no wider. */
import { describe, expect, it } from "vitest";
import { PAYLOADS } from "../../support/fixtures.ts";
import { liveApp, liveBox } from "../../support/live.ts";
import { buy, del, get, post } from "../../support/orders.ts";

const NAMES = ["mexc", "gateio", "bitget", "kraken"] as const;

/** Documented by the exchange, or recorded of it elsewhere. */
const KNOWN = {
  mexc: ["C01__413321238354677760043", "06a480e69e604477bfb48dddd5f0b750", "133734823834147272"],
  gateio: ["1852454420", "t-my-custom.id_1", `t-${"x".repeat(28)}`],
  bitget: ["1", "1098394344925597696", "18446744073709551615"],
  kraken: ["OUF4EM-FRGI2-MQMWZD", "OB5VMB-B4U2U-DK2WRW"],
} as const;

/** Of other exchanges, of people, and of those who mean harm. */
const FOREIGN = {
  mexc: ["OUF4EM-FRGI2-MQMWZD", "t-mine", "none", "C02__", "me2k3bd6f0123456789a"],
  gateio: ["OUF4EM-FRGI2-MQMWZD", "C02__443776347957968896088", "none", "t-", "-1", "em0abcdefghijklmno"],
  bitget: ["OUF4EM-FRGI2-MQMWZD", "C02__443776347957968896088", "none", "t-mine", "1".repeat(21)],
  // As the txid of a cancel a number would be a user reference: every order that has it.
  kraken: ["0", "42", "C02__443776347957968896088", "none", "OUF4EM-FRGI2", "em0abcdefghijklmno"],
} as const;

/** Every id of an order that stands in a recorded answer. */
function recorded(name: string): string[] {
  const found = PAYLOADS.filter(({ exchange }) => exchange === name);
  const cases = found.flatMap(({ cases: real, derived }) => [...real, ...derived]);
  const results = cases
    .filter(({ method }) => /Orders?$/.test(method))
    .flatMap(({ parsedResponse }) => parsedResponse);
  return results.map((one) => (one as { id?: unknown }).id).filter((id) => typeof id === "string");
}

describe.each(NAMES)("order ids of %s", (name) => {
  it("match the documented or recorded ones", async () => {
    const { form } = (await liveBox({ urls: { [name]: "http://127.0.0.1:9" } })).venue(name).orderIds;
    const ids = recorded(name);
    expect(ids.length).toBeGreaterThan(0);
    for (const id of [...ids, ...KNOWN[name]]) expect(id).toMatch(form);
  });

  it("are accepted as the exchange formats them, and no other id is sent", async () => {
    const app = await liveApp([name]);
    const venue = app.venues[name];
    const { order } = await (await post(app, buy(name))).json();
    const path = (id: string) => `/orders/${encodeURIComponent(id)}?exchange=${name}&symbol=BTC/USDT`;
    expect((await get(app, path(order.id))).status).toBe(200);
    venue.resetCounts();
    for (const id of FOREIGN[name])
      for (const ask of [get, del]) {
        const answer = await ask(app, path(id));
        expect({ id, status: answer.status, ...(await answer.json()) }).toMatchObject({
          id,
          status: 400,
          error: "Invalid request",
          message: expect.stringMatching(new RegExp(`^an order id of ${name} is .*, for example `)),
        });
      }
    expect(venue.count()).toBe(0);
    expect((await del(app, path(order.id))).status).toBe(200);
    expect(venue.open()).toEqual([]);
  });
});
