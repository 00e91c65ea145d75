import { AppError, StoreError, VenueError } from "../../../kernel/errors.ts";
import { CallFailed, NotSent } from "./refusals.ts";

/** Converts any thrown error to a VenueError. ccxt's errors contain URLs and response bodies, which are dropped here. */
export function venueErrorOf(error: unknown, { name }: { readonly name: string }): VenueError | AppError {
  if (error instanceof VenueError || error instanceof AppError) return error;
  if (error instanceof CallFailed)
    return new VenueError(error.failure.failure, `${name}: ${error.failure.reason}`);
  if (error instanceof NotSent) return new VenueError("unavailable", `${name}: not called: ${error.message}`);
  if (error instanceof StoreError)
    return new VenueError("unavailable", `${name} was not called, because the database cannot be reached`, {
      cause: error,
    });
  return new VenueError("unavailable", `${name} returned an unexpected response`);
}
