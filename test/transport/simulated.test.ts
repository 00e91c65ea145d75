import { expect, it } from "vitest";
import { testApp } from "../support/app.ts";

/** The report as a page and as a table, of exchanges of this kind. */
async function reportOf(isSimulated: boolean) {
  const { ask, tokens } = await testApp({
    connect: (deps) =>
      isSimulated
        ? deps
        : { ...deps, exchanges: deps.exchanges.map((one) => ({ ...one, kind: "live" as const })) },
  });
  const read = (format: string) =>
    ask(`/api/v1/report?format=${format}`, { headers: { authorization: `Bearer ${tokens.read}` } });
  const file = (await read("csv")).headers.get("content-disposition");
  return { html: await (await read("html")).text(), file };
}

it("a report of simulated exchanges says so at its top, in its title and in the name of its file", async () => {
  const { html, file } = await reportOf(true);
  expect(html).toMatch(/<title>SIMULATED · [^<]+<\/title>/);
  expect(html).toMatch(/<main><p [^>]+><b>SIMULATED<\/b> No real money/);
  expect(file).toBe('attachment; filename="simulated-get_report.csv"');
});

it("a report of real exchanges does not", async () => {
  const { html, file } = await reportOf(false);
  expect(html).toMatch(/<title>\w/);
  expect(html).not.toMatch(/simulated/i);
  expect(file).toBe('attachment; filename="get_report.csv"');
});
