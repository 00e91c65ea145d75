// Stands for how zod tells a schema as JSON Schema: a worker's documents are made when it is built. Called, it is a mistake.
const unreached = () => {
  throw new Error("this part of a library is left out of the bundle");
};
export const toJSONSchema = unreached;
export const aggregateChecks = unreached;
export const createToJSONSchemaMethod = () => unreached;
export const createStandardJSONSchemaMethod = () => unreached;
export const JSONSchemaGenerator = unreached;
export const zodToJsonSchema = unreached;
