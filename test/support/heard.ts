/** What servers answer and adapters tell, looked through for secrets on its way to the test. */
import type { Venue } from "../../src/ports/venue.ts";
import { lookAt, looking } from "./canary.ts";

const open = new Set<Promise<void>>();

/** Waits until all answers that have an end are heard. */
export const heardAll = async (): Promise<void> => void (await Promise.all(open));

/** The answer itself; what it says is heard beside. */
export function heard(where: string, response: Response): Response {
  lookAt(where, [...response.headers]);
  if (!response.body) return response;
  const reading = read(looking(where), response.clone().body as ReadableStream<Uint8Array>);
  // A stream of events ends when the client does.
  if (response.headers.get("content-type")?.startsWith("text/event-stream")) return response;
  open.add(reading);
  void reading.finally(() => open.delete(reading));
  return response;
}

async function read(hear: (part: unknown) => void, body: ReadableStream<Uint8Array>): Promise<void> {
  try {
    for await (const part of body) hear(part);
  } catch {
    // Cut off: there is no more to hear.
  }
}

/** The same venue; what its calls fail with, and what becomes of writes, is heard. */
export const heardVenue = (venue: Venue): Venue =>
  new Proxy(venue, {
    get(target, name, receiver) {
      const member = Reflect.get(target, name, receiver);
      if (typeof member !== "function") return member;
      return (...args: unknown[]) => {
        const result = member.apply(target, args);
        if (name === "under") return heardVenue(result);
        if (result instanceof Promise) hear(String(name), result);
        return result;
      };
    },
  });

function hear(name: string, result: Promise<unknown>): void {
  const tell = (output: unknown) => lookAt(`${name} of a venue`, output);
  result.then(name === "create" || name === "cancel" ? tell : undefined, tell);
}

/** In place of a log that nobody reads. */
export const heardLog = (...entry: unknown[]): void => lookAt("the log", entry);
