import { idInput, READS_STRATEGIES } from "../../engine/operations/reads.ts";
import { type Operation, operation } from "../../operation.ts";
import type { Kind } from "../../ports/kind.ts";
import { readStrategy, statusOut } from "../reading.ts";
import { statusShape } from "../schema.ts";
import { hasStalledIn, runningView, statusView } from "../view.ts";
import { strategyById } from "./find.ts";
import { listOperation } from "./list.ts";

/** For scripts that monitor a strategy: the exit code is the strongest signal available. */
const exit = (answer: unknown): number => (hasStalledIn(answer) ? 3 : 0);

/** Returns the status of any strategy. Its command without an id shows all running ones. */
export const getStrategy = (kinds: readonly Kind[]): Operation =>
  operation({
    ...READS_STRATEGIES,
    name: "get_strategy",
    summary: "Show a strategy with its orders, P&L and state",
    http: { route: "GET /strategies/:id", from: "query" },
    cli: {
      path: "status",
      verb: "status",
      positional: ["id"],
      watch: true,
      view: statusView(kinds),
      exit,
      without: listOperation({ path: "status", watch: true, view: runningView, exit }),
      examples: ["edgemaker status --watch", "edgemaker status grid-kraken-BTC-USDT-1767225600000 --json"],
    },
    input: idInput,
    output: () => statusShape(kinds.map(({ statusDetails }) => statusDetails())),
    async run(deps, { id }) {
      const { store } = deps;
      const read = readStrategy(await strategyById(deps, id));
      const orders = await store.unsettledOrders(read.view.strategy.account);
      return statusOut(deps, read, { orders, killed: await store.killed() });
    },
  });
