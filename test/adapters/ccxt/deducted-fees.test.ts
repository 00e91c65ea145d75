import { expect, it } from "vitest";
import { decimal } from "../../../src/kernel/decimal.ts";
import { PAYLOADS } from "../../support/fixtures.ts";
import { answering, liveBox } from "../../support/live.ts";

const AT = 1_697_603_539_699;
/** A fill of 0.0002 LTC at 80 USDT. */
const fill = (feeDetail: object) => ({
  userId: "7264631750",
  symbol: "LTCUSDT",
  orderId: "1098394344925597696",
  tradeId: "1098394344974925824",
  orderType: "limit",
  side: "sell",
  priceAvg: "80",
  size: "0.0002",
  amount: "0.016",
  feeDetail,
  tradeScope: "maker",
  cTime: String(AT),
  uTime: String(AT),
});

const bgb = (totalFee: string) => ({
  deduction: "yes",
  feeCoin: "BGB",
  totalDeductionFee: totalFee,
  totalFee,
});
const usdt = (totalFee: string) => ({ deduction: "no", feeCoin: "USDT", totalDeductionFee: "", totalFee });

/** The sign of a fee in BGB differs: its documentation has a minus, real responses had none (ccxt#20507). */
it.each([
  ["BGB", bgb("-0.017118519726"), "0.017118519726"],
  ["BGB", bgb("0.017118519726"), "0.017118519726"],
  ["USDT", usdt("-0.000016"), "0.000016"],
  // A rebate.
  ["USDT", usdt("0.0000016"), "-0.0000016"],
])("reads bitget's fee in %s, %o, as %s", async (asset, feeDetail, amount) => {
  const server = await answering(() => ({
    body: JSON.stringify({ code: "00000", msg: "success", data: [fill(feeDetail)] }),
  }));
  const box = await liveBox({ urls: { bitget: server.url } });
  const { markets } = PAYLOADS.find(({ exchange }) => exchange === "bitget") ?? { markets: {} };
  await box.keep("bitget", Object.values(markets));
  await box.classic("bitget");
  const venue = box.venue("bitget");
  const expected = [{ asset, amount: decimal(amount) }];
  const { fills } = await venue.fills("LTC/USDT", { from: Date.now() - 1000 });
  expect(fills.map(({ fees }) => fees)).toEqual([expected]);
  const ofOrder = await venue.fillsOf("LTC/USDT", ["1098394344925597696"], Date.now() - 1000);
  expect(ofOrder.fills.map(({ fees }) => fees)).toEqual([expected]);
});
