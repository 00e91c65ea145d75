import { expect, it, vi } from "vitest";
import { reportOnInterrupt } from "../../../cli/actions/report-on-interrupt.ts";

/** What Ctrl-C during a start prints about its result. */
async function printed(status: number, body: object, values = {}): Promise<string | undefined> {
  const write = vi.spyOn(process.stderr, "write").mockReturnValue(true);
  try {
    let settle = (_answer: { status: number; body: object }) => {};
    const starting = new Promise<{ status: number; body: object }>((resolve) => {
      settle = resolve;
    });
    const reported = reportOnInterrupt(starting, values);
    process.listeners("SIGINT").at(-1)?.("SIGINT");
    settle({ status, body });
    await reported;
    return write.mock.calls.map(([text]) => String(text)).at(-1);
  } finally {
    write.mockRestore();
  }
}

const NOTHING = "Nothing was started.\n";
const UNKNOWN =
  "It is unknown whether the strategy started. `edgemaker status` shows it, and `edgemaker stop <id>` cancels its orders.\n";

it.each([
  [400, "Invalid request", NOTHING],
  [403, "Forbidden", NOTHING],
  [500, "Start failed", NOTHING],
  [500, "Internal error", UNKNOWN],
  [502, undefined, UNKNOWN],
])(
  "Ctrl-C during a start that ends with status %d (%s) reports what started",
  async (status, error, text) => {
    expect(await printed(status, { error })).toBe(text);
  },
);

it("Ctrl-C names the database or the server of the start in the command that stops it", async () => {
  const started = (values: object) => printed(200, { id: "grid-1" }, values);
  const text = (command: string) =>
    `Ctrl-C came too late: the strategy started. \`${command}\` cancels its orders.\n`;
  expect(await started({})).toBe(text("edgemaker stop grid-1"));
  expect(await started({ sandbox: true, db: "file:/a b/c'd.db" })).toBe(
    text("edgemaker stop grid-1 --sandbox --db 'file:/a b/c'\\''d.db'"),
  );
  expect(await started({ "api-url": "https://grids.example", token: "x" })).toBe(
    text("edgemaker stop grid-1 --api-url https://grids.example"),
  );
  expect(await started({ db: "libsql://x.turso.io?authToken=secret" })).toBe(
    text("edgemaker stop grid-1 --db 'libsql://x.turso.io?authToken=…'"),
  );
});
