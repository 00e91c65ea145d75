import { pluralize } from "../../src/kernel/plain-text.ts";
import type { PlanAnswer } from "../../src/lifecycle/plan.ts";
import type { Operation } from "../../src/operation.ts";
import type { Deps } from "../../src/ports/deps.ts";
import type { Answer } from "../../src/transport/run.ts";
import { runningServers } from "../host/running-servers.ts";
import {
  type CliSettings,
  checkKeyRights,
  readSettings,
  tickInterval,
  whereFlags,
} from "../host/settings.ts";
import { startTimer } from "../host/timer.ts";
import { UsageError, type Values } from "../terminal/arguments.ts";
import { type FormCommand, nestedStart } from "../terminal/forms.ts";
import { render } from "../terminal/output.ts";
import { fail } from "../terminal/refused.ts";
import { askForPeople, openAnswering, remoteOf, watch } from "./run-operation.ts";
import { confirmStart, formInput, printPlan, printStarted, type StartedResponse } from "./start.ts";

/** The grid's runner: a server, or this process. */
interface Trading {
  /** Whether a server runs the grid, perhaps on another machine. */
  readonly byServer: boolean;
  ask(name: string, input: Readonly<Record<string, unknown>>): Promise<Answer>;
  /** Returns the status of a grid with all that people see. */
  status(id: string): Promise<Answer>;
  /** Prints a failure and returns its exit code. */
  refuse(answer: Answer): number;
  /** Runs passes if this process is the runner. */
  step(): { stop(): Promise<void> };
  close(): void;
  /** Formats a status for people. */
  readonly view: ((answer: unknown) => unknown) | undefined;
}

interface TradedGrid {
  readonly id: string;
  readonly exchange: string;
  readonly openOrders: number;
}

/** Starts a centered grid and shows it until Ctrl-C, then prints what stays open without a question. */
export async function runTrade(
  operations: readonly Operation[],
  centered: FormCommand,
  values: Values,
): Promise<number> {
  const settings = readSettings(values, process.env);
  const { input, misread } = formInput(centered, values);
  if (misread) return fail(misread, { operation: centered.flat });
  const trading = await connect(operations, values, { ...settings, isDry: input.dryRun === true });
  try {
    if (values.preview) {
      const answer = await trading.ask("preview_strategy", nestedStart(centered.form, input));
      if (answer.status !== 200) return trading.refuse(answer);
      return printPlan(
        answer.body as PlanAnswer,
        centered,
        values,
        "run the same command without --preview; it shows the plan first",
      );
    }
    if (values.detach && !trading.byServer)
      throw new UsageError("--detach needs a running server; start one with edgemaker serve");
    const started = await confirmStart(input, values, {
      one: centered,
      preview: (request) => trading.ask("preview_strategy", nestedStart(centered.form, request)),
      start: (request) => trading.ask("start_strategy", nestedStart(centered.form, request)),
      isSimulated: values.sandbox === true,
    });
    if (started === undefined) return 1;
    if (started.status !== 200) return trading.refuse(started);
    if (values.detach) {
      printStarted(started.body as StartedResponse, values);
      return 0;
    }
    return await followGrid(trading, (started.body as TradedGrid).id, values);
  } finally {
    trading.close();
  }
}

function named(operations: readonly Operation[], name: string): Operation {
  const found = operations.find((operation) => operation.name === name);
  if (!found) throw new Error(`there is no operation ${name}`);
  return found;
}

async function connect(
  operations: readonly Operation[],
  values: Values,
  { isDry, ...settings }: CliSettings & { readonly isDry: boolean },
): Promise<Trading> {
  const remote = await remoteOf(settings, values);
  const interval = tickInterval(values);
  const { ask, deps, close } = await openAnswering(settings, remote);
  const status = named(operations, "get_grid_status");
  return {
    byServer: !deps || (await runningServers(deps)).length > 0,
    ask: (name, input) => ask(named(operations, name), input),
    status: (id) => askForPeople(status, { id }, { ask, named: (name) => named(operations, name) }),
    refuse: (answer) => fail(answer, { remote }),
    step() {
      if (!deps) return { stop: async () => undefined };
      return isDry ? startTimer(paperOnly(deps), interval) : stepping(deps, interval);
    },
    view: status.cli?.view,
    close,
  };
}

/** Limits passes to paper accounts, because passes over real accounts make private requests. */
const paperOnly = (deps: Deps): Deps => ({
  ...deps,
  venueOf: (account) => (account.kind === "live" ? undefined : deps.venueOf(account)),
});

function stepping(deps: Deps, interval: number) {
  const [timer, asking] = [startTimer(deps, interval), checkKeyRights(deps)];
  return {
    async stop() {
      asking.stop();
      await timer.stop();
    },
  };
}

/** Shows the live view, and what is left when it ends. */
async function followGrid(trading: Trading, id: string, values: Values): Promise<number> {
  const timer = trading.step();
  const ask = () => (values.json ? trading.ask("get_grid_status", { id }) : trading.status(id));
  const view = trading.view ?? ((body: unknown) => body);
  const shown = (body: unknown) => (values.json ? JSON.stringify(body) : render(view(body)));
  await watch(await ask(), { ask, show: shown, asJson: values.json === true });
  await timer.stop();
  const { status, body } = await ask();
  const [grid] = status === 200 ? (body as { strategies: TradedGrid[] }).strategies : [];
  if (grid) process.stderr.write(`${leftOpen(grid, trading, values)}\n`);
  return 0;
}

function leftOpen({ id, exchange, openOrders }: TradedGrid, { byServer }: Trading, values: Values): string {
  const flags = whereFlags(values);
  const next = byServer
    ? "the server runs it"
    : `no server runs it now; start one with \`edgemaker serve${flags}\``;
  return `${pluralize(openOrders, "order")} of ${id} ${openOrders === 1 ? "stays" : "stay"} open on ${exchange}: ${next}, \`edgemaker grid stop ${id}${flags}\` cancels them.`;
}
