import { writeFileSync } from "node:fs";
import { readFile, rm } from "node:fs/promises";
import { join } from "node:path";
import { onTestFinished } from "vitest";
import type { Pair } from "../../src/kernel/pair.ts";
import { DAY, type Millis } from "../../src/kernel/time.ts";
import type { VenueName } from "../../src/model/market.ts";
import { edgemaker, eventually, type Server, serve } from "../support/command.ts";
import { tempFolder } from "../support/temp.ts";
import { type EmulatedVenue, startVenue } from "../venues/index.ts";
import { storyClock } from "./clock.ts";

const INTERVAL: Millis = 5000;
/** So much later than a pass the server's terminal looks again at what has happened. */
const SIGN: Millis = 1000;
/** Passes that whatever has happened takes to be dealt with: seen, booked, answered by orders. */
const PASSES = 4;
/** A machine that is slow needs so long for what takes another one an instant. */
const PATIENCE: Millis = 240_000;

/** As many as a line of a page has room for, with the prompt and a backslash. */
const COLUMNS = 74;

/** Rounds that a server makes: passes, messages, samples, and lines of its terminal. */
const ROUNDS = 4;

export type Stage = Awaited<ReturnType<typeof stage>>;

export interface Scene {
  readonly start: Millis;
  readonly balances: Readonly<Record<string, string>>;
  /** What stands on the page before the first command. */
  readonly head: string;
  /** The exchanges that are emulated; the story happens at the first one. */
  readonly exchanges: readonly [VenueName, ...VenueName[]];
  readonly symbol: Pair;
}

/** One person, their exchanges, one laptop: what they type and what they read is written down as it happens. */
export async function stage({ start, balances, head, exchanges, symbol }: Scene) {
  const folder = tempFolder();
  const clock = storyClock(folder, start);
  onTestFinished(clock.close);
  const venues = await Promise.all(exchanges.map((name) => startVenue(name, { clock: clock.now, balances })));
  onTestFinished(async () => void (await Promise.all(venues.map((each) => each.close()))));
  const [venue] = venues as [EmulatedVenue];
  const settings = {
    ...clock.settings,
    XDG_CONFIG_HOME: join(folder, ".config"),
    EDGEMAKER_EXCHANGES: exchanges.join(","),
    EDGEMAKER_VENUE_URLS: exchanges.map((name, at) => `${name}=${venues[at]?.url}`).join(","),
    // The clock jumps by hours, so that no connection would last.
    EDGEMAKER_STREAM: "0",
  };
  const page = transcript(folder, head);
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

  const run = async (line: string, input?: string, code = 0) => {
    const ran = await edgemaker(folder, line.split(" "), settings, input);
    if (ran.code !== code) throw new Error(`${line} ended with ${ran.code}\n${ran.stdout}${ran.stderr}`);
    return ran;
  };
  /** What a command printed without an option, by its line: plans are compared with it. */
  const plain = new Map<string, string>();

  return {
    page,
    venue,
    venues,
    passes,
    pass: clock.pass,
    /** From now to the hour of the start, on the next day. */
    untilMorning: (): Millis => DAY - ((clock.now() - start) % DAY),
    price: (to: string) => venue.move(symbol, to),
    /** Types a command that is not on the page. */
    prepares: run,
    /** Types a command and reads its answer, which ends with this code. */
    async types(line: string, { input, code = 0 }: { input?: string; code?: number } = {}): Promise<string> {
      const ran = await run(line, input, code);
      plain.set(line, ran.stdout);
      // Notices come before the result.
      page.command(line, `${ran.stderr}${ran.stdout}`, code);
      return ran.stdout;
    },
    /** Types a command with an option, and shows which parts of its output differ from that without the option. */
    async compares(command: string, base: string, flags: string): Promise<void> {
      // The rate of calls to an exchange refills with the clock.
      clock.pass(INTERVAL);
      const before = partsOf(plain.get(`${command} ${base}`) ?? "");
      const after = partsOf((await run(`${command} ${base} ${flags}`)).stdout);
      page.compared(`${command} … ${flags}`, [
        ...before.filter((part) => !after.includes(part)).map((part) => `- ${part}`),
        ...after.filter((part) => !before.includes(part)).map((part) => `+ ${part}`),
      ]);
    },
    /** A file of the person, which the page shows. */
    writes(name: string, text: string): void {
      writeFileSync(join(folder, name), text);
      page.says(`\`${name}\`:\n\n\`\`\`json\n${text}\n\`\`\``);
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
    async terminal(pattern: RegExp, command = ""): Promise<void> {
      const { printed = 0 } = await rounds();
      const all = await eventually(
        async () => server?.stdout() ?? "",
        (stdout) => Buffer.byteLength(stdout) >= printed,
        PATIENCE,
      );
      const fresh = all.slice(shown);
      if (!pattern.test(fresh)) throw new Error(`${pattern} is not in the server's terminal: ${fresh}`);
      shown = all.length;
      page.terminal(`${command}${fresh}`);
    },
    async leaves(): Promise<void> {
      const before = server?.stdout().slice(shown) ?? "";
      await server?.kill("SIGINT");
      page.terminal(`${before}^C\n${server?.stdout().slice(shown + before.length)}`);
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

/** A command as it is typed; a long one continues after a backslash. */
function typed(command: string): string {
  const lines: string[] = [];
  for (const part of command.split(/ (?=--)/)) {
    const last = lines.at(-1);
    if (last !== undefined && last.length + part.length < COLUMNS)
      lines[lines.length - 1] = `${last} ${part}`;
    else lines.push(lines.length === 0 ? part : `    ${part}`);
  }
  return lines.join(" \\\n");
}

/** The labeled parts of a plan, without the one that is another for each plan. */
const partsOf = (output: string): readonly string[] =>
  output
    .trimEnd()
    .split(/\n(?=\S)/)
    .filter((part) => !part.startsWith("to start"));

/** What was typed and read, as a page. What no two tellings have in common is made the same, and nothing else. */
function transcript(folder: string, head: string) {
  const parts: string[] = [head];

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
      block(`$ ${typed(`edgemaker ${line}`)}\n${answer}${code === 0 ? "" : `$ echo $?\n${code}\n`}`),
    compared: (line: string, changes: readonly string[]) =>
      void parts.push(
        `\`\`\`diff\n$ edgemaker ${line}\n${changes.join("\n").replaceAll("\n ", "\n   ") || "(the plan does not change)"}\n\`\`\``,
      ),
    terminal: block,
    text: (): string => `${parts.join("\n\n")}\n`,
  };
}
