/** A finished day of a pair's minutes, hashed, linked to the day before it, and signed. docs/proof.md specifies it. */
export interface SignedDay {
  /** In UTC, counted from 1970. */
  readonly day: number;
  /** SHA-256 of the signed day before it; zeros without one. */
  readonly previous: string;
  /** SHA-256 of the day's text. */
  readonly hash: string;
  /** Ed25519, over the format's name and the hash. */
  readonly signature: string;
  /** The public key that signed it. Lower-case hexadecimal, as the other texts. */
  readonly publicKey: string;
}

/** The numbers of rows that were signed: none is added or deleted meanwhile. */
export interface SignedRows {
  readonly known: number;
  readonly missed: number;
}

/** Signs text with a private key that stays where it is. */
export interface ProofKey {
  readonly publicKey: string;
  sign(text: string): Promise<string>;
}

export const PROOF_FORMAT = "edgemaker-proof-1";
export const NO_PREVIOUS = "0".repeat(64);
