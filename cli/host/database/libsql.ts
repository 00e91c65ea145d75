import { readFileSync } from "node:fs";
import { createRequire as requireFrom } from "node:module";
import type Libsql from "libsql";
import { lazy } from "../../../src/kernel/lazy.ts";

const load = (): typeof Libsql => requireFrom(import.meta.url)("libsql");

/** libSQL's own class of a database in a file. Its native part is loaded when the first one is opened. */
export const libsql = lazy((): typeof Libsql => (saysGlibc() ? withShortReport(load) : load()));

/** What the system's `ldd` says of its C library. libSQL takes its part for glibc wherever it says so, whatever else it finds. */
function saysGlibc(): boolean {
  try {
    const text = readFileSync("/usr/bin/ldd", "utf8");
    return text.includes("GLIBC") && !text.includes("musl");
  } catch {
    return false;
  }
}

/** libSQL asks Node for a report of the whole process, for one word about glibc: that takes longer than all else of loading it. */
function withShortReport<T>(act: () => T): T {
  const report = process.report as { getReport: () => object } | undefined;
  if (!report) return act();
  const { getReport } = report;
  report.getReport = () => ({ header: { glibcVersionRuntime: "as ldd says" } });
  try {
    return act();
  } finally {
    report.getReport = getReport;
  }
}
