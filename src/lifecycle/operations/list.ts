import * as z from "zod";
import { isReadable } from "../../engine/accounts.ts";
import { READS_STRATEGIES } from "../../engine/operations/reads.ts";
import { countField, flagField, textField, wordField } from "../../kernel/fields.ts";
import { lazy } from "../../kernel/lazy.ts";
import { countWithVerb } from "../../kernel/plain-text.ts";
import { MODES, modeOf, parseAccountKey } from "../../model/account.ts";
import { STRATEGY_STATUSES } from "../../model/strategy.ts";
import { type CommandSurface, type Operation, operation } from "../../operation.ts";
import type { Kind, StoreDeps } from "../../ports/kind.ts";
import type { StrategyView } from "../../ports/stores/store.ts";
import {
  definitionName,
  inThisVersion,
  type ReadStrategy,
  readStrategy,
  rowOut,
  totalsByAsset,
} from "../reading.ts";
import { DefinitionsShape, StrategyListShape } from "../schema.ts";
import { definitionsView, strategyListView } from "../view.ts";

const DEFAULT_ROWS = 100;

/** Maximum number of strategies in a response. */
const MAX_LISTED = 1000;

const filterField = (name: string) =>
  textField("Invalid request", /^.{1,80}$/u, `${name} must be a text`).optional();

const listInput = lazy(() =>
  z.object({
    definition: filterField("definition").describe(
      "Only this one: grid, quote, a name of your own, or strategy for all of those",
    ),
    exchange: filterField("exchange").describe("Only on this exchange"),
    symbol: filterField("symbol").describe("Only this pair, BASE/QUOTE"),
    status: wordField("Invalid request", STRATEGY_STATUSES).optional().describe("Only with this status"),
    mode: wordField("Invalid request", MODES).optional().describe("Only real, paper or simulated ones"),
    stopped: flagField("Invalid request", "stopped")
      .default(false)
      .describe("Include stopped strategies, newest first"),
    limit: countField("Invalid limit", { min: 1, max: MAX_LISTED })
      .optional()
      .describe(
        `Number of strategies, newest first; default ${DEFAULT_ROWS} with stopped ones, else ${MAX_LISTED}`,
      ),
    before: textField("Invalid request", /^\d{1,15}$/, "before must be the `next` of the page before")
      .optional()
      .describe("`next` of the previous page"),
  }),
);

type ListRequest = z.output<ReturnType<typeof listInput>>;

const matches = (request: ListRequest) => (read: ReadStrategy) => {
  const { strategy } = read.view;
  const is = (only: string | undefined, ...values: readonly (string | undefined)[]) =>
    only === undefined || values.includes(only);
  return (
    is(request.definition, definitionName(read.view), read.view.kind.group) &&
    is(request.exchange, parseAccountKey(strategy.account).exchange) &&
    is(request.symbol, strategy.symbol) &&
    is(request.status, strategy.status) &&
    is(request.mode, modeOf(strategy.account))
  );
};

/** Pages of which one request reads at most, so that its cost does not grow with the number of stopped strategies. */
const MAX_PAGES_READ = 10;

interface MatchingStrategies {
  readonly found: readonly ReadStrategy[];
  /** Ids of strategies that only another version can read. */
  readonly unreadable: readonly string[];
  readonly next: string | null;
  /** Whether running ones are missing although no page was requested. */
  readonly isCut: boolean;
}

/** Reads the strategies that match, in pages. If no page is requested and one has all, the oldest is first. */
async function readMatching({ store, kinds }: StoreDeps, request: ListRequest): Promise<MatchingStrategies> {
  const isMatching = matches(request);
  const stopped = request.stopped || request.status === "stopped";
  const found: ReadStrategy[] = [];
  const unreadable: string[] = [];
  const read = (views: readonly StrategyView[]) => {
    for (const view of views)
      if (!isReadable(view, kinds)) unreadable.push(view.strategy.id);
      else found.push(...[readStrategy(inThisVersion(kinds, view))].filter(isMatching));
  };
  const isAll = !stopped && request.limit === undefined && request.before === undefined;
  const limit = request.limit ?? (isAll ? MAX_LISTED : DEFAULT_ROWS);
  let before = request.before === undefined ? undefined : Number.parseInt(request.before, 10);
  // A filter can leave little of a page: then it reads on.
  for (let pages = 0; pages < MAX_PAGES_READ && found.length < limit; pages++) {
    const views = await store.strategies({ stopped, page: { limit, before } });
    read(views);
    before = views.length < limit ? undefined : views.at(-1)?.strategy.number;
    if (before === undefined) break;
  }
  const page = found.slice(0, limit);
  const last = found.length > limit ? page.at(-1)?.view.strategy.number : before;
  if (!isAll || last !== undefined)
    return { found: page, unreadable, isCut: isAll, next: last === undefined ? null : String(last) };
  return { found: page.reverse(), unreadable, isCut: false, next: null };
}

const cutWarnings = (isCut: boolean): readonly string[] =>
  isCut ? [`more than ${MAX_LISTED} strategies run: only the newest ${MAX_LISTED} are listed`] : [];

/** Warns of strategies that only another version can read; nothing else of them is known. */
const unreadableWarnings = (ids: readonly string[]): readonly string[] =>
  ids.length === 0
    ? []
    : [
        `${countWithVerb(ids.length, "strategy")} left out, because another version of edgemaker stored ${ids.length === 1 ? "it" : "them"}: ${ids.join(", ")}`,
      ];

/** Returns the list of all strategies, as a command with this surface. */
export const listOperation = (cli: CommandSurface): Operation =>
  operation({
    ...READS_STRATEGIES,
    name: "list_strategies",
    summary: "List strategies: grids, quotes and your own",
    http: { route: "GET /strategies", from: "query" },
    cli,
    input: listInput,
    output: StrategyListShape,
    async run(deps, request) {
      const killed = await deps.store.killed();
      const { found, unreadable, next, isCut } = await readMatching(deps, request);
      return {
        strategies: found.map((read) => rowOut(deps, read, killed)),
        count: found.length,
        totals: totalsByAsset(found),
        next,
        warnings: [
          ...((await deps.keys?.warnings()) ?? []),
          ...cutWarnings(isCut),
          ...unreadableWarnings(unreadable),
        ],
      };
    },
  });

export const listStrategies: Operation = listOperation({
  path: "list",
  verb: "list",
  flags: { stopped: "all" },
  view: strategyListView,
  columns: [
    "strategy",
    "definition",
    "market",
    "status",
    "total",
    "percent",
    "notices",
    "mode",
    "orders",
    "startedAt",
  ],
  examples: ["edgemaker list --all --definition quote"],
});

export const listDefinitions = (kinds: readonly Kind[]): Operation =>
  operation({
    ...READS_STRATEGIES,
    name: "list_definitions",
    summary: "List what can be started: built-in strategies and your own",
    http: { route: "GET /definitions", from: "query" },
    cli: { path: "definitions", view: definitionsView, examples: ["edgemaker definitions --json"] },
    input: () => z.object({}),
    output: DefinitionsShape,
    async run() {
      const definitions = await Promise.all(
        kinds
          .flatMap((kind) => kind.definitions)
          .map(async ({ schema, fileHashes, forms: _forms, editForm: _form, ...definition }) => ({
            ...definition,
            config: schema(),
            ...(fileHashes ? { fileHashes: [...(await fileHashes())] } : {}),
          })),
      );
      return { definitions, count: definitions.length };
    },
  });
