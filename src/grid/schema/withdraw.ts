import * as z from "zod";
import { exchangeField } from "../../kernel/fields.ts";
import { lazy } from "../../kernel/lazy.ts";
import { calledBy } from "../../model/strategy.ts";
import { WarningShape } from "./shapes.ts";

export const withdrawInput = (ids: readonly string[]) => z.object({ exchange: exchangeField(ids) });

export const WithdrawShape = lazy(() =>
  z.object({
    exchange: z.string(),
    assets: z.array(
      z.object({
        asset: z.string(),
        total: z.string(),
        inOrders: z.string(),
        kept: z.string().describe("Free balance that strategies need"),
        canWithdraw: z.string().describe("Amount that you can withdraw without leaving an order unfunded"),
        missing: z.string().describe("Amount that strategies already lack"),
      }),
    ),
    needs: z
      .array(
        z.object({
          id: z.string(),
          name: z.string().nullable(),
          symbol: z.string(),
          quote: z.string(),
          base: z.string(),
        }),
      )
      .describe("What each strategy still needs of the free balance"),
    warnings: z.array(WarningShape()),
  }),
);

type Withdraw = z.output<ReturnType<typeof WithdrawShape>>;

/** Formats what can be withdrawn first, then why the rest cannot. */
export function withdrawView(answer: unknown): unknown {
  const { assets, needs, warnings } = answer as Withdraw;
  const notes = warnings.map(({ message }) => message);
  return {
    ...(notes.length > 0 ? { "but note": notes.join("; ") } : {}),
    assets: assets.map(({ asset, canWithdraw, kept, inOrders, total, missing }) => ({
      asset,
      "can go": canWithdraw,
      "needed by strategies": kept,
      "in orders": inOrders,
      total,
      ...(assets.some((one) => one.missing !== "0") ? { missing } : {}),
    })),
    ...(needs.length > 0
      ? { "kept for": needs.map(({ quote, base, ...named }) => ({ strategy: calledBy(named), quote, base })) }
      : {}),
  };
}

export function describeWithdraw(answer: unknown): string {
  const { assets } = answer as Withdraw;
  const lines = assets.map(({ asset, canWithdraw, total }) => `${canWithdraw} of ${total} ${asset}`);
  return `You can withdraw without leaving an order unfunded: ${lines.join(", ") || "nothing"}.`;
}
