import { fieldOf } from "./ccxt.ts";

/**
 * Documented form of a successful response: a list, or an object with at least one of these fields. A dot leads to a
 * field of a field, and `*` to the first field, whose name is the market's.
 */
export type ResponseForm = "list" | readonly string[];

/** Forms by method and path; the first match counts. */
export type ResponseForms = readonly (readonly [request: RegExp, form: ResponseForm])[];

/**
 * Returns whether a successful response has its documented form. ccxt reads any other object as an empty list, and a
 * gateway can send an error text with status 200.
 */
export function hasForm(forms: ResponseForms, request: string, body: object): boolean {
  const form = forms.find(([pattern]) => pattern.test(request))?.[1];
  if (form === undefined) return true;
  if (form === "list") return Array.isArray(body);
  return form.some((path) => (valueAt(body, path) ?? null) !== null);
}

const valueAt = (body: object, path: string): unknown =>
  path
    .split(".")
    .reduce<unknown>(
      (value, name) => (name === "*" ? Object.values(Object(value))[0] : fieldOf(value, name)),
      body,
    );
