// Builds the site from docs into dist/site, or into the folder of the first argument, and checks its links: npm run site
// Each page is there as HTML and as Markdown. Pages are built below this folder, because they import from its packages.
import { spawnSync } from "node:child_process";
import { cpSync, existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { contents, root } from "./contents.mjs";

const folder = fileURLToPath(new URL(".", import.meta.url));
const vitepress = join(folder, "node_modules/vitepress/bin/vitepress.js");
const output = resolve(process.argv[2] ?? join(root, "dist/site"));
const pages = mkdtempSync(join(folder, "pages-"));
try {
  const names = writePages();
  rmSync(output, { recursive: true, force: true });
  const { status, stderr } = spawnSync(process.execPath, [vitepress, "build", folder], {
    env: { ...process.env, SITE_PAGES: pages, SITE_OUTPUT: output },
    encoding: "utf8",
  });
  // A page that cannot be rendered does not end the build.
  if (status !== 0 || /\bError\b/.test(stderr)) throw new Error(`the site was not built:\n${stderr}`);
  for (const name of names) cpSync(join(pages, name), join(output, name));
  const dead = deadLinks();
  if (dead.length > 0) throw new Error(`dead links:\n${dead.join("\n")}`);
  process.stdout.write(`${names.length} pages in ${output}, 0 dead links\n`);
} finally {
  rmSync(pages, { recursive: true, force: true });
}

/** Writes the pages without links to files that the site does not have: their texts stay. Returns their names. */
function writePages() {
  cpSync(join(root, "docs"), pages, { recursive: true });
  cpSync(join(pages, "img"), join(pages, "public/img"), { recursive: true });
  const readme = readFileSync(join(root, "README.md"), "utf8");
  rmSync(join(pages, "README.md"));
  writeFileSync(
    join(pages, "index.md"),
    readme.replaceAll("](docs/README.md)", "](contents.md)").replaceAll("docs/", ""),
  );
  writeFileSync(join(pages, "contents.md"), contentsPage());
  const names = readdirSync(pages, { recursive: true }).filter((name) => name.endsWith(".md"));
  for (const name of names) writeFileSync(join(pages, name), withoutDeadLinks(name));
  return names;
}

function withoutDeadLinks(name) {
  const isDead = (target) =>
    !/^(https?:|mailto:|#)/.test(target) && !/\.(md|webp)$/.test(target.replace(/#.*/, ""))
      ? true
      : !/^(https?:|mailto:|#)/.test(target) &&
        !existsSync(join(pages, dirname(name), target.replace(/#.*/, "")));
  const picture = (_, image, alt) => `![${alt}](${image})\n`;
  return readFileSync(join(pages, name), "utf8")
    .replace(/<picture>[\s\S]*?<img alt="([^"]*)" src="([^"]+)">\s*<\/picture>/g, (whole, alt, image) =>
      picture(whole, image, alt),
    )
    .replace(/<!--[\s\S]*?-->\n?/g, "")
    .replace(/!?\[([^\]]*)\]\(([^)\s]+)\)/g, (whole, label, target) => (isDead(target) ? label : whole));
}

function contentsPage() {
  const parts = contents().map(
    ({ text, items }) =>
      `## ${text}\n${items.map((item) => `- [${item.text}](.${item.link}.md)`).join("\n")}\n`,
  );
  return `# Contents\n\nThis page lists all pages in the order in which you need them. Each is also there as Markdown: replace html with md in its address.\n\n${parts.join("\n")}`;
}

/** Returns each link of the built pages to a page, a picture or a heading that is not there. */
function deadLinks() {
  const base = process.env.SITE_BASE ?? "/";
  const html = readdirSync(output, { recursive: true }).filter(
    (name) => name.endsWith(".html") && name !== "404.html",
  );
  const texts = new Map(html.map((name) => [name, readFileSync(join(output, name), "utf8")]));
  return html.flatMap((name) => {
    const text = texts.get(name);
    return [...text.matchAll(/(?:href|src)="([^"]+)"/g)].flatMap(([, link]) => {
      if (/^(https?:|mailto:|data:)/.test(link)) return [];
      const [path = "", heading] = link.split("#");
      const local =
        path === "" ? name : path.startsWith(base) ? path.slice(base.length) : join(dirname(name), path);
      const file = local === "" || local.endsWith("/") ? `${local}index.html` : local;
      if (!existsSync(join(output, file))) return [`${name}: ${link}`];
      const isMissing =
        heading && texts.has(file) && !texts.get(file).includes(`id="${decodeURIComponent(heading)}"`);
      return isMissing ? [`${name}: ${link}`] : [];
    });
  });
}
