/** How long own orders were on both sides within a minute, from the times at which orders opened and ended. */
import { type Decimal, decimal, max, ONE, text } from "../../kernel/decimal.ts";
import { MINUTE, type Millis } from "../../kernel/time.ts";

/** A part of a minute in which the own spread and the number of own orders were at most and at least this. */
export interface OfferPart {
  readonly spread: Decimal;
  /** Own orders on the side with fewer of them. */
  readonly levels: number;
  readonly millis: Millis;
}

/** A minute of own orders. In the rest of it, a side was empty. */
export interface MinuteOffer {
  readonly parts: readonly OfferPart[];
  /** Time in which it is uncertain whether both sides had orders. */
  readonly uncertain: Millis;
}

export const EMPTY_OFFER: MinuteOffer = { parts: [], uncertain: 0 };

/** Spreads are rounded up to this, so equal offers are stored once. */
const SPREAD_STEP: Decimal = ONE / 1_000_000n;
/** Maximum number of parts that are stored. */
const MOST_PARTS = 6;

/** Adds parts of a minute. Of too many, the two shortest become one with the wider spread and the fewer orders. */
export function joinOffers(a: MinuteOffer, b: MinuteOffer): MinuteOffer {
  const parts: OfferPart[] = [];
  for (const part of [...a.parts, ...b.parts]) {
    const spread = ((part.spread + SPREAD_STEP - 1n) / SPREAD_STEP) * SPREAD_STEP;
    const same = parts.findIndex((one) => one.spread === spread && one.levels === part.levels);
    const millis = part.millis + (parts[same]?.millis ?? 0);
    parts.splice(same < 0 ? parts.length : same, 1, { spread, levels: part.levels, millis });
  }
  parts.sort((x, y) => y.millis - x.millis);
  while (parts.length > MOST_PARTS) {
    const [x, y] = parts.splice(-2) as [OfferPart, OfferPart];
    const levels = Math.min(x.levels, y.levels);
    parts.push({ spread: max(x.spread, y.spread), levels, millis: x.millis + y.millis });
  }
  return { parts, uncertain: a.uncertain + b.uncertain };
}

/** Formats parts as spread:levels:millis, and a last part ?:millis of uncertain time, with semicolons between them. */
export const formatOffer = ({ parts, uncertain }: MinuteOffer): string =>
  [
    ...parts.map(({ spread, levels, millis }) => `${text(spread)}:${levels}:${millis}`),
    ...(uncertain > 0 ? [`?:${uncertain}`] : []),
  ].join(";");

export function parseOffer(stored: string): MinuteOffer {
  const parts: OfferPart[] = [];
  let uncertain = 0;
  for (const part of stored === "" ? [] : stored.split(";")) {
    const [spread = "", levels, millis] = part.split(":");
    if (spread === "?") uncertain = Number(levels);
    else parts.push({ spread: decimal(spread), levels: Number(levels), millis: Number(millis) });
  }
  return { parts, uncertain };
}

/** Returns for how long both sides had orders in a minute; by its sample alone if the times are unknown. */
export const twoSidedMillis = ({
  offer,
  ownSpread,
}: {
  readonly offer: MinuteOffer | null;
  readonly ownSpread: Decimal | null;
}): Millis =>
  offer ? offer.parts.reduce((sum, { millis }) => sum + millis, 0) : ownSpread === null ? 0 : MINUTE;
