import { readFileSync } from "node:fs";
import { createRequire as requireFrom } from "node:module";
import type Libsql from "libsql";
import { lazy } from "../../../src/kernel/lazy.ts";

const load = (): typeof Libsql => requireFrom(import.meta.url)("libsql");

/** libSQL's database class for files. Its native part is loaded on first use. */
export const libsql: () => typeof Libsql = lazy((): typeof Libsql =>
  saysGlibc() ? withShortReport(load) : load(),
);

/** Returns whether the system's `ldd` reports glibc; libSQL then uses its glibc build. */
function saysGlibc(): boolean {
  try {
    const text = readFileSync("/usr/bin/ldd", "utf8");
    return text.includes("GLIBC") && !text.includes("musl");
  } catch {
    return false;
  }
}

/** Shortens Node's process report, which libSQL reads to detect glibc and which takes most of its loading time. */
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
