/**
 * Returns the standard normal distribution. Hart (1968) as in West, "Better approximations to cumulative normal
 * functions" (2005): 15 digits.
 */
export function normalCdf(x: number): number {
  const size = Math.abs(x);
  const tail =
    size > 37 ? 0 : Math.exp((-size * size) / 2) * (size < 7.07106781186547 ? ratio(size) : fraction(size));
  return x > 0 ? 1 - tail : tail;
}

const horner = (coefficients: readonly number[], x: number): number =>
  coefficients.reduce((sum, one) => sum * x + one, 0);

const HART_ABOVE = [
  0.0352624965998911, 0.700383064443688, 6.37396220353165, 33.912866078383, 112.079291497871,
  221.213596169931, 220.206867912376,
];
const HART_BELOW = [
  0.0883883476483184, 1.75566716318264, 16.064177579207, 86.7807322029461, 296.564248779674, 637.333633378831,
  793.826512519948, 440.413735824752,
];

const ratio = (x: number): number => horner(HART_ABOVE, x) / horner(HART_BELOW, x);
const fraction = (x: number): number =>
  1 / (x + 1 / (x + 2 / (x + 3 / (x + 4 / (x + 0.65))))) / 2.506628274631;

/**
 * Returns the inverse of the normal distribution for shares between 0 and 1: Acklam's rational approximation with one
 * step of Halley's method, 15 digits.
 */
export function normalInverse(share: number): number {
  if (!(share > 0 && share < 1)) throw new RangeError("a share lies between 0 and 1");
  const guess = acklam(share);
  const error = (normalCdf(guess) - share) * Math.sqrt(2 * Math.PI) * Math.exp((guess * guess) / 2);
  return guess - error / (1 + (guess * error) / 2);
}

const TAIL = 0.02425;
const [A, B, C, D] = [
  [
    -39.69683028665376, 220.9460984245205, -275.9285104469687, 138.357751867269, -30.66479806614716,
    2.506628277459239,
  ],
  [-54.47609879822406, 161.5858368580409, -155.6989798598866, 66.80131188771972, -13.28068155288572, 1],
  [
    -0.007784894002430293, -0.3223964580411365, -2.400758277161838, -2.549732539343734, 4.374664141464968,
    2.938163982698783,
  ],
  [0.007784695709041462, 0.3224671290700398, 2.445134137142996, 3.754408661907416, 1],
] as const;

function acklam(share: number): number {
  if (share > 1 - TAIL) return -acklam(1 - share);
  if (share < TAIL) {
    const q = Math.sqrt(-2 * Math.log(share));
    return horner(C, q) / horner(D, q);
  }
  const q = share - 0.5;
  return (horner(A, q * q) * q) / horner(B, q * q);
}
