import { Script } from "node:vm";
import { createOperations } from "../../src/operations.ts";
import { SCRIPT_SCOPE } from "../../src/own/script.ts";
import type { StrategyDefinitions } from "../../src/ports/definition.ts";
import { ANY_EXCHANGES, DOCUMENT_FILES } from "../../src/transport/documents.ts";
import { madeDocuments } from "../../src/transport/openapi.ts";
import { bundleStrategy, loadStrategies, strategyFiles } from "./own-strategies.ts";
import { installedBuild } from "./version.ts";

/** Returns the documents that Cloudflare serves for the Worker, by file name. */
export async function workerDocuments(
  definitions: StrategyDefinitions = [],
): Promise<Readonly<Record<string, string>>> {
  const { openApi, tools } = madeDocuments(createOperations(ANY_EXCHANGES, definitions), "edge");
  return { [DOCUMENT_FILES.openApi]: await openApi(), [DOCUMENT_FILES.tools]: JSON.stringify(await tools()) };
}

/**
 * Returns a folder's strategies, and a module with them as scripts, and with the build. Throws an Error with file and
 * line where one is wrong.
 */
export function workerStrategies(folder: string, build = installedBuild()) {
  const { definitions, failures } = loadStrategies(folder);
  if (failures.length > 0) throw new Error(failures.map(({ message }) => message).join("\n"));
  const scripts = strategyFiles(folder).map(scriptText);
  const source = `export const scripts = [${scripts.join(",\n")}];\nexport const build = ${JSON.stringify(build)};\n`;
  return { definitions, source };
}

/** Returns a file as a function; it is checked here, because the platform would show a mistake only when it runs. */
function scriptText(file: string): string {
  const bundle = bundleStrategy(file, COUNTED_SYNTAX);
  const run = `function (${SCRIPT_SCOPE.join(", ")}) {\n${limitLoops(bundle.code, "__step")}\n}`;
  new Script(`(${run})`, { filename: bundle.file });
  return `{ source: ${JSON.stringify(bundle.source)}, run: ${run} }`;
}

/** Prints arrow functions with a body in braces, whose calls can be counted. */
export const COUNTED_SYNTAX = { arrow: false };

/**
 * Counts the loops of a script and the calls of its functions, for platforms that cannot end them: each condition of a
 * `for`, `while` or `do`, and each body of a function, first calls `step`. The script must be printed by esbuild.
 */
export function limitLoops(code: string, step: string): string {
  const inserts: { readonly at: number; readonly text: string }[] = [];
  for (const { word, open } of loopHeads(code)) {
    const close = closingOf(code, open);
    if (word === "function") {
      if (code.startsWith(") {", close)) inserts.push({ at: close + 3, text: ` ${step}();` });
      continue;
    }
    const ends = word === "for" ? semicolonsIn(code, open, close) : [open, close];
    const [first, second] = ends;
    // A `for` without semicolons runs over values that exist.
    if (first === undefined || second === undefined || ends.length !== 2) continue;
    const isEmpty = code.slice(first + 1, second).trim() === "";
    if (word === "while" && isEmpty) continue;
    inserts.push({ at: first + 1, text: isEmpty ? ` ${step}()` : ` ${step}() && (` });
    if (!isEmpty) inserts.push({ at: second, text: ")" });
  }
  let [result, from] = ["", 0];
  for (const { at, text } of inserts.sort((a, b) => a.at - b.at)) {
    result += code.slice(from, at) + text;
    from = at;
  }
  return result + code.slice(from);
}

interface LoopHead {
  readonly word: "for" | "while" | "function";
  /** Position of its parenthesis. */
  readonly open: number;
}

