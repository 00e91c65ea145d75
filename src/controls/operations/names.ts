import * as z from "zod";
import { AppError } from "../../kernel/errors.ts";
import { idField, strategyName } from "../../kernel/fields.ts";
import { byOf } from "../../model/events.ts";
import { NO_EXPOSURE } from "../../model/proposal.ts";
import { operation } from "../../operation.ts";

/** Renames a strategy of any kind. */
export const renameStrategy = operation({
  name: "rename_strategy",
  summary: "Name a strategy for lists, alerts and commands; its id stays",
  effect: "trade",
  access: "token",
  http: { route: "POST /strategy/rename", from: "body" },
  cli: {
    path: "rename",
    positional: ["id", "name"],
    examples: ["edgemaker rename grid-kraken-BTC-USDT-1767225600000 treasury"],
  },
  input: () =>
    z.object({
      id: idField("Invalid request").describe("Strategy id"),
      name: strategyName().describe("New name; default: none"),
    }),
  output: () => z.object({ success: z.boolean(), id: z.string(), name: z.string().nullable() }),
  failure: "Internal error",
  async prepare({ store }, { id, name = null }, call) {
    const [view] = await store.strategies({ id });
    if (!view) throw new AppError("Not found", `there is no strategy ${id}`);
    return {
      preview: async () => ({
        what: name === null ? `take the name of ${id} away` : `name ${id} ${name}`,
        cost: "nothing is sold or bought",
        worstCase: "nothing trades differently",
        limits: [],
      }),
      exposure: NO_EXPOSURE,
      strategies: [id],
      async act() {
        await store.rename(id, name, byOf(call));
        return { success: true, id, name };
      },
    };
  },
});
