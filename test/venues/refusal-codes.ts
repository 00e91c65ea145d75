/**
 * Refusals of a create in the exchanges' own words. `rejected`: no order was made, by the exchange's document or by
 * what ccxt takes the code for (`exceptions` in its mexc.js, gate.js, bitget.js, kraken.js, 4.5.84).
 * `unknown`: a server's own trouble, an id used twice, or a code that nobody has written down.
 */
import type { VenueName } from "../../src/model/market.ts";

export interface Said {
  readonly code: string;
  readonly text: string;
  readonly result: "rejected" | "unknown";
}

const rejected = (code: string, text: string): Said => ({ code, text, result: "rejected" });
const unknown = (code: string, text: string): Said => ({ code, text, result: "unknown" });

export const REFUSAL_CODES: Record<VenueName, readonly Said[]> = {
  mexc: [
    rejected("30016", "Trading disabled"),
    rejected("30087", "Order price exceeds allowed range"),
    rejected("30000", "Suspended transaction for the symbol"),
    rejected("30001", "Current transaction direction is not allowed to place an order"),
    rejected("30003", "The maximum transaction volume cannot be greater than 1000"),
    rejected("30018", "The account cannot place orders for now, please contact customer service"),
    rejected("30019", "Api market order is disabled"),
    rejected("30020", "No permission for the symbol"),
    rejected("30027", "The currency has reached the maximum position limit, the buying is suspended"),
    rejected("30041", "Current order type can not place order"),
    rejected("700008", "Illegal characters found in parameter"),
    rejected("70011", "Pair user ban trade apikey"),
    rejected("88013", "The minimum transaction volume cannot be less than 5 USDT"),
    rejected("400", "price scale is invalid"),
    rejected("510", "Requests are too frequent, please try again later"),
    unknown("603", "Repeated request"),
    unknown("20002", "Internal system error please contact support"),
    unknown("99999", "A code of tomorrow"),
  ],
  gateio: [
    rejected("INVALID_CURRENCY_PAIR", "Invalid currency pair"),
    rejected("QUANTITY_NOT_ENOUGH", "Quantity is not enough"),
    rejected("AMOUNT_TOO_LITTLE", "Amount too little"),
    rejected("PRICE_TOO_DEVIATED", "Price deviates too much"),
    rejected("TRADE_RESTRICTED", "Trading is restricted"),
    rejected("ACCOUNT_LOCKED", "Account is locked"),
    rejected("MISSING_REQUIRED_PARAM", "Missing required parameter"),
    rejected("TOO_FAST", "Too fast"),
    unknown("REPEATED_CREATION", "Repeated creation"),
    unknown("TOO_BUSY", "Too busy"),
    unknown("LABEL_OF_TOMORROW", "Nobody knows it"),
  ],
  bitget: [
    rejected("43008", "The current order price cannot be less than 100USDT"),
    rejected("43009", "The current commission price exceeds the limit 100000"),
    rejected("43006", "The order quantity is less than the minimum transaction quantity"),
    rejected(
      "40085",
      "You are in Unified Account mode, and the Classic Account API is not supported at this time",
    ),
    rejected("41114", "The current trading pair is under maintenance"),
    rejected("43115", "The current trading pair is opening soon"),
    rejected("40017", "Parameter verification failed"),
    rejected("41103", "param price scale error error"),
    rejected("40013", "User status is abnormal"),
    // Of unified accounts (Bitget.Net, BitgetErrors.cs).
    rejected("25101", "Symbol is not available"),
    rejected("25202", "Insufficient balance"),
    rejected("25205", "Price is not in range"),
    rejected("25244", "Invalid price tick"),
    rejected("25611", "Less than the minimum order quantity"),
    rejected("40761", "The number of open orders exceeds the limit"),
    unknown("40010", "Request timed out"),
    unknown("25000", "System error"),
    unknown("25001", "Operation timeout"),
    unknown("25212", "Duplicate clientOid"),
    unknown("43118", "clientOrderId duplicate"),
    unknown("40604", "Server is busy, please try again later"),
    unknown("49999", "A code of tomorrow"),
  ],
  kraken: [
    rejected("EAccount:Invalid permissions", "BTC trading restricted for DE."),
    rejected("EQuery:Unknown asset pair", ""),
    rejected("EOrder:Positions limit exceeded", ""),
    rejected("EOrder:Trading agreement required", ""),
    rejected("EAuth:Account temporary disabled", ""),
    rejected("ETrade:User Locked", ""),
    rejected("EGeneral:Too many requests", ""),
    unknown("EService:Busy", ""),
    unknown("EService:Deadline elapsed", ""),
    unknown("EOrder:A word of tomorrow", ""),
  ],
};
