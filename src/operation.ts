import type * as z from "zod";
import type { Label } from "./kernel/errors.ts";
import { lazy } from "./kernel/lazy.ts";
import { type ExposureRead, holdToToken } from "./limits/operations/exposures.ts";
import type { By } from "./model/events.ts";
import type { Preview } from "./model/proposal.ts";
import type { Deps } from "./ports/deps.ts";
import type { Keys } from "./ports/venue.ts";

export type Method = "GET" | "POST" | "PUT" | "PATCH" | "DELETE";

/** Who calls, and what came with the call beside its input. */
export interface Call {
  /** A token's id, `local` for the command line, or `public`. */
  readonly actor: string;
  readonly keys?: Keys | undefined;
  readonly requestId?: string;
  /** An agent asks, with the token of whoever let it. */
  readonly isAgent?: boolean;
  /** Limits of agents count the call. */
  readonly isLimited?: boolean;
  /** Of a request with an Idempotency-Key: the same for every try, so that what is derived from it is too. */
  readonly requestKey?: string | undefined;
  readonly waiting?: WaitingCaller;
  /** Of a heavy operation: aborts when the client has left. */
  readonly signal?: AbortSignal | undefined;
}

/** Whoever waits for an answer: hears how far it has come, and may say that what there is will do. */
export interface WaitingCaller {
  /** The share that is done. */
  readonly hear: (done: number) => void;
  readonly isEnough: () => boolean;
  /** Of the time for calculations, what is this one's: 1 while it is alone. */
  readonly share?: () => number;
}

/** What the events of a call carry. */
export const byOf = ({ actor, requestId, isAgent }: Call): By => ({
  actor: isAgent ? `agent:${actor}` : actor,
  request: requestId ?? null,
});

export interface CommandSurface {
  /** Words of the command: `grid start`. */
  readonly path: string;
  readonly alias?: string;
  /** Commands below the path, each with the input that its word stands for. */
  readonly words?: Readonly<
    Record<string, { readonly summary: string; readonly input: Readonly<Record<string, unknown>> }>
  >;
  /** Input fields that may also be given without a flag, in order. */
  readonly positional?: readonly string[];
  /** Shorter names of flags; a field's own name in kebab case always works. */
  readonly flags?: Readonly<Record<string, string>>;
  /** Numbers of a field that is an object, each a flag of its own: what it is for, by its name in the field. */
  readonly parts?: Readonly<Record<string, Readonly<Record<string, string>>>>;
  /** Where the command line's default differs from the input's. */
  readonly defaults?: Readonly<Record<string, unknown>>;
  readonly examples?: readonly string[];
  /** Can be shown again and again. */
  readonly watch?: boolean;
  /** Asked again until it is done: an answer tells how far it has come. */
  readonly until?: {
    readonly isDone: (answer: unknown) => boolean;
    readonly progress: (answer: unknown) => string;
  };
  /** An answer as a person reads it, where its own fields would not do. */
  readonly view?: (answer: unknown) => unknown;
  /** Columns of its tables, the most important first: those at the end are left out where there is no room. */
  readonly columns?: readonly string[];
  /** The exit code of an answer that is no failure, and is not what it should be. */
  readonly exit?: (answer: unknown) => number;
  /** What it starts goes on only while a server steps it. */
  readonly steps?: boolean;
}

/** What only agents need to know. */
export interface ToolSurface {
  /** Answers from what this service has stored: no exchange is asked. */
  readonly closedWorld?: boolean;
  /** Where an agent's default differs from the input's. */
  readonly defaults?: Readonly<Record<string, unknown>>;
  /** What the answer comes to, in a sentence of our own words and its numbers. */
  readonly told?: (answer: unknown) => string;
}

