import { expect, it } from "vitest";
import { bodyOf, EMPTY_FORM, formOf, queryOf } from "../../../src/web/start/form.ts";

it("an address carries every number of a tested grid, also those of its trail", () => {
  const form = {
    ...EMPTY_FORM,
    exchange: "kraken",
    symbol: "BTC/USDT",
    lowerPrice: "50000",
    upperPrice: "70000",
    orderSize: "100",
    trailUp: "90000",
    trailDown: "40000",
    stopLossPrice: "39000",
  };
  const { config = {}, ...place } = bodyOf(form) ?? {};
  expect(formOf(new URLSearchParams(queryOf({ ...place, ...config })))).toEqual(form);
});
