/** Groups the whole part of a decimal text with commas: `1234.5` is `1,234.5`. */
export const groupThousands = (digits: string): string => {
  const [whole = "", ...rest] = digits.split(".");
  return [whole.replace(/\B(?=(\d{3})+$)/g, ","), ...rest].join(".");
};
