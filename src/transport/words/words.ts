/**
 * Descriptions of fields by name; if a name has another meaning in one place, by `parent.name`, where the parent is
 * the containing field or the operation.
 */
export type FieldWords = Readonly<Record<string, string>>;
