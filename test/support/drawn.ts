/** What properties draw is the same in every run, so that no run fails by chance. FRESH=1 draws anew, each night. */
import fc from "fast-check";

if (!process.env.FRESH) fc.configureGlobal({ ...fc.readConfigureGlobal(), seed: 20_261_123 });
