import { describe, expect, it } from "vitest";
import { StoreError } from "../../../src/kernel/errors.ts";
import { codeOf, isBusy, needsConnection, storeError } from "../../../src/storage/client/call-queue.ts";

const coded = (code: string, message = "it failed") => Object.assign(new Error(message), { code });
const named = (name: string) => Object.assign(new Error("it failed"), { name });

describe("a failed call to the database", () => {
  it.each([
    [coded("SQLITE_FULL"), "its disk is full"],
    [coded("SQLITE_BUSY"), "another process holds its lock"],
    [coded("SQLITE_LOCKED"), "another process holds its lock"],
    [coded("SQLITE_IOERR"), "its disk cannot be read or written"],
    [coded("SQLITE_READONLY"), "it is read-only"],
    [coded("SQLITE_CANTOPEN"), "its file cannot be opened"],
    [coded("SQLITE_CORRUPT"), "its file is damaged"],
    [coded("HRANA_WEBSOCKET_ERROR"), "its server does not respond"],
    [coded("SERVER_ERROR"), "its server does not respond"],
    [named("TypeError"), "its server does not respond"],
    [named("TimeoutError"), "its server does not respond"],
    [named("AbortError"), "its server does not respond"],
  ])("reports why the database cannot be used: %o", (error, reason) => {
    const reportedError = storeError(error);
    expect(reportedError).toMatchObject({ failure: "unavailable", cause: error });
    expect(reportedError.message).toBe(`the database cannot be used: ${reason}`);
  });

  it.each([
    [coded("SQLITE_ERROR", "no such table: a"), "no such table: a"],
    [coded("ELSE", "SQLITE_FULL in the text alone"), "SQLITE_FULL in the text alone"],
    ["no error at all", "no error at all"],
    [{ name: "TypeError", message: "a value with a name is no error" }, undefined],
  ])("reports the original message where no reason is known: %o", (error, message) => {
    const reportedError = storeError(error);
    expect(reportedError.failure).toBe("unavailable");
    expect(reportedError.message).not.toContain("cannot be used");
    if (message !== undefined) expect(reportedError.message).toBe(message);
  });

  it("is a broken constraint named by its message, and is not masked by a possible reason", () => {
    const error = coded("SQLITE_CONSTRAINT_UNIQUE", "UNIQUE constraint failed: orders.client_id");
    expect(storeError(error)).toMatchObject({ failure: "constraint", message: error.message, cause: error });
  });

  it("is a lost lease, and not a constraint", () => {
    const error = coded("SQLITE_CONSTRAINT_CHECK", "CHECK constraint failed: fence_holds");
    expect(storeError(error)).toMatchObject({
      failure: "fenced",
      message: "another process has the lease now",
    });
  });

  it("is a chain position used by another event, and not a constraint", () => {
    const error = coded("SQLITE_CONSTRAINT_UNIQUE", "UNIQUE constraint failed: events.chain, events.seq");
    const reportedError = storeError(error);
    expect(reportedError).toMatchObject({ failure: "unavailable", cause: error });
    expect(reportedError.message).toMatch(/other writes conflict with this one/);
  });

  it("stays as it is where it is already classified", () => {
    const known = new StoreError("fenced", "known", { cause: coded("SQLITE_BUSY") });
    expect(storeError(known)).toBe(known);
  });
});

describe("an error code", () => {
  it.each([
    [coded("SQLITE_BUSY"), "SQLITE_BUSY"],
    [{ code: 5 }, "5"],
    [new Error("none"), ""],
    [null, ""],
    [undefined, ""],
    ["code", ""],
    [7, ""],
  ])("for %o is %o", (error, code) => {
    expect(codeOf(error)).toBe(code);
  });
});

describe("the aftermath of a failure", () => {
  it.each([
    ["SQLITE_BUSY", true, true],
    ["SQLITE_BUSY_SNAPSHOT", true, true],
    ["SQLITE_LOCKED", true, true],
    ["SQLITE_FULL", false, true],
    ["SQLITE_IOERR", false, true],
    ["SQLITE_READONLY", false, true],
    ["SQLITE_CANTOPEN", false, true],
    ["SQLITE_CORRUPT", false, true],
    ["SQLITE_NOTADB", false, true],
    ["SQLITE_ERROR", false, false],
    ["SQLITE_CONSTRAINT", false, false],
    ["NOT_SQLITE_BUSY", false, false],
  ])("%s: retried %s, connection reopened %s", (code, isTriedAgain, isAnew) => {
    expect([isBusy(coded(code)), needsConnection(coded(code))]).toEqual([isTriedAgain, isAnew]);
  });
});
