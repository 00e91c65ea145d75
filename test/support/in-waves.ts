/** Each call, so many at a time: what waits in one line behind hundreds of others waits for longer than a call may. */
export async function inWaves(calls: readonly (() => Promise<unknown>)[], most: number): Promise<void> {
  for (let from = 0; from < calls.length; from += most)
    await Promise.all(calls.slice(from, from + most).map((call) => call()));
}
