import { expect, it } from "vitest";
import { LIMIT_FORMS } from "../../../src/limits/texts.ts";
import { limitForm, limitTitle, limitValue } from "../../../src/web/controls/limit-text.ts";

it("shows every limit by a name in words, and its value with its unit", () => {
  for (const name of Object.keys(LIMIT_FORMS)) expect(limitTitle(name)).toMatch(/^[A-Z][A-Za-z ,]+$/);
  // A newer server can have a limit that this page does not know.
  expect([limitTitle("newest"), limitForm("newest")]).toEqual(["newest", "a value, or off"]);
  expect(limitValue("priceAgeMillis", "60000")).toBe("1 min");
  expect(limitValue("priceMovePercent", "10")).toBe("10\u00a0%");
  expect(limitValue("mostNotional", "USDT=2500,BTC=0.1")).toBe("2,500 USDT, 0.1 BTC");
  expect(limitValue("orderGapMillis", "500")).toBe("500 ms");
  expect(limitValue("orderGapMillis", "1500")).toBe("1,500 ms");
  expect(limitValue("priceAgeMillis", "off")).toBe("off");
});
