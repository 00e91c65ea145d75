import type * as z from "zod";
import type { Label, RefusalCode } from "./kernel/errors.ts";
import { lazy } from "./kernel/lazy.ts";
import { type ExposureRead, holdToToken } from "./limits/operations/exposures.ts";
import type { Caller } from "./model/events.ts";
import type { Preview } from "./model/proposal.ts";
import { type ConfigForm, configForm } from "./ports/config-form.ts";
import type { Deps } from "./ports/deps.ts";
import { withIds } from "./ports/strategy-ids.ts";
import type { Keys } from "./ports/venue.ts";

type Method = "GET" | "POST" | "PUT" | "PATCH" | "DELETE";

/** The caller, and what came with the call besides its input. */
export interface Call extends Caller {
  readonly keys?: Keys | undefined;
  /** Whether the limits for agents count the call. */
  readonly isLimited?: boolean;
  /** For a request with an Idempotency-Key: the same for every attempt, like everything derived from it. */
  readonly requestKey?: string | undefined;
  readonly waiting?: WaitingCaller;
  /** For a heavy operation: aborts when the client disconnects. */
  readonly signal?: AbortSignal | undefined;
}

/** A caller that waits: it gets progress, and can end the calculation early with a partial result. */
export interface WaitingCaller {
  /** Receives the completed share. */
  readonly hear: (done: number) => void;
  readonly isEnough: () => boolean;
  /** Returns the share of calculation time that this call has; 1 while it is alone. */
  readonly share?: () => number;
}

interface CommandWords {
  readonly summary: string;
  /** Input that the command stands for. */
  readonly input: Readonly<Record<string, unknown>>;
  /** The only fields that it accepts; all others by default. */
  readonly fields?: readonly string[];
  readonly final?: CommandSurface["final"];
}

export interface CommandSurface {
  /** Words of the command: `grid start`. */
  readonly path: string;
  readonly alias?: string;
  /** For an operation on any strategy: its word in the group of each kind, such as `grid fills`. */
  readonly verb?: string;
  /** Other commands for it by their words, such as `kill on`. If they are subcommands of the path, it is none itself. */
  readonly words?: Readonly<Record<string, CommandWords>>;
  /** Input fields that can be given without a flag, in order. */
  readonly positional?: readonly string[];
  /** Flags that set a boolean field to false, such as --keep-orders for cancelOrders. */
  readonly opposites?: Readonly<Record<string, string>>;
  /** The operation that the command calls if it is used without its positional field. */
  readonly without?: Operation;
  /** Shorter names of flags; a field's name in kebab case always works. */
  readonly flags?: Readonly<Record<string, string>>;
  /** Descriptions of the numbers in an object field; each number gets a separate flag. */
  readonly parts?: Readonly<Record<string, Readonly<Record<string, string>>>>;
  /** Defaults of the command line that differ from the input's. */
  readonly defaults?: Readonly<Record<string, unknown>>;
  readonly examples?: readonly string[];
  /** Whether the command supports --watch. */
  readonly watch?: boolean;
  /** Repeats the call until it is done, and shows progress from each response. */
  readonly until?: {
    readonly isDone: (answer: unknown) => boolean;
    readonly progress: (answer: unknown) => string;
  };
  /** Formats a response for people, if its plain fields are not readable enough. */
  readonly view?: (answer: unknown) => unknown;
  /** For people: an operation whose response has more than this one's, and what the view gets of both. */
  readonly beside?: {
    readonly call: (input: Readonly<Record<string, unknown>>) => {
      readonly name: string;
      readonly input: Record<string, unknown>;
    };
    readonly add: (answer: unknown, other: unknown) => unknown;
  };
  /** Columns of its tables, most important first; a narrow terminal omits the last ones. */
  readonly columns?: readonly string[];
  /** Returns the exit code of a successful response that reports a problem. */
  readonly exit?: (answer: unknown) => number;
  /**
   * For a command that cannot be undone: a terminal asks first, after the response of the operation `shows`, and a
   * script needs --yes. `question` returns undefined for input that needs none.
   */
  readonly final?: {
    readonly shows?: string;
    readonly question: (input: Readonly<Record<string, unknown>>) => string | undefined;
  };
  /** Whether its result needs a running server. */
  readonly steps?: boolean;
  /** Whether it works on this machine's database, whichever process serves it, because it manages access. */
  readonly isLocal?: boolean;
}

/** Settings for agents only. */
interface ToolSurface {
  /** Whether it returns stored data only, without a call to an exchange. */
  readonly isSelfContained?: boolean;
  /** Defaults for agents that differ from the input's. */
  readonly defaults?: Readonly<Record<string, unknown>>;
  /** Whether its result needs a running server. */
  readonly steps?: boolean;
  /** Summarizes the response in one sentence with its numbers. */
  readonly summarize?: (answer: unknown) => string;
}

