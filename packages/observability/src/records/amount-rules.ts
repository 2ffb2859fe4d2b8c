import { addDecimals, negated } from '../values/decimal-rules.ts';
import type { Details } from './run-operation.ts';

/** Sums of costs and details, exactly. The sum of unknown amounts is unknown. */

/** The shortest notation without an exponent, to a trillionth. */
export function decimal(value: number): string {
  const text = String(value);
  return /^-?\d+(?:\.\d{1,12})?$/.test(text) ? text : value.toFixed(12).replace(/\.?0+$/, '');
}

export function addedCosts(a: string | undefined, b: string | undefined): string | undefined {
  if (a === undefined || b === undefined) return a ?? b;
  return addDecimals(a, b);
}

export function addedDetails(a: Details, b: Details): Details;
export function addedDetails(a: Details | undefined, b: Details | undefined): Details | undefined;
export function addedDetails(a: Details | undefined, b: Details | undefined): Details | undefined {
  if (a === undefined || b === undefined) return a ?? b;
  const names = new Set([...Object.keys(a), ...Object.keys(b)]);
  return Object.fromEntries([...names].map((name) => [name, sum(decimalIn(a, name), decimalIn(b, name))]));
}

/** The amount that turns `was` into `is`; undefined where they are equal. */
export function detailsChange(was: Details | undefined, is: Details | undefined): Details | undefined {
  const names = new Set([...Object.keys(was ?? {}), ...Object.keys(is ?? {})]);
  const changes = [...names].map(
    (name) => [name, sum(decimalIn(is, name), negated(decimalIn(was, name)))] as const,
  );
  const isNew = (name: string) => amountIn(was, name) === undefined;
  const kept = changes.filter(([name, change]) => change !== 0 || isNew(name));
  return kept.length === 0 ? undefined : Object.fromEntries(kept);
}

/** The names are a client's: one may be the name of something that every object has. */
const amountIn = (details: Details | undefined, name: string) =>
  details !== undefined && Object.hasOwn(details, name) ? details[name] : undefined;
const decimalIn = (details: Details | undefined, name: string) => decimal(amountIn(details, name) ?? 0);
const sum = (a: string, b: string) => Number(addDecimals(a, b));
