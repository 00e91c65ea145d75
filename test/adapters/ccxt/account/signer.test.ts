import { describe, expect, it } from "vitest";
import type { ExchangeLink } from "../../../../src/adapters/ccxt/account/exchange-link.ts";
import { callsInLeaseTurn } from "../../../../src/adapters/ccxt/account/lease-calls.ts";
import { createSigner } from "../../../../src/adapters/ccxt/account/session.ts";
import type { AccountKind } from "../../../../src/adapters/ccxt/client/ccxt.ts";
import { createLine } from "../../../../src/adapters/ccxt/client/transport.ts";
import { AppError, BudgetSpent } from "../../../../src/kernel/errors.ts";
import { SECOND } from "../../../../src/kernel/time.ts";
import { failed } from "../exchanges/stub.ts";

/** A signer over stubs, and what it did with them. */
function signing(kindsAsked: readonly AccountKind[] = ["unified"], hasKinds = true) {
  const done: string[] = [];
  const asked = [...kindsAsked];
  const kinds = hasKinds
    ? { set: (_exchange: unknown, kind: string) => void done.push(`set ${kind}`) }
    : undefined;
  const signer = createSigner(
    { quirks: { kinds } } as never,
    {
      spend: {
        exhausted: async (kind: string) => void done.push(`exhausted ${kind}`),
        take: async (kind: string) => void done.push(`take ${kind}`),
      },
      turn: { renew: async () => void done.push("renew") },
      kinds: {
        settled: (ask: () => unknown) => ask(),
        async ask() {
          done.push("ask");
          return asked.shift();
        },
      },
    } as never,
  );
  const lane = () => ({ own: { next: {}, with: async () => ({ options: {} }) }, kind: undefined }) as never;
  return { signer, done, lane };
}
/** A call that fails in these ways, one after the other, and then succeeds. */
function failing(...errors: readonly Error[]) {
  const left = [...errors];
  return async () => {
    const error = left.shift();
    if (error) throw error;
    return "done";
  };
}
const NONCE = failed({ nonce: true });

describe("a signed call", () => {
  it("is signed again after a late nonce, three times at most", async () => {
    const { signer, done } = signing();
    expect(await signer.signed("create", failing(NONCE, NONCE))).toBe("done");
    expect(done).toEqual(["renew", "renew"]);
    await expect(signer.signed("create", failing(NONCE, NONCE, NONCE))).rejects.toBe(NONCE);
    expect(done).toHaveLength(4);
  });

  it("is never repeated after anything else", async () => {
    const { signer, done } = signing();
    for (const error of [failed(), new TypeError("x")])
      await expect(signer.signed("create", failing(error))).rejects.toBe(error);
    expect(done).toEqual([]);
    await expect(signer.signed("order", failing(failed({ failure: "rate_limited" })))).rejects.toThrow();
    expect(done).toEqual(["exhausted order"]);
  });
});

describe("an instance for an account of two kinds", () => {
  it("is set to the kind, which is asked for once", async () => {
    const { signer, done, lane } = signing();
    const [one, other] = [lane(), lane()];
    await signer.ready(one, undefined);
    expect([done, signer.kind()]).toEqual([["take kind", "ask", "set unified"], "unified"]);
    await signer.ready(one, undefined);
    expect(done).toHaveLength(3);
    await signer.ready(other, undefined);
    expect(done).toEqual(["take kind", "ask", "set unified", "set unified"]);
    const plain = signing([], false);
    await plain.signer.ready(plain.lane(), undefined);
    expect([plain.done, plain.signer.kind()]).toEqual([[], undefined]);
  });

  it("repeats a call in the other form only if the kind has changed", async () => {
    const { signer, done, lane } = signing(["unified", "classic", "classic"]);
    const own = lane();
    await signer.ready(own, undefined);
    const other = failed({ otherKind: true });
    expect(await signer.ofItsKind(own, {} as never, failing(other))).toBe("done");
    expect(done.slice(3)).toEqual(["take kind", "ask", "set classic"]);
    await expect(signer.ofItsKind(own, {} as never, failing(other))).rejects.toBe(other);
    const error = failed();
    await expect(signer.ofItsKind(own, {} as never, failing(error))).rejects.toBe(error);
    expect(done.filter((one) => one === "ask")).toHaveLength(3);
  });
});

const ACCOUNT = "live:kraken:api.kraken.com";

/** The turns of an account whose lease `isFree`, or is another process's until it sleeps so often. */
function turns({ serial = true, takenFor = 0, awaited = [] as boolean[] } = {}) {
  const done: string[] = [];
  const time = { now: 1000 };
  let sleeps = 0;
  const link = {
    id: "kraken",
    quirks: { name: "kraken", serial },
    lines: new Map(),
    timing: { leaseTtl: 45 * SECOND, requestTimeout: 10 * SECOND },
    local: {
      monotonic: () => time.now,
      randomText: () => "me",
      async sleep(millis: number) {
        sleeps++;
        time.now += millis;
      },
    },
    keeping: {
      leases: {
        async takeLease(
          _account: string,
          { owner, ttl, count }: { owner: string; ttl: number; count: number },
        ) {
          done.push(`take ${owner} ${ttl} ${count}`);
          return sleeps >= takenFor ? 500 : undefined;
        },
        giveBack: async (_account: string, owner: string) => void done.push(`give ${owner}`),
        wait: async () => void done.push("wait"),
        async awaited() {
          done.push("look");
          return awaited.shift() ?? false;
        },
        async nonces(_account: string, count: number) {
          done.push(`nonces ${count}`);
          return 900;
        },
      },
    },
    log: (...entry: unknown[]) => void done.push(`log ${entry[1]}`),
  } as unknown as ExchangeLink;
  const hold = { requestedAt: 1000, yieldsAfter: 2000 };
  return {
    link,
    done,
    time,
    person: () => callsInLeaseTurn(link, ACCOUNT, undefined),
    pass: () => callsInLeaseTurn(link, ACCOUNT, hold),
  };
}

