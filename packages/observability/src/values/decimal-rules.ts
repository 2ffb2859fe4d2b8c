/** Exact sums of decimal numbers as PostgreSQL writes them. */

interface Decimal {
  readonly digits: bigint;
  readonly scale: number;
}

export function addDecimals(a: string, b: string): string {
  return textOf(add(read(a), read(b)));
}

export function negated(a: string): string {
  const { digits, scale } = read(a);
  return textOf({ digits: -digits, scale });
}

function read(text: string): Decimal {
  const [whole = '0', fraction = ''] = text.split('.');
  return { digits: BigInt(whole + fraction), scale: fraction.length };
}

function add(a: Decimal, b: Decimal): Decimal {
  const scale = Math.max(a.scale, b.scale);
  const widened = (one: Decimal) => one.digits * 10n ** BigInt(scale - one.scale);
  return { digits: widened(a) + widened(b), scale };
}

function textOf({ digits, scale }: Decimal): string {
  const sign = digits < 0n ? '-' : '';
  const text = String(digits < 0n ? -digits : digits).padStart(scale + 1, '0');
  const at = text.length - scale;
  return scale === 0 ? sign + text : `${sign}${text.slice(0, at)}.${text.slice(at)}`;
}
