import { join } from "node:path";
import { createClient } from "@libsql/client";
import { onTestFinished } from "vitest";
import type { Millis } from "../../src/kernel/time.ts";
import { canaryKek } from "../support/canary.ts";
import { edgemaker, eventually, type Server, serve } from "../support/command.ts";
import { tempFolder } from "../support/temp.ts";
import { startVenue } from "../venues/index.ts";
import { storyClock } from "./clock.ts";
import { transcript } from "./transcript.ts";

const INTERVAL: Millis = 5000;
/** So much later than a pass the server's terminal looks again at what has happened. */
const SIGN: Millis = 1000;
/** Passes that whatever has happened takes to be dealt with: seen, booked, answered by orders. */
const PASSES = 4;
/** A machine that is slow needs so long for what takes another one an instant. */
const PATIENCE: Millis = 60_000;

const UNDER_WAY = `select until, stepped_at, retry_at from accounts
  where account in (select account from strategies where status <> 'stopped')`;

export type Stage = Awaited<ReturnType<typeof stage>>;

/** One person, one exchange, one laptop: what they type and what they read is written down as it happens. */
export async function stage({ start, balances }: { start: Millis; balances: Record<string, string> }) {
  const folder = tempFolder();
  const clock = storyClock(folder, start);
  onTestFinished(clock.close);
  const venue = await startVenue("mexc", { clock: clock.now, balances });
  onTestFinished(() => venue.close());
  const settings = {
    ...clock.settings,
    EDGEMAKER_KEK: canaryKek("W"),
    EDGEMAKER_EXCHANGES: "mexc",
    EDGEMAKER_VENUE_URLS: `mexc=${venue.url}`,
  };
  const page = transcript(folder);
  let server: Server | undefined;
  let shown = 0;

  /** Until the pass that is due now is over, whatever came of it. */
  async function passed(): Promise<void> {
    const client = createClient({ url: `file:${join(folder, "data/edgemaker/edgemaker.db")}` });
    const isOver = ({ until, stepped_at: stepped, retry_at: retry }: Readonly<Record<string, unknown>>) =>
      Number(until) <= clock.now() && (Number(stepped) >= clock.now() || Number(retry) > clock.now());
    try {
      const read = async () => (await client.execute(UNDER_WAY)).rows;
      await eventually(read, (rows) => rows.every(isOver), { millis: PATIENCE, every: 10 });
    } finally {
      client.close();
    }
  }

  /** So many passes of the running server, one after the other. */
  async function passes(count = PASSES): Promise<void> {
    for (let at = 0; at < count; at++) {
      clock.pass(INTERVAL - SIGN);
      await passed();
      clock.pass(SIGN);
    }
  }

  return {
    page,
    venue,
    passes,
    pass: clock.pass,
    price: (to: string) => venue.move("SNEK/USDT", to),
    /** Types a command and reads its answer, which ends with this code. */
    async types(line: string, { input, code = 0 }: { input?: string; code?: number } = {}): Promise<string> {
      const ran = await edgemaker(folder, line.split(" "), settings, input);
      if (ran.code !== code) throw new Error(`${line} ended with ${ran.code}\n${ran.stdout}${ran.stderr}`);
      page.command(line, `${ran.stdout}${ran.stderr}`, code);
      return ran.stdout;
    },
    async serves(): Promise<void> {
      server = await serve(folder, [], { ...settings, EDGEMAKER_TOKEN: "" });
      shown = 0;
      await passed();
      clock.pass(SIGN);
    },
    /** What stands in the server's terminal since the last time, once this is there. */
    async terminal(until: RegExp): Promise<void> {
      const fresh = await eventually(
        async () => server?.stdout().slice(shown) ?? "",
        (told) => until.test(told) && told.endsWith("\n"),
        PATIENCE,
      );
      shown += fresh.length;
      page.terminal(fresh);
    },
    async leaves(): Promise<void> {
      await server?.kill("SIGINT");
      page.terminal(`^C\n${server?.stdout().slice(shown)}`);
    },
    /** The lid is closed, and opened again so much later. */
    async sleeps(millis: Millis, meanwhile: () => void = () => undefined): Promise<void> {
      server?.child.kill("SIGSTOP");
      meanwhile();
      clock.pass(millis);
      server?.child.kill("SIGCONT");
      await passed();
      clock.pass(SIGN);
      await passes();
    },
  };
}