describe("a person's call where nonces must arrive in order", () => {
  it("takes the lease, gets its nonces, and gives it back", async () => {
    const { person, done } = turns();
    const turn = person();
    expect(await turn.run(async (inTime) => [inTime(), turn.nonce(), turn.nonce()])).toEqual([
      true,
      500,
      501,
    ]);
    expect(done).toEqual(["take me 20000 100", "give me"]);
    await turn.renew();
    expect(turn.nonce()).toBe(900);
  });

  it("has an end that leaves time for its request", async () => {
    const { person, time } = turns();
    await person().run(async (inTime) => {
      time.now = 11_000;
      expect(inTime()).toBe(true);
      time.now = 11_001;
      expect(inTime()).toBe(false);
    });
  });

  it("waits for another process's lease, for ten seconds", async () => {
    const { person, done, time } = turns({ takenFor: 3 });
    expect(await person().run(async () => "done")).toBe("done");
    expect([done.length, time.now]).toEqual([5, 1150]);
    const busy = turns({ takenFor: 1000 });
    await expect(busy.person().run(async () => "done")).rejects.toMatchObject({
      label: "Too many requests",
      message: "kraken is busy with this account's other calls",
    });
    expect(busy.time.now).toBe(11_050);
  });

  it("lets other calls of this process run under its lease, and gives it back after the last one", async () => {
    const { person, done } = turns();
    const order: string[] = [];
    let finish = () => {};
    const first = person().run(async () => {
      order.push("first");
      await new Promise<void>((resolve) => {
        finish = resolve;
      });
    });
    await expect.poll(() => order).toEqual(["first"]);
    const rider = person().run(async () => void order.push(`rider, ${done.length} done`));
    finish();
    await Promise.all([first, rider]);
    expect(order).toEqual(["first", "rider, 1 done"]);
    expect(done).toEqual(["take me 20000 100", "give me"]);
  });

  it("gives the lease back after a failure, and reports one that it cannot give back", async () => {
    const { person, link, done } = turns();
    await expect(person().run(() => Promise.reject(new AppError("Invalid request", "no")))).rejects.toThrow(
      "no",
    );
    expect(done.at(-1)).toBe("give me");
    Object.assign(link.keeping.leases, { giveBack: () => Promise.reject(new Error("down")) });
    expect(await person().run(async () => "done")).toBe("done");
    expect(done.at(-1)).toBe("log a lease could not be released");
  });
});

describe("a pass where nonces must arrive in order", () => {
  it("gets nonces for its calls, and lets people's calls run between them", async () => {
    const { pass, person, done } = turns();
    const turn = pass();
    expect(await turn.run(async (inTime) => [inTime(), turn.nonce()])).toEqual([true, 900]);
    expect(await person().run(async () => "person")).toBe("person");
    expect(done).toEqual(["nonces 100"]);
    await turn.leave();
    await person().run(async () => "person");
    expect(done).toEqual(["nonces 100", "take me 20000 100", "give me"]);
  });

  it("looks each second for a person in another process, and then ends for good", async () => {
    const { pass, time, done } = turns({ awaited: [false, true] });
    const turn = pass();
    for (const now of [2999, 3000, 3999]) {
      time.now = now;
      await turn.giveWay();
    }
    expect(done).toEqual(["look"]);
    time.now = 4000;
    await expect(turn.giveWay()).rejects.toBeInstanceOf(BudgetSpent);
    time.now = 9000;
    await expect(turn.giveWay()).rejects.toThrow("a manual request waits for this account of kraken");
    expect(done).toEqual(["look", "look"]);
  });

  it("is told of a waiting person; a failure of that is logged", async () => {
    const { person, link, done } = turns();
    await person().wait();
    Object.assign(link.keeping.leases, { wait: () => Promise.reject(new Error("down")) });
    await person().wait();
    expect(done).toEqual(["wait", "log the wait for a lease could not be recorded"]);
  });
});

it("calls of other exchanges run directly", async () => {
  const { pass, person, done } = turns({ serial: false, awaited: [true] });
  expect(await person().run(async (inTime) => inTime())).toBe(true);
  const turn = pass();
  await turn.giveWay();
  await turn.wait();
  await turn.leave();
  expect([await turn.run(async () => "done"), done]).toEqual(["done", []]);
});

it("a line runs one call at a time, those of people first", async () => {
  const line = createLine();
  const order: string[] = [];
  const run = (who: "person" | "pass", name: string) =>
    line.run(who, async () => {
      order.push(`${name} begins`);
      await Promise.resolve();
      order.push(`${name} ends`);
      if (name === "p2") throw new Error(name);
    });
  const all = await Promise.allSettled([
    run("pass", "s1"),
    run("pass", "s2"),
    run("person", "p1"),
    run("person", "p2"),
    run("pass", "s3"),
  ]);
  expect(order).toEqual(["s1", "p1", "p2", "s2", "s3"].flatMap((name) => [`${name} begins`, `${name} ends`]));
  expect(all.map(({ status }) => status[0])).toEqual(["f", "f", "f", "r", "f"]);
  await run("pass", "s4");
  expect(order.at(-1)).toBe("s4 ends");
});
