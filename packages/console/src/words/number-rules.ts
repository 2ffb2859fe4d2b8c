/** How numbers are told. */

const compact = new Intl.NumberFormat('en', { notation: 'compact', maximumFractionDigits: 1 });
const plain = new Intl.NumberFormat('en', { maximumFractionDigits: 2 });

/** `12.3K` from 10,000 on; exact below. */
export const count = (value: number): string =>
  Math.abs(value) < 10_000 ? plain.format(value) : compact.format(value);

/** A share from 0 to 1, as per cent. */
export const share = (value: number): string =>
  `${(value * 100).toFixed(value > 0 && value < 0.1 ? 1 : 0)} %`;

/** Dollars; small amounts keep two digits that count. */
export function dollars(value: number): string {
  if (value === 0) return '$0';
  if (value < 0.01) return `$${value.toPrecision(2)}`;
  return `$${value.toFixed(value < 100 ? 2 : 0)}`;
}

const UNITS = ['B', 'kB', 'MB', 'GB', 'TB'];

export function bytes(value: number): string {
  const power = value < 1 ? 0 : Math.min(UNITS.length - 1, Math.floor(Math.log10(value) / 3));
  const scaled = value / 1000 ** power;
  return `${scaled.toFixed(power === 0 || scaled >= 100 ? 0 : 1)} ${UNITS[power] ?? ''}`;
}