/** Returns the defaults of the command line or of agents for an input with these values. */
export const defaultsOf = (
  { stored = [], ...surfaces }: Operation,
  surface: "cli" | "mcp",
  { from }: Readonly<Record<string, unknown>>,
): Readonly<Record<string, unknown>> =>
  Object.fromEntries(
    Object.entries(surfaces[surface]?.defaults ?? {}).filter(
      ([field]) => from === undefined || !stored.includes(field),
    ),
  );

/** Returns an agent's input with its defaults, and with those of the config's form unless a stored strategy sets them. */
export function withAgentDefaults(
  operation: Operation,
  sent: Readonly<Record<string, unknown>>,
): Record<string, unknown> {
  const given = { ...defaultsOf(operation, "mcp", sent), ...sent };
  const { config = {} } = given;
  const form = sentForm(operation, given);
  if (!form || (given.from ?? given.strategy) !== undefined || typeof config !== "object") return given;
  return { ...given, config: { ...form.defaults, ...config } };
}

/** Returns the form of the config that was sent; undefined without one, and for a stored strategy's config. */
export function sentForm(
  { input, forms = [] }: Pick<Operation, "input" | "forms">,
  { definition, config }: Readonly<Record<string, unknown>>,
): ConfigForm | undefined {
  if (!Object.hasOwn(input.shape, "definition")) return undefined;
  const [first, ...others] = forms.filter((form) => form.definition === (definition ?? forms[0]?.definition));
  return first && configForm([first, ...others], (config ?? {}) as Readonly<Record<string, unknown>>);
}

/** One use case; HTTP, OpenAPI, the command line and the agents' tools are generated from it. */
interface OperationBase {
  /** The public name: MCP tool and OpenAPI operationId. */
  readonly name: string;
  readonly summary: string;
  /** Group in the OpenAPI document; by default its path decides. */
  readonly tag?: { readonly name: string; readonly description: string };
  readonly access: "public" | "token";
  /**
   * `urgent` operations stop something: with the right token, no rate limit or queue delays them on any interface.
   * `heavy` ones calculate for a long time, and queue for each other.
   */
  readonly lane?: "urgent" | "heavy";
  /** Whether it is public, but returns more to a token with more permissions. */
  readonly knowsCaller?: boolean;
  readonly http: {
    readonly route: `${Method} /${string}`;
    /** Another path or route with the same response. */
    readonly alias?: `/${string}` | `${Method} /${string}`;
    readonly from: "query" | "body";
    /** Whether it accepts an Idempotency-Key. */
    readonly idempotent?: boolean;
    /** Whether it accepts exchange keys in headers. */
    readonly keys?: boolean;
    /** Whether it is served only over TLS or to this machine, because it carries secrets. */
    readonly isPrivate?: boolean;
  };
  readonly cli?: CommandSurface;
  readonly mcp?: ToolSurface;
  /** Whether agents have no tool for it, because another tool does the same. */
  readonly hasNoTool?: true;
  /** Fields that the stored strategy of `from` sets; beside it, their defaults do not apply. */
  readonly stored?: readonly string[];
  readonly input: z.ZodObject;
  /** Forms of its field `config`, whose fields are read like its own. */
  readonly forms?: readonly ConfigForm[] | undefined;
  readonly output: z.ZodType;
  /** Formats the response as comma-separated values; every interface for people then has `format`. */
  readonly csv?: (answer: unknown) => string;
  /** Formats the response as a single self-contained page. */
  readonly html?: (answer: unknown) => string;
  /** Maximum page size of a table with `limit`, `before` and `next`; without `limit`, the response has all rows. */
  readonly pages?: number;
  /** Error label of external failures. */
  readonly failure: Label;
  /** The code of a failure that has its own status. */
  readonly refusal?: RefusalCode;
  /** Runs on input that `input` has parsed. */
  readonly run: (deps: Deps, input: unknown, call: Call) => Promise<unknown>;
}

/** An agreement or an order, such as "order OUF4EM", and the actor who made it. */
export interface OthersThing {
  readonly what: string;
  readonly maker: string;
}

/** A trading call after reading and checking; nothing is done yet. */
export interface PreparedCall<Answer = unknown> {
  /** Describes what `act` would do. Throws the errors of `act` that are known in advance. */
  readonly preview: () => Promise<Preview>;
  /** What it can sell and buy from now on, including exits; the limits of tokens and agents count this. */
  readonly exposure: ExposureRead;
  /**
   * Ids of the running strategies that it changes, or a function that reads them; an agent can change only strategies
   * that it started.
   */
  readonly strategies: readonly string[] | (() => Promise<readonly string[]>);
  /** Returns what else of other callers it changes; an agent can change only what it made. */
  readonly ofOthers?: () => Promise<readonly OthersThing[]>;
  /** Whether its order counts toward the token's limits in the statement that records it. */
  readonly isCountedByOrders?: true;
  /** Throws errors of `act` that a preview only describes. */
  readonly check?: () => void;
  /** Executes the call. If the caller `isLimited`, what it starts never trades beyond its exposure. */
  readonly act: (isLimited: boolean) => Promise<Answer>;
}

