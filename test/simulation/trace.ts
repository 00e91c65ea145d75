import { hashText, mixHash } from "../../src/kernel/hash.ts";

/** What happened, as a hash that two runs of one seed share, and as lines where they are asked for. */
export interface Trace {
  add(line: string): void;
  nextCall(): number;
  calls(): number;
  hash(): number;
  readonly lines: readonly string[];
}

export function createTrace(now: () => number, keep: boolean): Trace {
  const lines: string[] = [];
  let hash = 0x811c9dc5;
  let calls = 0;
  return {
    lines,
    hash: () => hash,
    calls: () => calls,
    nextCall: () => calls++,
    add(line) {
      hash = mixHash(mixHash(hash, now()), hashText(line));
      if (keep) lines.push(`${(now() / 1000).toFixed(3).padStart(10)}  ${line}`);
    },
  };
}
