/** Maximum size of a response, except of a list of markets. */
export const MAX_RESPONSE_BYTES = 4 * 1024 * 1024;
/**
 * Maximum size of a list of markets. The longest one, mexc's, had 3.6 MiB for 4,400 pairs in November 2026; this is for
 * 20,000, and an isolate with 100 MB can still read it.
 */
export const MAX_MARKET_LIST_BYTES = 16 * 1024 * 1024;

/** Thrown when a response exceeds its maximum size. */
export class TooLong extends Error {
  constructor(maxBytes: number) {
    super(`the response has more than ${maxBytes} bytes`);
    this.name = "TooLong";
  }
}

/**
 * Returns the text of a response, counted after decompression, because a few compressed bytes can expand to
 * gigabytes. Also ends on the signal, because some runtimes do not let a signal end a response.
 */
export async function boundedText(
  { body }: Response,
  signal: AbortSignal,
  maxBytes = MAX_RESPONSE_BYTES,
): Promise<string> {
  const reader = body?.getReader();
  if (!reader) return "";
  const late = new Promise<never>((_, reject) => {
    if (signal.aborted) reject(signal.reason);
    signal.addEventListener("abort", () => reject(signal.reason), { once: true });
  });
  // It can end after nothing waits for it any more.
  late.catch(() => undefined);
  const decoder = new TextDecoder();
  let [text, size] = ["", 0];
  try {
    for (;;) {
      const { done, value } = await Promise.race([reader.read(), late]);
      if (done) return text + decoder.decode();
      size += value.byteLength;
      if (size > maxBytes) throw new TooLong(maxBytes);
      text += decoder.decode(value, { stream: true });
    }
  } catch (error) {
    // Nothing waits for the rest; a connection that cannot be closed properly has ended.
    void reader.cancel().catch(() => undefined);
    throw error;
  }
}
