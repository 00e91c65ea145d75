/** Servers over one database. Each can die at any call to the database or to an exchange. */
import { createApp } from "../../../src/app.ts";
import { parseConfig } from "../../../src/compose/config.ts";
import { createOperations } from "../../../src/operations.ts";
import type { Deps } from "../../../src/ports/deps.ts";
import type { Venue } from "../../../src/ports/venue.ts";
import { createLimiter } from "../../../src/transport/access.ts";
import { madeDocuments } from "../../../src/transport/openapi.ts";
import { canary } from "../../support/canary.ts";
import { virtualLocal } from "../../support/local.ts";
import { EXCHANGES, START, testSandbox } from "../../support/sandbox.ts";

export const ADMIN = `em_${canary("admin")}`;
/** More than any sequence trades: every plan of an agent is counted, and none is refused. */
const NO_CAP = new Map([["USDT", 10n ** 30n]]);

export class Crashed extends Error {}

export interface Server {
  readonly deps: Deps;
  ask(path: string, init: RequestInit): Promise<Response>;
  /** Kills the server at the call of that number from now on, before the call or after it. */
  dieAfter(calls: number, isBefore: boolean): void;
  readonly isDead: () => boolean;
}

/** Connects a server to what outlives it. Once the server is dead, it makes no call, and no call returns. */
class Lifeline {
  private left = Number.POSITIVE_INFINITY;
  private isBefore = false;
  private readonly never = new Promise<never>(() => undefined);
  private end: () => void = () => undefined;
  readonly death = new Promise<void>((resolve) => {
    this.end = resolve;
  });
  isDead = false;

  dieAfter(calls: number, isBefore: boolean): void {
    this.left = calls;
    this.isBefore = isBefore;
  }

  private die(): Promise<never> {
    this.isDead = true;
    this.end();
    return this.never;
  }

  /** Wraps an object, so that its asynchronous methods end with the server. */
  over<T extends object>(target: T): T {
    return new Proxy(target, {
      get: (object, name) => {
        const member: unknown = Reflect.get(object, name);
        if (typeof member !== "function") return member;
        return (...args: unknown[]) => this.call(() => Reflect.apply(member, object, args) as unknown);
      },
    });
  }

  private call(make: () => unknown): unknown {
    if (this.isDead) return this.never;
    const isLast = --this.left === 0;
    if (isLast && this.isBefore) return this.die();
    const result = make();
    if (!(result instanceof Promise)) return result;
    return result.then(
      (value) => (isLast || this.isDead ? this.die() : value),
      (error: unknown) => (isLast || this.isDead ? this.die() : Promise.reject(error)),
    );
  }
}

export interface Cluster {
  readonly time: ReturnType<typeof virtualLocal>;
  readonly box: Awaited<ReturnType<typeof testSandbox>>;
  readonly servers: Server[];
  /** Starts a server instead of one that has died. */
  restart(server: Server): Promise<Server>;
  close(): void;
}

export async function openCluster(
  url: string,
  { seed, servers }: { seed: number; servers: number },
): Promise<Cluster> {
  const time = virtualLocal(START, seed);
  const opened: Awaited<ReturnType<typeof testSandbox>>[] = [];
  const open = async () => {
    const box = await testSandbox({ url, clock: time, seed });
    opened.push(box);
    return box;
  };
  const box = await open();
  const start = async () => serverOver((await open()).deps);
  const running: Server[] = [];
  for (let count = 0; count < servers; count++) running.push(await start());
  return {
    time,
    box,
    servers: running,
    async restart(server) {
      const next = await start();
      running[running.indexOf(server)] = next;
      return next;
    },
    close: () => {
      for (const { context } of opened) context.client.close();
    },
  };
}

function serverOver(living: Deps): Server {
  const lifeline = new Lifeline();
  const venues = new Map<Venue, Venue>();
  const venueOver = (venue: Venue): Venue => {
    const found = venues.get(venue) ?? lifeline.over(venue);
    venues.set(venue, found);
    return found;
  };
  const deps: Deps = {
    ...living,
    store: lifeline.over(living.store),
    venue: (exchange, keys) => venueOver(living.venue(exchange, keys)),
    venueOf: (account) => {
      const venue = living.venueOf(account);
      return venue && venueOver(venue);
    },
  };
  const operations = createOperations(EXCHANGES);
  const app = createApp({
    deps,
    operations,
    documents: madeDocuments(operations, "0.0.0-test"),
    access: { adminTokens: [ADMIN], allowedHosts: [], checkHost: false },
    limiter: createLimiter(parseConfig({ EDGEMAKER_RATE_LIMIT: "off" }).rateLimits, () => 0),
    addressOf: () => "127.0.0.1",
    mcp: {
      trading: true,
      confirm: "plan",
      strategies: "all",
      maxNotional: NO_CAP,
      maxNotionalPerDay: NO_CAP,
    },
    version: "0.0.0-test",
    instance: "test",
  });
  return {
    deps,
    dieAfter: (calls, isBefore) => lifeline.dieAfter(calls, isBefore),
    isDead: () => lifeline.isDead,
    ask: async (path, init) => {
      const died = lifeline.death.then(() => {
        throw new Crashed();
      });
      died.catch(() => undefined);
      return Promise.race([app.request(`http://localhost${path}`, init), died]);
    },
  };
}
