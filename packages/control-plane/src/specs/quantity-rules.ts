/** Parses quantities of Kubernetes: `500m`, `1.5`, `2Gi`, `1e3`. */

/** Powers of ten, which keep a decimal exact until it is read. */
const decimal: Readonly<Record<string, number>> = {
  n: -9,
  u: -6,
  m: -3,
  k: 3,
  M: 6,
  G: 9,
  T: 12,
  P: 15,
  E: 18,
};
const binary = ['Ki', 'Mi', 'Gi', 'Ti', 'Pi', 'Ei'];

/** Undefined for a text that is no quantity. */
export function quantityOf(text: string): number | undefined {
  const [, number, exponent, suffix = ''] =
    /^\+?(\d{1,30}(?:\.\d{0,30})?|\.\d{1,30})(?:[eE]([+-]?\d{1,2})|([numkMGTPE]|[KMGTPE]i))?$/.exec(text) ??
    [];
  if (number === undefined) return undefined;
  if (binary.includes(suffix)) return Number(number) * 1024 ** (binary.indexOf(suffix) + 1);
  return Number(`${number}e${exponent ?? decimal[suffix] ?? 0}`);
}
