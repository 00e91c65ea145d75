import { readFile, rm } from "node:fs/promises";
import { join } from "node:path";
import { onTestFinished } from "vitest";
import { DAY, type Millis } from "../../src/kernel/time.ts";
import { canaryKek } from "../support/canary.ts";
import { edgemaker, eventually, type Server, serve } from "../support/command.ts";
import { tempFolder } from "../support/temp.ts";
import { startVenue } from "../venues/index.ts";
import { storyClock } from "./clock.ts";

const INTERVAL: Millis = 5000;
/** So much later than a pass the server's terminal looks again at what has happened. */
const SIGN: Millis = 1000;
/** Passes that whatever has happened takes to be dealt with: seen, booked, answered by orders. */
const PASSES = 4;
/** A machine that is slow needs so long for what takes another one an instant. */
const PATIENCE: Millis = 240_000;

/** Rounds that a server makes: passes, messages, samples, and lines of its terminal. */
const ROUNDS = 4;

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
    // The clock jumps by hours, so that no connection would last.
    EDGEMAKER_STREAM: "0",
  };
  const page = transcript(folder);
  const file = join(folder, "rounds.json");
  let server: Server | undefined;
  let shown = 0;

  /** What the server's process has told of itself last; nothing while none is there. */
  const rounds = async () => {
    const text = await readFile(file, "utf8").catch(() => "{}");
    return JSON.parse(text) as { dues?: readonly Millis[]; printed?: number };
  };

  /** Until every round of the server that was due is over, whatever came of it. */
  const settled = () =>
    eventually(rounds, ({ dues = [] }) => dues.length === ROUNDS && dues.every((due) => due > clock.now()), {
      millis: PATIENCE,
      every: 5,
    });

  /** So many passes of the running server, one after the other. */
  async function passes(count = PASSES): Promise<void> {
    for (let at = 0; at < count; at++) {
      clock.pass(INTERVAL - SIGN);
      await settled();
      clock.pass(SIGN);
      await settled();
    }
  }

  return {
    page,
    venue,
    passes,
    pass: clock.pass,
    /** From now to the hour of the start, on the next day. */
    untilMorning: (): Millis => DAY - ((clock.now() - start) % DAY),
    price: (to: string) => venue.move("SNEK/USDT", to),
    /** Types a command and reads its answer, which ends with this code. */
    async types(line: string, { input, code = 0 }: { input?: string; code?: number } = {}): Promise<string> {
      const ran = await edgemaker(folder, line.split(" "), settings, input);
      if (ran.code !== code) throw new Error(`${line} ended with ${ran.code}\n${ran.stdout}${ran.stderr}`);
      page.command(line, `${ran.stdout}${ran.stderr}`, code);
      return ran.stdout;
    },
    async serves(): Promise<void> {
      await rm(file, { force: true });
      server = await serve(folder, [], { ...settings, STORY_ROUNDS: file, EDGEMAKER_TOKEN: "" });
      shown = 0;
      await settled();
      clock.pass(SIGN);
      await settled();
    },
    /** What stands in the server's terminal since the last time, of which this is a part. */
    async terminal(pattern: RegExp): Promise<void> {
      const { printed = 0 } = await rounds();
      const all = await eventually(
        async () => server?.stdout() ?? "",
        (stdout) => Buffer.byteLength(stdout) >= printed,
        PATIENCE,
      );
      const fresh = all.slice(shown);
      if (!pattern.test(fresh)) throw new Error(`${pattern} is not in the server's terminal: ${fresh}`);
      shown = all.length;
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
      await settled();
      clock.pass(SIGN);
      await settled();
      await passes();
    },
  };
}

const HEAD = `# A week

This page shows one week with one grid, command by command. The commands are real, over sockets, against an emulated exchange.
The prices, the faults and the clock are scripted. \`npm run docs\` runs it again and writes this page.

Between two days the laptop sleeps. So the report's uptime is low: it is the share of the time in which the server ran.`;

/** What was typed and read, as a page. What no two tellings have in common is made the same, and nothing else. */
export function transcript(folder: string) {
  const parts: string[] = [HEAD];

  const stable = (text: string): string =>
    text
      .replaceAll(folder, "~")
      .replace(/http:\/\/127\.0\.0\.1:\d+/g, "http://127.0.0.1:3000")
      // The name of the machine, and of the process.
      .replace(/\b[\w.-]+:\d+(?= is back:| takes over|: nobody)/g, "laptop:4711")
      .replace(/(?<= takes over from )[\w.-]+:\d+/g, "laptop:4700");

  const block = (lines: string) => void parts.push(`\`\`\`console\n${stable(lines).trimEnd()}\n\`\`\``);

  return {
    says: (text: string) => void parts.push(text),
    command: (line: string, answer: string, code: number) =>
      block(`$ edgemaker ${line}\n${answer}${code === 0 ? "" : `$ echo $?\n${code}\n`}`),
    terminal: block,
    text: (): string => `${parts.join("\n\n")}\n`,
  };
}