function* loopHeads(code: string): Generator<LoopHead> {
  for (const { at, text } of tokensOf(code)) {
    const isMember = code[at - 1] === ".";
    // A printed head of a statement has a space before its parenthesis, and a call is not followed by a brace.
    if (text === "(" && /[\w$\]"'*]/.test(code[at - 1] ?? "")) yield { word: "function", open: at };
    if (text !== "for" && text !== "while") continue;
    const open = at + text.length + 1;
    if (!isMember && code.slice(open - 1, open + 1) === " (") yield { word: text, open };
  }
}

function closingOf(code: string, open: number): number {
  let depth = 0;
  for (const { at, text } of tokensOf(code, open)) {
    if (text === "(") depth++;
    if (text === ")" && --depth === 0) return at;
  }
  return code.length;
}

/** Returns the positions of semicolons that are not inside another pair of brackets. */
function semicolonsIn(code: string, open: number, close: number): number[] {
  const found: number[] = [];
  let depth = 0;
  for (const { at, text } of tokensOf(code, open)) {
    if (at >= close) break;
    if ("([{".includes(text)) depth++;
    if (")]}".includes(text)) depth--;
    if (text === ";" && depth === 1) found.push(at);
  }
  return found;
}

interface ScriptToken {
  readonly at: number;
  readonly text: string;
}

/** After one of these, a slash divides; after anything else, it begins a regular expression. */
const ENDS_VALUE = /[\w$)\]}]/;
const WORD = /[\w$]+/y;
const BEFORE_REGEX = new Set(["return", "typeof", "case", "in", "of", "void", "delete", "else", "do"]);

/** Returns words and single characters; skips strings, regular expressions and comments. */
function* tokensOf(code: string, from = 0): Generator<ScriptToken> {
  /** Depths of brackets at which a template continues. */
  const templates: number[] = [];
  let depth = 0;
  let last = "";
  let at = from;
  while (at < code.length) {
    const char = code[at] as string;
    const isRegex = !ENDS_VALUE.test(last.at(-1) ?? "") || BEFORE_REGEX.has(last);
    if (/\s/.test(char)) at++;
    else if (code.startsWith("//", at)) at = endOf(code, "\n", at);
    else if (code.startsWith("/*", at)) at = endOf(code, "*/", at) + 1;
    else if (char === '"' || char === "'") [at, last] = [afterString(code, at), ")"];
    else if (char === "/" && isRegex) [at, last] = [afterRegex(code, at), ")"];
    else if (char === "`" || (char === "}" && templates.at(-1) === depth)) {
      if (char === "}") templates.pop();
      const end = afterTemplatePart(code, at + 1);
      at = end.at;
      last = ")";
      if (end.isOpen) {
        templates.push(depth);
        last = "(";
      }
    } else {
      WORD.lastIndex = at;
      const text = WORD.exec(code)?.[0] ?? char;
      if (text === "{") depth++;
      if (text === "}") depth--;
      yield { at, text };
      at += text.length;
      last = text;
    }
  }
}

const endOf = (code: string, end: string, from: number): number => {
  const found = code.indexOf(end, from + 2);
  return found < 0 ? code.length : found + 1;
};

function afterString(code: string, from: number): number {
  let at = from + 1;
  while (at < code.length && code[at] !== code[from]) at += code[at] === "\\" ? 2 : 1;
  return at + 1;
}

function afterRegex(code: string, from: number): number {
  let isClass = false;
  let at = from + 1;
  for (; at < code.length && (isClass || code[at] !== "/"); at++) {
    if (code[at] === "\\") at++;
    else if (code[at] === "[") isClass = true;
    else if (code[at] === "]") isClass = false;
  }
  return at + 1;
}

/** Returns where a template's text ends, and whether an expression follows. */
function afterTemplatePart(code: string, from: number): { readonly at: number; readonly isOpen: boolean } {
  for (let at = from; at < code.length; at++) {
    if (code[at] === "\\") at++;
    else if (code[at] === "`") return { at: at + 1, isOpen: false };
    else if (code.startsWith("${", at)) return { at: at + 2, isOpen: true };
  }
  return { at: code.length, isOpen: false };
}
