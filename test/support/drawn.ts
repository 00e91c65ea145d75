/** What properties draw is the same in every run, so that no run fails by chance; the heavy ones draw anew. */
import fc from "fast-check";

if (!process.env.WHOLE) fc.configureGlobal({ ...fc.readConfigureGlobal(), seed: 20_261_123 });
