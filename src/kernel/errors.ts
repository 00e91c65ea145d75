import { type Millis, SECOND } from "./time.ts";

/** Every error label of a response, with its status. The specification fixes some labels exactly. */
const STATUS = {
  "Invalid exchange": 400,
  "Missing symbol": 400,
  "Invalid symbol": 400,
  "Invalid limit": 400,
  "Invalid side": 400,
  "Invalid type": 400,
  "Price required": 400,
  "Invalid amount": 400,
  "Invalid price": 400,
  "Invalid range": 400,
  "Invalid levels": 400,
  "Invalid order size": 400,
  "Invalid spacing": 400,
  "Unsupported token": 400,
  "Invalid JSON": 400,
  "Invalid request": 400,
  Unauthorized: 401,
  "Missing credentials": 401,
  "Invalid credentials": 401,
  Forbidden: 403,
  "Not found": 404,
  "Order not found": 404,
  "Method not allowed": 405,
  Conflict: 409,
  "Would self-cross": 409,
  "Payload too large": 413,
  "Unsupported media type": 415,
  "Too many requests": 429,
  "Exchange error": 500,
  "Order failed": 500,
  "Cancel failed": 500,
  "Start failed": 500,
  "Price fetch failed": 500,
  "Discovery failed": 500,
  "Fetch failed": 500,
  "Order unknown": 500,
  "Internal error": 500,
  "Not ready": 503,
} as const;

export type Label = keyof typeof STATUS;
export const isLabel = (text: string): text is Label => Object.hasOwn(STATUS, text);

/** Names a refusal by the account or by a user's strategy for programs. */
export type RefusalCode = "funds_missing" | "strategy_failed";

/** The specification has no starts of users' strategies, so their refusals have a status of their own. */
export const statusOf = (label: Label, code?: RefusalCode): number =>
  code === "strategy_failed" ? 422 : STATUS[label];

/** Returns every label that a response with this status can have. */
export const labelsOf = (status: number): readonly Label[] =>
  (Object.keys(STATUS) as Label[]).filter((label) => STATUS[label] === status);

export interface Issue {
  readonly path: string;
  readonly message: string;
}

interface Extras extends ErrorOptions {
  readonly issues?: readonly Issue[];
  /** Stable beside the label, for programs. */
  readonly code?: RefusalCode;
  /** Further fields of the body, for example `clientOrderId`. */
  readonly fields?: Readonly<Record<string, unknown>>;
  readonly retryAfterSeconds?: number;
  /** For `Method not allowed`: the methods of the path. */
  readonly allow?: string;
}

/** A failure that the caller can act on. The message is one sentence for a person, without secrets. */
export class AppError extends Error {
  readonly label: Label;
  readonly extras: Extras;

  constructor(label: Label, message: string, extras: Extras = {}) {
    super(message, extras);
    this.name = "AppError";
    this.label = label;
    this.extras = extras;
  }
}

/**
 * Returns the error of a schema's message, which is `Label: sentence`; another message names no field itself. `instead`
 * replaces the sentence.
 */
export function labelledError(error: string, field = "", instead?: string): AppError {
  const [label = "", ...sentence] = error.split(": ");
  const isNamed = isLabel(label);
  const own = isNamed ? sentence.join(": ") : field === "" ? error : `${field}: ${error}`;
  const message = instead ?? own;
  const extras = field === "" ? {} : { issues: [{ path: `config.${field}`, message }] };
  return new AppError(isNamed ? label : "Invalid request", message, extras);
}

export type VenueFailure =
  | "unavailable"
  | "unlisted"
  | "rate_limited"
  /** Our own rate limit is used up, so no request was sent. */
  | "too_many"
  | "missing_credentials"
  | "invalid_credentials"
  | "refused";

/** An exchange did not return the requested data. The message contains no URL, header or response body. */
export class VenueError extends Error {
  readonly failure: VenueFailure;
  /** For `too_many`: seconds until a retry. */
  readonly retryAfterSeconds: number | undefined;

  constructor(failure: VenueFailure, message: string, options: VenueErrorOptions = {}) {
    super(message, options);
    this.name = "VenueError";
    this.failure = failure;
    this.retryAfterSeconds = options.retryAfterSeconds;
  }
}

interface VenueErrorOptions extends ErrorOptions {
  readonly retryAfterSeconds?: number;
}

/** The exchange returned what was requested in a form that cannot be read: it is unknown, and not missing. */
export class UnreadableError extends VenueError {
  constructor(message: string, options: ErrorOptions = {}) {
    super("unavailable", message, options);
    this.name = "UnreadableError";
  }
}

/** Our own rate limit has no call left, so no request was sent. */
export class BudgetSpent extends VenueError {
  /** Milliseconds until a call is available. */
  readonly wait: Millis;

  constructor(message: string, wait: Millis) {
    super("too_many", message, { retryAfterSeconds: Math.ceil(wait / SECOND) });
    this.name = "BudgetSpent";
    this.wait = wait;
  }
}

type StoreFailure = "fenced" | "constraint" | "unavailable";

/** A write to the store failed. `unavailable` leaves open whether it was committed. */
export class StoreError extends Error {
  readonly failure: StoreFailure;

  constructor(failure: StoreFailure, message: string, options?: ErrorOptions) {
    super(message, options);
    this.name = "StoreError";
    this.failure = failure;
  }
}

/** Returns the message of anything thrown, for a log or a status field. */
export const messageOf = (error: unknown): string => (error instanceof Error ? error.message : String(error));

/** Settings that contradict each other or the database. The command fails before it does anything. */
export class SettingsError extends Error {
  /** Whether every client can read the message: it names settings, but never their values. */
  readonly isPublic: boolean;

  constructor(message: string, { isPublic = false, ...options }: ErrorOptions & { isPublic?: boolean } = {}) {
    super(message, options);
    this.name = "SettingsError";
    this.isPublic = isPublic;
  }
}

/** Throws settings that refuse a call as a conflict, and every other error as it is. */
export function conflictOf(error: unknown): never {
  if (!(error instanceof SettingsError)) throw error;
  throw new AppError("Conflict", messageOf(error));
}

/** Error for a start or change whose preview is outdated. */
export const noLongerHolds = (): AppError =>
  new AppError(
    "Conflict",
    "the plan of this planHash is out of date, because the market or the account changed; preview again",
  );
