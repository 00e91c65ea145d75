import { LOCAL_DATABASE_ARGS } from "../host/settings.ts";
import { textFlag } from "../terminal/arguments.ts";
import { command } from "../terminal/command.ts";

/** Works on the database itself: the key never leaves it. */
export const proofCommand = command({
  name: "proof",
  description: "Sign, publish and verify the samples of a liquidity report",
  subCommands: {
    key: command({
      name: "proof key",
      description: "Show the public key that signs finished days; create the key pair on first use",
      args: LOCAL_DATABASE_ARGS,
      run: async (values) => (await import("../actions/actions.ts")).showProofKey(values),
    }),
    publish: command({
      name: "proof publish",
      description: "Print signed days as JSON Lines, for anyone to verify",
      args: {
        exchange: textFlag("Exchange id", "id"),
        symbol: textFlag("Trading pair, BASE/QUOTE", "pair"),
        from: textFlag("First day, in UTC (default: the first signed)", "date"),
        to: textFlag("Last day, in UTC (default: the last signed)", "date"),
        ...LOCAL_DATABASE_ARGS,
      },
      run: async (values) => (await import("../actions/actions.ts")).publishProof(values),
    }),
    verify: command({
      name: "proof verify",
      description: "Verify a published file; exit code 1 if it was changed after signing",
      args: {
        file: { type: "positional", description: "File of `proof publish` (or --file)", required: false },
        key: textFlag("Public key that must have signed it", "hex"),
        json: LOCAL_DATABASE_ARGS.json,
      },
      run: async (values) => (await import("../actions/actions.ts")).verifyProof(values),
    }),
  },
});
