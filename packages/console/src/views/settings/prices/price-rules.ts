/** Prices are kept per token, and told per million, as those who ask them publish them. */

const MILLION = 1_000_000;
/** Digits that prices have; beyond them are the remains of binary fractions. */
const DIGITS = 10;

/** `0.000002` as `2`. */
export const perMillion = (per_token: number): string =>
  String(Number((per_token * MILLION).toPrecision(DIGITS)));

/** `2` as `0.000002`. */
export const perToken = (per_million: string): number =>
  Number((Number(per_million) / MILLION).toPrecision(DIGITS));
