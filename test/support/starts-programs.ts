/** What tests start programs with, in the text of their imports. */
export const STARTS_PROGRAMS =
  /support\/(browser|command|deployment|edge|edge-live|sqld|terminal|workerds)\.ts"/;
