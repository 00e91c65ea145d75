import { EDITION_MUTANTS } from "./edition-mutants.ts";
import type { Mutant } from "./mutant.ts";
import { PROTOCOL_MUTANTS } from "./protocol-mutants.ts";
import { QUOTE_MUTANTS } from "./quote-mutants.ts";
import { RULE_MUTANTS } from "./rule-mutants.ts";

export const MUTANTS: readonly Mutant[] = [
  ...PROTOCOL_MUTANTS,
  ...RULE_MUTANTS,
  ...QUOTE_MUTANTS,
  ...EDITION_MUTANTS,
];
