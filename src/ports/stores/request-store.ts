export type Remembered =
  | { readonly state: "new" }
  | { readonly state: "running" }
  | { readonly state: "conflict" }
  | { readonly state: "done"; readonly status: number; readonly body: string };

export interface RequestStore {
  /** Claims an Idempotency-Key for one request body; what is older than a day is forgotten, also of what it has started. */
  claimRequest(request: { readonly key: string; readonly bodyHash: string }): Promise<Remembered>;
  finishRequest(key: string, answer: { readonly status: number; readonly body: string }): Promise<void>;
  /** Gives the key back: nothing was done under it. */
  dropRequest(key: string): Promise<void>;
  /** Lets the next request of the key act again, with the same body: what this one did is keyed, and found done. */
  reopenRequest(key: string): Promise<void>;
}
