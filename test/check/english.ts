/** Retired words in texts that people read, and what to write instead. */
const DICTIONARY: readonly (readonly [retired: RegExp, write: string])[] = [
  [/\b(?:is|are|was|were|be|been|being) told\b/, "gets a message, is reported, is shown"],
  [/\b(?:tells?|told)\b/, "reports, shows, returns"],
  [/\b(?:is|are|was|were) asked(?: for)?\b/, "is requested, is called"],
  [/\banew\b/, "again, rebuilt"],
  [/\bby hand\b/, "manually"],
  [/\bheld against\b/, "checked against, compared with"],
  [/\b(?:what|orders?|that|all of them|none|nothing) rests?(?: on)?\b/, "open orders, stays open"],
  [/\bgo(?:es)? on resting\b/, "stay open"],
  [/\bnobody (?:knows|steps|tells|watches|asks?|asked|was|has|could)\b/, "unknown, no server"],
  [/\ball the same\b/, "anyway"],
  [/\bof its own accord\b|\bby itself alone\b/, "automatically"],
  [/\bon paper\b/, "paper trading"],
  [/\bin place of\b/, "instead of"],
  [/\b(?:un)?realised\b|\bbehaviours?\b|\bcolours?\b|\bneighbour\w*|\blicences?\b/, "American spelling"],
  [/\blaid out\b|\blaid anew\b/, "placed, rebuilt"],
  [/\bis let go\b|\bis taken from\b/, "is released, loses"],
  [/\bgreatest fall\b|\bdeepest fall\b/, "max drawdown"],
  [/\bas much as it may\b|\bmay withdraw\b/, "can"],
  [/\basked again\b/, "retries"],
];

/** List the retired words of a text, each with its replacement. */
export function retiredWords(text: string): readonly string[] {
  return DICTIONARY.flatMap(([retired, write]) => {
    const found = new RegExp(retired, "i").exec(text);
    return found ? [`"${found[0]}": write ${write}`] : [];
  });
}

/** Find the texts with a space in the string literals and the markup of a source file; `…` is an inserted value. */
export function textsOf(source: string): readonly string[] {
  const tokens = /\/\*[\s\S]*?\*\/|\/\/[^\n]*|"(?:[^"\\\n]|\\.)*"|`|[{}]|>(?!\s*[\w.]+\()[^<>{}=;"`\n]{8,}</g;
  const texts: string[] = [];
  const templates: { text: string; depth: number }[] = [];
  let at = 0;
  let isText = false;
  while (at < source.length) {
    const open = templates.at(-1);
    if (isText && open) {
      const [piece = ""] = /^(?:[^`\\$]|\\[\s\S]|\$(?!\{))*/.exec(source.slice(at)) ?? [];
      open.text += piece;
      at += piece.length;
      isText = source[at] !== "`";
      if (isText) {
        open.text += "…";
        open.depth = 0;
        at += 2;
      } else {
        texts.push(open.text);
        templates.pop();
        at += 1;
      }
      isText = false;
      continue;
    }
    tokens.lastIndex = at;
    const found = tokens.exec(source);
    if (!found) break;
    const [token] = found;
    at = found.index + token.length;
    if (token === "`") {
      templates.push({ text: "", depth: 0 });
      isText = true;
    } else if (token.startsWith('"')) texts.push(token.slice(1, -1));
    else if (token.startsWith(">")) {
      texts.push(token.slice(1, -1));
      at -= 1;
    } else if (open && token === "{") open.depth += 1;
    else if (open && token === "}") {
      isText = open.depth === 0;
      open.depth -= 1;
    }
  }
  return texts.map((text) => text.trim()).filter((text) => text.includes(" "));
}
