// Signatures and messages of exchanges that are not among ours, a database's second way of coding, relations between its tables, tools
// that run as tasks, and a validator in whose place we pass our own: called, they are a mistake.
const unreached = () => {
  throw new Error("this part of a library is left out of the bundle");
};
export const abiEncode = unreached;
export const ethSigToPrivate = unreached;
export const getStarkKey = unreached;
export const sign = unreached;
export const Long = unreached;
export const TypedDataEncoder = unreached;
export const AjvJsonSchemaValidator = unreached;
export const secp256k1 = unreached;
export const p256 = unreached;
export const serialize = unreached;
export const PipelineReqBody = unreached;
export const CursorReqBody = unreached;
export const PipelineRespBody = unreached;
export const CursorRespBody = unreached;
export const CursorEntry = unreached;
export const ClientMsg = unreached;
export const ServerMsg = unreached;
export const writeProtobufMessage = unreached;
export const readProtobufMessage = unreached;
export const createTableRelationsHelpers = unreached;
export const extractTablesRelationalConfig = unreached;
export const getOperators = unreached;
export const getOrderByOperators = unreached;
export const mapRelationalRow = unreached;
export const normalizeRelation = unreached;
export const Many = unreached;
export const One = unreached;
export const RelationalQueryBuilder = unreached;
export const SQLiteCountBuilder = unreached;
export const ExperimentalServerTasks = unreached;
export const assertToolsCallTaskCapability = unreached;
export const assertClientRequestTaskCapability = unreached;
export default unreached;
