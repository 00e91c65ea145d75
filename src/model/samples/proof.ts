/** A finished day of a pair's minutes, hashed, linked to the day before it, and signed. docs/proof.md specifies it. */
export interface SignedDay {
  /** UTC day, counted from 1970. */
  readonly day: number;
  /** SHA-256 of the previous signed day; zeros without one. */
  readonly previous: string;
  /** SHA-256 of the day's text. */
  readonly hash: string;
  /** Ed25519 signature of the format's name and the hash. */
  readonly signature: string;
  /** The public key that signed it, in lower-case hexadecimal like the other texts. */
  readonly publicKey: string;
}

/** Numbers of the signed rows; none can be added, changed or deleted while the day is signed. */
export interface SignedRows {
  readonly known: number;
  /** Those with the times of own orders, which are the only values that change. */
  readonly timed: number;
  readonly missed: number;
}

/** Signs text with a private key that it does not expose. */
export interface ProofKey {
  readonly publicKey: string;
  sign(text: string): Promise<string>;
}

export const PROOF_FORMAT = "edgemaker-proof-1";
export const NO_PREVIOUS = "0".repeat(64);
