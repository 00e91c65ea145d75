export type Remembered =
  | { readonly state: "new" }
  | { readonly state: "running" }
  | { readonly state: "conflict" }
  | { readonly state: "done"; readonly status: number; readonly body: string };

export interface RequestStore {
  /** Claims an Idempotency-Key for one request body. Deletes keys older than a day, and what they started. */
  claimRequest(request: { readonly key: string; readonly bodyHash: string }): Promise<Remembered>;
  finishRequest(key: string, answer: { readonly status: number; readonly body: string }): Promise<void>;
  /** Lets the next request with this key and body run again. The key identifies work that is already done. */
  reopenRequest(key: string): Promise<void>;
}
