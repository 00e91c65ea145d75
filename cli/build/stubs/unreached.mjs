// Signatures of exchanges that are not among ours, and a validator in whose place we pass our own: called, they are a mistake.
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
export default unreached;
