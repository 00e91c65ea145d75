import type * as z from "zod";
import { flagField, shareField } from "../../kernel/fields.ts";
import { lazy } from "../../kernel/lazy.ts";

const toggle = (name: string) => flagField("Invalid request", name).optional();
const anyShare = (name: string) => shareField(name).optional();

/**
 * Options of every grid besides its levels: the start reads them, the config stores them under the same names, and
 * the preview shows them. To add an option for both kinds of grid, add a field here and the code that uses it.
 */
export const optionFlags = () => ({
  allowLoss: toggle("allowLoss").describe("false refuses a grid whose cycles lose money after fees"),
  useOwnBase: toggle("useOwnBase").describe("false leaves base alone that you already own"),
  initialBuy: toggle("initialBuy").describe("Buy the base that selling slots need, at once"),
  postOnly: toggle("postOnly").describe("false allows orders that take"),
});

export const optionShares = () => ({
  confidence: anyShare("confidence").describe("Minimum price confidence for placing an order"),
  maxPosition: anyShare("maxPosition").describe("Maximum cost of base, as a share of the capital"),
  safetyReserve: anyShare("safetyReserve").describe("Quote that buys do not use, as a share of the capital"),
});

type OutputOf<Fields extends () => z.ZodRawShape> = z.output<z.ZodObject<ReturnType<Fields>>>;

/** An absent flag has the default of its field; a share is a Decimal from 0 to 1. */
export type GridOptions = Readonly<OutputOf<typeof optionFlags> & OutputOf<typeof optionShares>>;

const OWN = lazy(() => new Set(Object.keys({ ...optionFlags(), ...optionShares() })));

/** Returns only the options of a request. */
export const optionsOf = <Whole extends GridOptions>(whole: Whole): GridOptions =>
  Object.fromEntries(Object.entries(whole).filter(([name]) => OWN().has(name)));

/** Returns the rest of a request. */
export const besideOptions = <Whole extends GridOptions>(whole: Whole): Omit<Whole, keyof GridOptions> =>
  Object.fromEntries(Object.entries(whole).filter(([name]) => !OWN().has(name))) as Omit<
    Whole,
    keyof GridOptions
  >;
