import { type Path, pathText } from './value-path-rules.ts';

/** The paths of texts that are cut, those that lack most first: by these paths they can be read. */
export function cutPaths(
  whole: unknown,
  shown: unknown,
  { most, chars }: { readonly most: number; readonly chars: number },
): string[] {
  const cuts: { readonly path: Path; readonly lacking: number }[] = [];
  const look = (one: unknown, other: unknown, path: Path): void => {
    if (cuts.length >= MAX_CUTS || path.length > MAX_DEPTH) return;
    if (typeof one === 'string') {
      const lacking = typeof other === 'string' && one !== other ? one.length - other.length : 0;
      if (typeof other === 'string' && one !== other) cuts.push({ path, lacking });
      return;
    }
    if (typeof other !== 'object' || other === null) {
      if (typeof one === 'object' && one !== null && other !== undefined)
        cuts.push({ path, lacking: Infinity });
      return;
    }
    if (Array.isArray(one) && Array.isArray(other))
      for (const [at, inner] of other.entries()) look(one[at], inner, [...path, at]);
    else if (typeof one === 'object' && one !== null)
      for (const [key, inner] of Object.entries(other))
        look((one as Readonly<Record<string, unknown>>)[key], inner, [...path, key]);
  };
  look(whole, shown, []);
  let room = chars;
  return cuts
    .toSorted((one, other) => other.lacking - one.lacking)
    .slice(0, most)
    .map(({ path }) => pathText(path))
    .filter((path) => {
      room -= path.length + 3;
      return room >= 0;
    });
}

const MAX_CUTS = 5000;
const MAX_DEPTH = 50;
