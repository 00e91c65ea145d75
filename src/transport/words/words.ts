/**
 * What a field means wherever it stands, by its name; where it means something else, by `parent.name`, the parent being the
 * field that holds it or the operation.
 */
export type FieldWords = Readonly<Record<string, string>>;
