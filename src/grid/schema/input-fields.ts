import { dryBalance, flag } from "../../kernel/start-fields.ts";
import { optionFlags } from "../state/options.ts";

export const common = () => ({
  ...optionFlags(),
  dryRun: flag("dryRun").describe("On paper: live prices, simulated fills, nothing asked of your account"),
  dryBalance: dryBalance(),
});
