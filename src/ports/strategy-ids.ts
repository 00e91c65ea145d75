import { AppError } from "../kernel/errors.ts";
import { countWithVerb } from "../kernel/plain-text.ts";
import type { Strategy } from "../model/strategy.ts";

interface NamedStrategies {
  readonly store: {
    strategiesNamed(name: string): Promise<readonly Pick<Strategy, "id" | "status">[]>;
  };
}

/** Input fields that contain a strategy's id or its name. */
const STRATEGY_FIELDS = ["id", "from"] as const;
const HAS_ID_FORM = /-\d{10,}$/;

/** Replaces a strategy's name in the input of an operation on strategies by its id; any other text stays as it is. */
export async function withIds<I>(route: string, deps: NamedStrategies, input: I): Promise<I> {
  if (!/ \/(strategy|strategies)\//.test(route)) return input;
  const given = input as Readonly<Record<string, unknown>>;
  const ids: Record<string, string> = {};
  for (const field of STRATEGY_FIELDS) {
    const text = given[field];
    const id = typeof text === "string" && !HAS_ID_FORM.test(text) ? await idNamed(deps, text) : undefined;
    if (id !== undefined) ids[field] = id;
  }
  return { ...input, ...ids };
}

/** Of several strategies with a name, the only one that is not stopped counts. Throws AppError if several remain. */
async function idNamed({ store }: NamedStrategies, name: string): Promise<string | undefined> {
  const named = await store.strategiesNamed(name);
  const open = named.filter(({ status }) => status !== "stopped");
  const found = (open.length > 0 ? open : named).map(({ id }) => id);
  if (found.length > 1)
    throw new AppError(
      "Conflict",
      `${countWithVerb(found.length, "strategy")} called ${name}; use an id: ${found.join(", ")}`,
    );
  return found[0];
}
