import { describe, expect, it } from "vitest";
import { VenueError } from "../../src/kernel/errors.ts";
import type { Venue } from "../../src/ports/venue.ts";
import { comparing, LIMIT, names } from "../support/comparing.ts";
import { endsBefore } from "../support/ends-before.ts";

const hang = () => new Promise<never>(() => undefined);

const failing = (failure: VenueError["failure"] = "unavailable"): Partial<Venue> => ({
  ticker: () => Promise.reject(new VenueError(failure, "it is down")),
});

describe("a failing exchange", () => {
  it("fails the comparison and is named in the error", async () => {
    const { compare } = await comparing({ gateio: failing() });
    expect(await compare("symbol=BTC/USDT")).toMatchObject({
      status: 500,
      error: "Fetch failed",
      message: expect.stringContaining("gateio"),
    });
  });

  it("is omitted and named with partial", async () => {
    const { compare } = await comparing({ gateio: failing("rate_limited") });
    const answer = await compare("symbol=BTC/USDT&partial=true");
    expect([names(answer), answer.failed]).toEqual([
      ["mexc", "bitget", "kraken"],
      [{ exchange: "gateio", error: "it is down" }],
    ]);
  });

  it("is not treated as one that lists nothing: partial without any price fails", async () => {
    const { compare } = await comparing({ kraken: failing() });
    expect(await compare("symbol=BTC/EUR&partial=true")).toMatchObject({
      status: 500,
      error: "Fetch failed",
    });
  });

  // Most of their time they wait for the limit.
  it.concurrent.each(["ticker", "book", "market"] as const)(
    "times out at the limit when its %s hangs",
    async (read) => {
      const { compare } = await comparing({ bitget: { [read]: hang } }, {}, LIMIT);
      // A comparison that waited for more than one limit would take twice as long.
      const limited = (query: string) => endsBefore(LIMIT * 2, () => compare(query));
      expect(await limited("symbol=BTC/USDT")).toMatchObject({
        status: 500,
        error: "Fetch failed",
        message: expect.stringMatching(/bitget/),
      });
      const rest = await limited("symbol=BTC/USDT&partial=true");
      expect(names(rest)).toEqual(["mexc", "gateio", "kraken"]);
      expect(rest.failed).toMatchObject([
        { exchange: "bitget", error: expect.stringContaining(`${LIMIT} ms`) },
      ]);
    },
  );

  it.concurrent("does not delay reads of other exchanges", async () => {
    const { compare, ask } = await comparing({ bitget: { ticker: hang } }, {}, LIMIT);
    const comparison = compare("symbol=BTC/USDT&partial=true").then(() => "compared");
    const ticker = ask("/api/v1/ticker?exchange=kraken&symbol=BTC/USDT").then(({ status }) => status);
    expect(await Promise.race([comparison, ticker])).toBe(200);
    expect(await comparison).toBe("compared");
  });
});
