/** More than any answer that is used: the longest list of markets is a half of it. */
export const MOST_BYTES = 4 * 1024 * 1024;

/** Thrown when a body goes on past its limit. */
export class TooLong extends Error {
  constructor() {
    super(`the response has more than ${MOST_BYTES} bytes`);
    this.name = "TooLong";
  }
}

/**
 * The text of a body from elsewhere, counted while it is read, as it is after inflation: a few bytes on the wire may be
 * gigabytes. Ends with the signal's reason too, as not every runtime lets a signal end a body.
 */
export async function boundedText({ body }: Response, signal: AbortSignal): Promise<string> {
  const reader = body?.getReader();
  if (!reader) return "";
  const late = new Promise<never>((_, reject) => {
    if (signal.aborted) reject(signal.reason);
    signal.addEventListener("abort", () => reject(signal.reason), { once: true });
  });
  // It may end after nobody waits for it any more.
  late.catch(() => undefined);
  const decoder = new TextDecoder();
  let [text, size] = ["", 0];
  try {
    for (;;) {
      const { done, value } = await Promise.race([reader.read(), late]);
      if (done) return text + decoder.decode();
      size += value.byteLength;
      if (size > MOST_BYTES) throw new TooLong();
      text += decoder.decode(value, { stream: true });
    }
  } catch (error) {
    // Nobody waits for the rest; a connection that cannot be ended in order has ended.
    void reader.cancel().catch(() => undefined);
    throw error;
  }
}
