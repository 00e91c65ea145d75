import { dryBalance, flag, strategyName } from "../../kernel/start-fields.ts";
import { optionFlags } from "../state/options.ts";

export const common = () => ({
  ...optionFlags(),
  dryRun: flag("dryRun").describe("Paper trading: live prices, simulated fills, no request to your account"),
  dryBalance: dryBalance(),
  name: strategyName(),
});
