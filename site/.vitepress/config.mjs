import { defineConfig } from "vitepress";
import { contents, slugOf } from "../contents.mjs";

const parts = contents();
/** GitHub Pages serves a project below its name. */
const base = process.env.SITE_BASE ?? "/";

export default defineConfig({
  title: "edgemaker",
  description: "Run grid and market-making strategies on MEXC, Gate, Bitget and Kraken",
  lang: "en-US",
  base,
  srcDir: process.env.SITE_PAGES,
  outDir: process.env.SITE_OUTPUT,
  cacheDir: `${process.env.SITE_PAGES}/.cache`,
  cleanUrls: false,
  markdown: { html: false, anchor: { slugify: slugOf } },
  transformHead: ({ pageData }) => [
    ["link", { rel: "alternate", type: "text/markdown", href: `${base}${pageData.relativePath}` }],
  ],
  themeConfig: {
    search: { provider: "local" },
    outline: [2, 3],
    nav: [
      { text: "Tutorial", link: "/tutorial" },
      { text: "Grids", link: "/grids" },
      { text: "Reference", link: "/cli" },
    ],
    sidebar: parts.map((part, at) => ({ ...part, collapsed: at > 1 })),
    docFooter: { prev: "Previous", next: "Next" },
  },
});
