/**
 * Loads the actions of all commands together when one runs; for help, commands only need their names. Actions with a
 * large library are separate: setup, mcp and serve.
 */

export { signsOfLife } from "../host/signs-of-life.ts";
export { exportEvents, signEvents, verifyEvents } from "./audit.ts";
export { downloadCandles } from "./candles/download.ts";
export { importCandles, listCandles, showCandles } from "./candles/import.ts";
export { completion } from "./completion.ts";
export { estimateCost } from "./cost.ts";
export { askForFolder } from "./database/confirm-folder.ts";
export { backUp, restore } from "./database/db.ts";
export { migrateDatabase } from "./database/migrate.ts";
export { withDatabase } from "./database/open.ts";
export { prune } from "./database/prune.ts";
export { runDoctor } from "./doctor.ts";
export { addKeys, listKeys, moveKeys, removeKeys, rotateKeys, testKeys } from "./exchange.ts";
export { runGuided } from "./guided/guided.ts";
export { installMcp } from "./mcp/install.ts";
export { addChannel } from "./notify.ts";
export { newPageLink } from "./page.ts";
export { publishProof, showProofKey, verifyProof } from "./proof.ts";
export { restingOrders } from "./resting-orders.ts";
export { runOperation } from "./run-operation.ts";
export { depositInSandbox, resetSandbox, shockSandbox } from "./sandbox.ts";
export { buildStatusPage } from "./status-page.ts";
export { checkStrategies } from "./strategies/check.ts";
export { deployWorker } from "./strategies/deploy.ts";
export { writeStrategy } from "./strategies/new.ts";
export { testStrategy } from "./strategies/test.ts";
export { runTrade } from "./trade.ts";
