import { plainText } from "./plain-text.ts";

/** Text that is text in a page too, within a tag's content or a quoted attribute. */
export const escaped = (text: string): string =>
  plainText(text)
    .replaceAll("&", "&amp;")
    .replaceAll("<", "&lt;")
    .replaceAll(">", "&gt;")
    .replaceAll('"', "&quot;");

interface HtmlPage {
  /** Text: the page's name, and its heading. */
  readonly title: string;
  /** Rules beside those that all pages have: its own colours and what only it draws. */
  readonly style: string;
  /** Markup; whoever makes it has escaped what is text. */
  readonly body: string;
}

/** A whole page in one file: it loads nothing, runs nothing, and follows light and dark. */
export const htmlPage = ({ title, style, body }: HtmlPage): string => `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${escaped(title)}</title>
<style>${PAGE_STYLE}${style}</style>
</head>
<body>
<main>
<h1>${escaped(title)}</h1>
${body}
</main>
</body>
</html>
`;

const PAGE_STYLE = `
:root{color-scheme:light dark;--ink:#1c1f23;--soft:#5c646b;--line:#d8dce0;--paper:#fff;--gain:#0b6e4f;--loss:#b02a37}
@media(prefers-color-scheme:dark){:root{--ink:#e8eaed;--soft:#9aa3ab;--line:#353b41;--paper:#16191c;--gain:#4cc38a;--loss:#f2777f}}
*{box-sizing:border-box}body{margin:0;background:var(--paper);color:var(--ink);font:16px/1.5 system-ui,sans-serif}
main{max-width:1120px;margin:0 auto;padding:24px 16px}h1{font-size:1.4rem;margin:0;overflow-wrap:anywhere}p{margin:.25rem 0 1rem;color:var(--soft)}
dl{display:grid;gap:16px;margin:0 0 24px}
dt{color:var(--soft);font-size:.85rem}dd{margin:0;font-variant-numeric:tabular-nums}
.gain{color:var(--gain)}.loss{color:var(--loss)}
.wide{overflow-x:auto}table{border-collapse:collapse;width:100%;font-variant-numeric:tabular-nums}
th,td{padding:6px 10px;border-bottom:1px solid var(--line);text-align:right;white-space:nowrap}
th:first-child,td:first-child{text-align:left}th{color:var(--soft);font-weight:600}
`;
