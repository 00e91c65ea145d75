/**
 * Loads the actions of all commands together when one runs; for help, commands only need their names. Actions with a
 * large library are separate: setup, mcp and serve.
 */

export { signsOfLife } from "../host/signs-of-life.ts";
export { completion } from "./completion.ts";
export { backUp, confirmNewFolder as askForFolder, migrateDatabase, prune, restore } from "./database.ts";
export { estimateCost, runDoctor } from "./doctor.ts";
export { downloadCandles } from "./download-candles.ts";
export {
  addKeys,
  depositInSandbox,
  exportEvents,
  faultInSandbox,
  listKeys,
  moveKeys,
  publishProof,
  removeKeys,
  resetSandbox,
  rotateKeys,
  shockSandbox,
  showProofKey,
  signEvents,
  testKeys,
  verifyEvents,
  verifyProof,
} from "./exchange.ts";
export { runGuided } from "./guided.ts";
export { showGuide } from "./guides.ts";
export { installMcp } from "./install-mcp.ts";
export { addChannel } from "./notify.ts";
export { withDatabase } from "./open-database.ts";
export { buildStatusPage, newPageLink } from "./page.ts";
export { restingOrders } from "./resting-orders.ts";
export { runOperation } from "./run-operation.ts";
export { importCandles, listCandles, showCandles } from "./stored-candles.ts";
export { checkStrategies, deployWorker, testStrategy, writeStrategy } from "./strategies.ts";
export { runTrade } from "./trade.ts";
export { verifyInstall } from "./verify.ts";
