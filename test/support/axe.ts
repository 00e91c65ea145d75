import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import type { Page } from "playwright-core";

const AXE = readFileSync(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8");

interface Found {
  readonly violations: readonly {
    readonly id: string;
    readonly nodes: readonly { readonly html: string; readonly failureSummary: string }[];
  }[];
}

/** What axe-core finds, of any weight. */
export async function violationsOf(page: Page): Promise<readonly string[]> {
  await page.evaluate(AXE);
  const { violations } = await page.evaluate<Found>("axe.run()");
  return violations.flatMap(({ id, nodes }) =>
    nodes.map(({ html, failureSummary }) => `${id}: ${html} ${failureSummary}`),
  );
}

/** A phone, a tablet, a small and a large screen. */
const WIDTHS = [390, 768, 1024, 1440];

/** What axe-core finds on a page at every size, light and dark, and where it is wider than its screen. */
export async function faultsInEveryLook(page: Page): Promise<readonly string[]> {
  const faults: string[] = [];
  const before = page.viewportSize();
  for (const colorScheme of ["light", "dark"] as const)
    for (const width of WIDTHS) {
      await page.emulateMedia({ colorScheme });
      await page.setViewportSize({ width, height: 900 });
      await page.evaluate("new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))");
      const look = `${width} px, ${colorScheme}`;
      const wide = await page.evaluate<number>("document.documentElement.scrollWidth");
      if (wide > width) faults.push(`${look}: ${wide} px wide`);
      faults.push(...(await violationsOf(page)).map((what) => `${look}: ${what}`));
    }
  if (before) await page.setViewportSize(before);
  await page.emulateMedia({ colorScheme: null });
  return faults;
}