interface ReadOperation extends OperationBase {
  /** The scope that a caller needs, and what the call can change. */
  readonly effect: "read" | "admin";
}

/** An operation whose `run` prepares, checks and acts. */
export interface TradeOperation extends OperationBase {
  readonly effect: "trade";
  readonly prepare: (deps: Deps, input: unknown, call: Call) => Promise<PreparedCall>;
}

export type Operation = ReadOperation | TradeOperation;

type Surfaces<I extends z.ZodObject, O extends z.ZodType> = Omit<
  OperationBase,
  "input" | "output" | "run"
> & {
  readonly input: () => I;
  readonly output: () => O;
};

type TypedRead<I extends z.ZodObject, O extends z.ZodType> = Surfaces<I, O> &
  Pick<ReadOperation, "effect"> & {
    readonly run: (deps: Deps, input: z.output<I>, call: Call) => Promise<z.input<O>>;
  };

type TypedTrade<I extends z.ZodObject, O extends z.ZodType> = Surfaces<I, O> &
  Pick<TradeOperation, "effect"> & {
    readonly prepare: (deps: Deps, input: z.output<I>, call: Call) => Promise<PreparedCall<z.input<O>>>;
  };

/**
 * Checks that `run` or `prepare` fits its schemas, and erases their types so all operations fit one list. Schemas are
 * created on first use.
 */
export function operation<I extends z.ZodObject, O extends z.ZodType>(
  typed: TypedRead<I, O> | TypedTrade<I, O>,
): Operation {
  const [input, output] = [lazy(typed.input), lazy(typed.output)];
  const { route } = typed.http;
  const made = typed.effect === "trade" ? tradesBy(route, typed.prepare) : runsBy(route, typed.run);
  return {
    ...typed,
    ...made,
    get input() {
      return input();
    },
    get output() {
      return output();
    },
  } as Operation;
}

export const isUrgent = ({ lane }: Operation): boolean => lane === "urgent";

const runsBy = <I, O>(route: string, run: (deps: Deps, input: I, call: Call) => Promise<O>) => ({
  run: (deps: Deps, given: unknown, call: Call) =>
    withIds(route, deps, given as I).then((input) => run(deps, input, call)),
});

/** Adds the strategy's id to the plan, so a commit concerns that one even if another strategy gets its name. */
const holdId = <O>(prepared: PreparedCall<O>, input: unknown): PreparedCall<O> => {
  const { id } = input as { readonly id?: string };
  const preview = () => prepared.preview().then((shown) => ({ ...shown, holds: { ...shown.holds, id } }));
  return id === undefined ? prepared : ({ ...prepared, preview } as PreparedCall<O>);
};

const tradesBy = <I, O>(
  route: string,
  typed: (deps: Deps, input: I, call: Call) => Promise<PreparedCall<O>>,
) => {
  const prepare = (deps: Deps, given: unknown, call: Call) =>
    withIds(route, deps, given as I).then((input) =>
      typed(deps, input, call).then((prepared) => holdId(prepared, input)),
    );
  const run = (deps: Deps, given: unknown, call: Call) =>
    prepare(deps, given, call).then((prepared) => actWithin(deps, call, prepared));
  return { prepare, run };
};

/** Executes a prepared call after its token's limits allowed and counted it. Throws AppError if they do not. */
export const actWithin = (
  deps: Deps,
  { actor, isLimited = false }: Call,
  prepared: PreparedCall,
): Promise<unknown> => {
  prepared.check?.();
  return holdToToken(deps, { actor, counts: true }, prepared).then((isWithinLimit) =>
    prepared.act(isWithinLimit || isLimited),
  );
};

export interface Route {
  readonly method: Method;
  readonly path: string;
}

export function routeOf({ http }: Operation): Route {
  const [method, path] = http.route.split(" ") as [Method, string];
  return { method, path };
}

/** Returns the operation's other route, if it has one. */
export function aliasOf(operation: Operation): Route | undefined {
  const { alias } = operation.http;
  if (alias === undefined) return undefined;
  const { method } = routeOf(operation);
  const [other, path] = (alias.startsWith("/") ? `${method} ${alias}` : alias).split(" ") as [Method, string];
  return { method: other, path };
}

/** Returns the operation's routes, first its own. */
export const routesOf = (operation: Operation): readonly Route[] => {
  const alias = aliasOf(operation);
  return [routeOf(operation), ...(alias ? [alias] : [])];
};
