import type * as z from "zod";
import { flagField, shareField } from "../../kernel/fields.ts";
import { lazy } from "../../kernel/lazy.ts";

const toggle = (name: string) => flagField("Invalid request", name).optional();
const anyShare = (name: string) => shareField(name).optional();

/**
 * What every grid may be asked for beside its levels: read at the start, kept in its config under the same name, and
 * told by its preview. An option of both grids is a field here, and the place where it acts.
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

/** A flag that is absent does what is said at its field; a share is a Decimal of 1. */
export type GridOptions = Readonly<OutputOf<typeof optionFlags> & OutputOf<typeof optionShares>>;

const OWN = lazy(() => new Set(Object.keys({ ...optionFlags(), ...optionShares() })));

/** The options among what was asked for. */
export const optionsOf = <Whole extends GridOptions>(whole: Whole): GridOptions =>
  Object.fromEntries(Object.entries(whole).filter(([name]) => OWN().has(name)));

/** What was asked for beside them. */
export const besideOptions = <Whole extends GridOptions>(whole: Whole): Omit<Whole, keyof GridOptions> =>
  Object.fromEntries(Object.entries(whole).filter(([name]) => !OWN().has(name))) as Omit<
    Whole,
    keyof GridOptions
  >;
