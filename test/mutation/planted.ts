import type { Change } from "./operators.ts";
import { type Node, parses, partsOf } from "./syntax.ts";

/** A text that stands once in a file, and what takes its place. */
export interface Planted {
  readonly name: string;
  readonly from: string;
  readonly to: string;
}

/** Expressions that another one can take the place of. */
const REPLACEABLE = new Set([
  "ArrayExpression",
  "CallExpression",
  "ConditionalExpression",
  "LogicalExpression",
  "ObjectExpression",
  "TaggedTemplateExpression",
]);

/** Finds for each text the smallest expression around it, as it is with the other text. */
export function plantedIn(
  file: string,
  program: Node,
  text: string,
  planted: readonly Planted[],
): ReadonlyMap<Node, readonly Change[]> {
  const found = new Map<Node, Change[]>();
  for (const { name, from, to } of planted) {
    const at = text.indexOf(from);
    if (at < 0 || text.includes(from, at + 1))
      throw new Error(`"${name}": its text stands not once in ${file}`);
    const [start, end] = differing(from, to);
    const changed = { start: at + start, end: at + from.length - end };
    const insert = to.slice(start, to.length - end);
    const textIn = (node: Node) =>
      text.slice(node.start, changed.start) + insert + text.slice(changed.end, node.end);
    const node = around(program, changed)
      .filter(({ type }) => REPLACEABLE.has(type))
      .findLast((one) => parses(file, `(${textIn(one)})`));
    if (!node) throw new Error(`"${name}": no expression of ${file} can hold it`);
    found.set(node, [...(found.get(node) ?? []), { operator: "guard", text: textIn(node), guard: name }]);
  }
  return found;
}

/** Returns how many characters both texts begin and end with. */
function differing(from: string, to: string): readonly [start: number, end: number] {
  const most = Math.min(from.length, to.length);
  let [start, end] = [0, 0];
  while (start < most && from[start] === to[start]) start++;
  while (end < most - start && from.at(-1 - end) === to.at(-1 - end)) end++;
  return [start, end];
}

/** Returns all nodes that hold a place, the smallest last. */
function around(node: Node, place: { readonly start: number; readonly end: number }): Node[] {
  const inner = partsOf(node).find(({ start, end }) => start <= place.start && place.end <= end);
  return [node, ...(inner ? around(inner, place) : [])];
}
