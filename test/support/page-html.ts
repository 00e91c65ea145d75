/** What a component of the page shows, as text; one that was not drawn in a browser yet. */
type Node = null | undefined | boolean | string | number | readonly Node[] | Element;
interface Element {
  readonly tag: string | ((props: object) => Node);
  readonly props: Readonly<Record<string, Node>>;
}

function textIn(node: Node): string {
  if (node === null || node === undefined || typeof node === "boolean") return "";
  if (typeof node !== "object") return String(node);
  if (!("props" in node)) return node.map(textIn).join("");
  const { tag, props } = node;
  // A confirmation shows what its button was given to say.
  if (typeof tag === "function") return `${textIn(props.says)}${textIn(tag(props))}`;
  return `${BLOCKS.has(tag) ? "\n" : ""}${textIn(props.children)}${tag === "td" || tag === "dt" ? "\t" : ""}`;
}

/** What the modules of the page read of a browser: a wide window of someone who has signed in. */
const BROWSER = {
  matchMedia: () => ({ matches: false }),
  sessionStorage: { getItem: () => "token" },
  location: { hash: "" },
  addEventListener: () => undefined,
  // Its clock does not run.
  setInterval: () => 0,
};

const BLOCKS = new Set(["tr", "dt", "p", "summary", "h1", "h2", "button"]);

/** Returns the text of a component, whose tables have a row per line and a tab between their cells. */
export async function pageText(file: string, component: string, props: object): Promise<string> {
  // The page has its own types, which include a browser's.
  const path = new URL(`../../src/web/${file}`, import.meta.url).href;
  const before = Object.keys(BROWSER).map(
    (name) => [name, Object.getOwnPropertyDescriptor(globalThis, name)] as const,
  );
  Object.assign(globalThis, BROWSER);
  try {
    const module = (await import(path)) as Record<string, (props: object) => Node>;
    const draw = module[component];
    if (!draw) throw new Error(`${file} has no ${component}`);
    return textIn(draw(props)).replaceAll("\u00a0", " ").replaceAll("−", "-");
  } finally {
    for (const [name, own] of before) {
      if (own) Object.defineProperty(globalThis, name, own);
      else Reflect.deleteProperty(globalThis, name);
    }
  }
}
