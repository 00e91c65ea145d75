import { expect, it, vi } from "vitest";
import { watch } from "../../../cli/actions/run-operation.ts";

const FAILED = { status: 503, body: { error: "Unavailable", message: "the exchange does not respond" } };

it.each([
  [true, `${JSON.stringify(FAILED.body)}\n`],
  [false, "Unavailable: the exchange does not respond\n"],
])("prints a failure as JSON if the responses are JSON: %s", async (asJson, printed) => {
  const output = vi.spyOn(process.stdout, "write").mockReturnValue(true);
  try {
    const watching = watch(FAILED, { ask: async () => FAILED, show: String, asJson });
    process.stdout.emit("error", new Error("the reader has ended"));
    expect(await watching).toBe(0);
    expect(output.mock.calls.map(([text]) => text)).toEqual([printed]);
  } finally {
    output.mockRestore();
  }
});
