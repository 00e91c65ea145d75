/** Maximum size of a response; the longest list of markets is half of it. */
export const MAX_RESPONSE_BYTES = 4 * 1024 * 1024;

/** Thrown when a response exceeds its maximum size. */
export class TooLong extends Error {
  constructor() {
    super(`the response has more than ${MAX_RESPONSE_BYTES} bytes`);
    this.name = "TooLong";
  }
}

/**
 * Returns the text of a response, counted after decompression, because a few compressed bytes can expand to
 * gigabytes. Also ends on the signal, because some runtimes do not let a signal end a response.
 */
export async function boundedText({ body }: Response, signal: AbortSignal): Promise<string> {
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
      if (size > MAX_RESPONSE_BYTES) throw new TooLong();
      text += decoder.decode(value, { stream: true });
    }
  } catch (error) {
    // Nothing waits for the rest; a connection that cannot be closed properly has ended.
    void reader.cancel().catch(() => undefined);
    throw error;
  }
}
