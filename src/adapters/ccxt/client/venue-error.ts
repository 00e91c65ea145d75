import { AppError, StoreError, VenueError } from "../../../kernel/errors.ts";
import { CallFailed, NotSent } from "./told.ts";

/** Whatever a call has thrown as a failure of the venue. ccxt's own errors carry urls and bodies: they end here. */
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
