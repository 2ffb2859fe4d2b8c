import type { Details } from './run-operation.ts';

/** How costs and details add up. Unknown and unknown stays unknown. */

/** Without an exponent, to a trillionth. */
export const decimal = (value: number): string => value.toFixed(12).replace(/\.?0+$/, '');

export function addedCosts(a: string | undefined, b: string | undefined): string | undefined {
  if (a === undefined || b === undefined) return a ?? b;
  return decimal(Number(a) + Number(b));
}

export function addedDetails(a: Details | undefined, b: Details | undefined): Details | undefined {
  if (a === undefined || b === undefined) return a ?? b;
  const names = new Set([...Object.keys(a), ...Object.keys(b)]);
  return Object.fromEntries([...names].map((name) => [name, rounded((a[name] ?? 0) + (b[name] ?? 0))]));
}

/** What must be added to `was` to have `is`; undefined where nothing. */
export function detailsChange(was: Details | undefined, is: Details | undefined): Details | undefined {
  const names = new Set([...Object.keys(was ?? {}), ...Object.keys(is ?? {})]);
  const changes = [...names].map((name) => [name, rounded((is?.[name] ?? 0) - (was?.[name] ?? 0))] as const);
  const isNew = (name: string) => was?.[name] === undefined;
  const kept = changes.filter(([name, change]) => change !== 0 || isNew(name));
  return kept.length === 0 ? undefined : Object.fromEntries(kept);
}

const rounded = (value: number) => Number(value.toFixed(12));
