/** A market's name, `BASE/QUOTE`, upper-case letters and digits. */
export type Pair = `${string}/${string}`;

const PAIR = /^[A-Z0-9]{1,20}\/[A-Z0-9]{1,20}$/;

export const isPair = (text: string): text is Pair => PAIR.test(text);

export function splitPair(pair: Pair): { base: string; quote: string } {
  const [base = "", quote = ""] = pair.split("/");
  return { base, quote };
}
