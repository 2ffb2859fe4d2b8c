/**
 * Paths to values inside others: `outputs.messages[3].content`, and `metadata["a.b"]` for names that are no
 * identifiers.
 */

export type Path = readonly (string | number)[];

const WORD = /^[A-Za-z_$][\w$-]*$/;
const STEP = /\.?([^.[\]"]+)|\[(-?\d{1,9})\]|\[("(?:[^"\\]|\\.)*")\]/uy;

export function pathText(path: Path): string {
  return path
    .map((step, at) => {
      if (typeof step === 'number') return `[${step}]`;
      if (!WORD.test(step)) return `[${JSON.stringify(step)}]`;
      return at === 0 ? step : `.${step}`;
    })
    .join('');
}

/** Undefined for a text that is no path. Numbers between dots may be list indexes too. */
export function readPath(text: string): Path | undefined {
  const path: (string | number)[] = [];
  let at = 0;
  while (at < text.length) {
    STEP.lastIndex = at;
    const [whole, name, place, quoted] = STEP.exec(text) ?? [];
    if (whole === undefined || (name !== undefined && whole.startsWith('.') === (at === 0))) return undefined;
    const step = name ?? (place === undefined ? unquoted(quoted ?? '') : Number(place));
    if (step === undefined) return undefined;
    path.push(step);
    at += whole.length;
  }
  return path.length === 0 ? undefined : path;
}

function unquoted(text: string): string | undefined {
  try {
    return JSON.parse(text) as string;
  } catch {
    return undefined;
  }
}

type PathLookup =
  | { readonly found: true; readonly value: unknown }
  /** How far the path leads, and the value there. */
  | { readonly found: false; readonly until: Path; readonly value: unknown };

/** The value at a path; negative indexes count from the end of a list. */
export function valueAt(whole: unknown, path: Path): PathLookup {
  let value = whole;
  for (const [at, step] of path.entries()) {
    const inner = member(value, step);
    if (inner === undefined) return { found: false, until: path.slice(0, at), value };
    value = inner;
  }
  return { found: true, value };
}

function member(value: unknown, step: string | number): unknown {
  if (typeof value !== 'object' || value === null) return undefined;
  if (!Array.isArray(value)) {
    const name = String(step);
    return Object.hasOwn(value, name) ? (value as Record<string, unknown>)[name] : undefined;
  }
  const place = Number(step);
  return Number.isInteger(place) ? (value.at(place) as unknown) : undefined;
}
