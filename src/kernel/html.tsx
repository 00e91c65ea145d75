import type { Child, FC, PropsWithChildren } from "hono/jsx";

interface HtmlPage {
  /** Title and heading of the page. */
  readonly title: string;
  /** CSS in addition to the style that all pages share. */
  readonly style: string;
  readonly body: Child;
}

/** Renders a page as a single file without scripts or external resources, in the light or dark theme of the reader. */
export const htmlPage = ({ title, style, body }: HtmlPage): string => `<!doctype html>
${(
  <html lang="en">
    <head>
      <meta charset="utf-8" />
      <meta name="viewport" content="width=device-width, initial-scale=1" />
      <title>{title}</title>
      <style>{PAGE_STYLE + style}</style>
    </head>
    <body>
      <main>
        <h1>{title}</h1>
        {body}
      </main>
    </body>
  </html>
)}
`;

/** Returns a page that says at its top and in its title that its money is simulated. */
export const simulatedPage = (page: string): string =>
  page
    .replace("<title>", "<title>SIMULATED · ")
    .replace(
      "<main>",
      '<main><p style="padding:6px 12px;background:#0b5394;color:#fff;print-color-adjust:exact"><b>SIMULATED</b> No real money: prices and orders are simulated</p>',
    );

/** A named value within a `dl`. */
export const Fact: FC<PropsWithChildren<{ name: string }>> = ({ name, children }) => (
  <div>
    <dt>{name}</dt>
    <dd>{children}</dd>
  </div>
);

interface DataTableProps {
  readonly heads: readonly string[];
  readonly rows: readonly (readonly Child[])[];
  readonly kind?: string;
}

/** A table that scrolls if it is wider than the page. */
export const DataTable: FC<DataTableProps> = ({ heads, rows, kind }) => (
  <div class="wide">
    <table class={kind}>
      <thead>
        <tr>
          {heads.map((head) => (
            <th scope="col">{head}</th>
          ))}
        </tr>
      </thead>
      <tbody>
        {rows.map((cells) => (
          <tr>
            {cells.map((cell) => (
              <td>{cell}</td>
            ))}
          </tr>
        ))}
      </tbody>
    </table>
  </div>
);

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
