/**
 * Loads the actions of all commands together when one runs; for help, commands only need their names. Actions with a
 * large library are separate: setup, mcp and serve.
 */

export { signsOfLife } from "../host/signs-of-life.ts";
export { downloadCandles } from "./candles/download.ts";
export { importCandles, listCandles, showCandles } from "./candles/import.ts";
export { completion } from "./completion.ts";
export { backUp, confirmNewFolder as askForFolder, migrateDatabase, prune, restore } from "./database/db.ts";
export { withDatabase } from "./database/open.ts";
export { estimateCost, runDoctor } from "./doctor.ts";
export {
  addKeys,
  depositInSandbox,
  exportEvents,
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
export { runGuided } from "./guided/guided.ts";
export { installMcp } from "./mcp/install.ts";
export { addChannel } from "./notify.ts";
export { buildStatusPage, newPageLink } from "./page.ts";
export { restingOrders } from "./resting-orders.ts";
export { runOperation } from "./run-operation.ts";
export { checkStrategies, deployWorker, testStrategy, writeStrategy } from "./strategies/new.ts";
export { runTrade } from "./trade.ts";
