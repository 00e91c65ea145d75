import { expect, it } from "vitest";
import { stampOf } from "./coverage.ts";

// A change that one of two tests with the same name does not detect was once never shown to the other one.
it("two tests of one file with the same name are two units", () => {
  const unit = (test: string) => ({ kind: "test", file: "a.test.ts", test, name: "rejects it" }) as const;
  expect(stampOf(unit("1_0_0"), "d")).not.toBe(stampOf(unit("1_1_0"), "d"));
  expect(stampOf(unit("1_0_0"), "d")).toBe(stampOf(unit("1_0_0"), "d"));
});