/** One use case; HTTP, OpenAPI, the command line and the tools for agents are read off it. */
interface OperationBase {
  /** The name that other programs rely on: MCP tool, OpenAPI operationId. */
  readonly name: string;
  readonly summary: string;
  readonly access: "public" | "token";
  /**
   * `urgent` operations stop something: with the right token, no rate limit and no queue delays them on any surface. `heavy`
   * ones calculate for long: they wait for each other.
   */
  readonly lane?: "urgent" | "heavy";
  /** Public, and tells whoever comes with a token that may read more. */
  readonly knowsCaller?: boolean;
  readonly http: {
    readonly route: `${Method} /${string}`;
    /** Another path that answers the same. */
    readonly alias?: `/${string}`;
    readonly from: "query" | "body";
    /** Takes an Idempotency-Key. */
    readonly idempotent?: boolean;
    /** Takes exchange keys in headers. */
    readonly keys?: boolean;
  };
  readonly cli?: CommandSurface;
  readonly mcp?: ToolSurface;
  readonly input: z.ZodObject;
  readonly output: z.ZodType;
  /** The answer as comma-separated values; every surface for people then takes `format`. */
  readonly csv?: (answer: unknown) => string;
  /** The answer as one page that needs nothing else. */
  readonly html?: (answer: unknown) => string;
  /** Of a table that `limit`, `before` and `next` tell in pages: the most rows of one; without a `limit` all are told. */
  readonly pages?: number;
  /** The label when the world fails. */
  readonly failure: Label;
  /** Runs on input that `input` has parsed. */
  readonly run: (deps: Deps, input: unknown, call: Call) => Promise<unknown>;
}

/** A call that trades, read and checked; nothing is done yet. */
export interface PreparedCall<Answer = unknown> {
  /** Describes what `act` would do. Throws what `act` would throw, as far as that is known before. */
  readonly preview: () => Promise<Preview>;
  /** What it can sell and buy from now on, exits included: the limits of tokens and agents count that. */
  readonly exposure: ExposureRead;
  /** Ids of running strategies that it changes, or how to read them: an agent changes those alone that it has started. */
  readonly strategies: readonly string[] | (() => Promise<readonly string[]>);
  /** Its order counts against the token's limits in the statement that records it. */
  readonly isCountedByOrders?: true;
  /** Throws what `act` is refused for and a preview only describes. */
  readonly check?: () => void;
  /** Does it. Where the caller `isLimited`, nothing that it starts trades beyond its exposure. */
  readonly act: (isLimited: boolean) => Promise<Answer>;
}

interface ReadOperation extends OperationBase {
  /** The scope that a caller needs, and what the call may change. */
  readonly effect: "read" | "admin";
}

/** Its `run` prepares, checks and acts. */
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
 * Checks that `run` or `prepare` fits its schemas, and forgets their types so that all operations fit one list.
 * The schemas are made when they are first read.
 */
export function operation<I extends z.ZodObject, O extends z.ZodType>(
  typed: TypedRead<I, O> | TypedTrade<I, O>,
): Operation {
  const [input, output] = [lazy(typed.input), lazy(typed.output)];
  const made = typed.effect === "trade" ? tradesBy(typed.prepare) : runsBy(typed.run);
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

const runsBy = <I, O>(run: (deps: Deps, input: I, call: Call) => Promise<O>) => ({
  run: (deps: Deps, given: unknown, call: Call) => run(deps, given as I, call),
});

const tradesBy = <I, O>(typed: (deps: Deps, input: I, call: Call) => Promise<PreparedCall<O>>) => {
  const prepare = (deps: Deps, given: unknown, call: Call) => typed(deps, given as I, call);
  const run = (deps: Deps, given: unknown, call: Call) =>
    prepare(deps, given, call).then((prepared) => actWithin(deps, call, prepared));
  return { prepare, run };
};

/** Does what was prepared, after its token's limits have allowed and counted it. Throws AppError where they do not. */
export const actWithin = (
  deps: Deps,
  { actor, isLimited = false }: Call,
  prepared: PreparedCall,
): Promise<unknown> => {
  prepared.check?.();
  return holdToToken(deps, { actor, counts: true }, prepared).then((isHeld) =>
    prepared.act(isHeld || isLimited),
  );
};

export function routeOf({ http }: Operation): { method: Method; path: string } {
  const [method, path] = http.route.split(" ") as [Method, string];
  return { method, path };
}
