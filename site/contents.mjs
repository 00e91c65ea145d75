// The pages of the site, in the order in which docs/README.md lists them.
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

export const root = fileURLToPath(new URL("..", import.meta.url));

/** Returns the parts of docs/README.md, each with its pages: `{ text, items: [{ text, link }] }`. */
export function contents() {
  const index = readFileSync(join(root, "docs/README.md"), "utf8");
  return index
    .split(/\n## /)
    .slice(1)
    .map((part) => {
      const [title, ...lines] = part.split("\n");
      const links = [...lines.join("\n").matchAll(/\[([^\]]+)\]\(([\w-]+)\.md\)/g)];
      return { text: title.trim(), items: links.map(([, text, page]) => ({ text, link: `/${page}` })) };
    })
    .filter(({ items }) => items.length > 0);
}

/** Names a heading as GitHub does, so that one link works in both. */
export const slugOf = (heading) =>
  heading
    .toLowerCase()
    .replace(/[^\p{L}\p{N}\s_-]/gu, "")
    .trim()
    .replaceAll(" ", "-");
