/** Seeds that once broke an invariant, and what each found. They run with every `npm test`. */
export const CASES: readonly (readonly [seed: number, found: string, timing: "real" | undefined])[] = (
  [
    [17, "an order adopted after a restore was of the side that its slot had not turned to yet", "real"],
    [36, "what filled of an order left to the person was booked as the grid's"],
    [141, "an order left to the person was booked again when its trades arrived"],
    [441, "a cancel from outside and a late trade were booked in the wrong order"],
    [570, "a process held up beyond the end of its run"],
    [754, "a restored grid took first base for slots that had traded since"],
    [1015, "a trade was booked twice because its market was read again from before the backup"],
    [1350, "base bought but not booked yet was given to another grid as the person's own"],
    [2997, "an order placed after the backup was found by its trade alone"],
    [3228, "a part fill and its cancel were seen in one pass"],
    [3345, "after a restore a client id was given a second time"],
    [3630, "a sell found after a restore was booked before the buy of its slot"],
    [4024, "orders placed after the backup blocked their slots for ever"],
    [4185, "a cancel from outside made locked base look like free base"],
    [4882, "the same, with the balance read between cancel and look"],
    [5298, "an order given up as lost was open after all"],
    [5610, "a restored grid searched for its ids before its market was seen"],
    [5860, "trades before the cursor were skipped after a restore"],
    [6968, "an amount that is no multiple of the lot was asked of the venue"],
    [7717, "the same as 754 on another market"],
    [9441, "a sell without its buy divided by zero and failed every later pass"],
    [9521, "a stop that keeps orders released some, and a stop that cancels then missed them"],
    [10028, "an order of a grid that the database does not know held up all grids for ever"],
    [10992, "a stop that cancels lost against a pass that had read the one that keeps"],
  ] as const
).map(([seed, found, timing]) => [seed, found, timing] as const);
