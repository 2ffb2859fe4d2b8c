/**
 * Selects the texts of an item that are found by meaning: paths as in LangGraph's stores, such as `title`,
 * `chapters[*].text`, `authors[0]`, `*.note`, `{title,author.name}`, and `$` for the whole. Pure.
 */

type Step =
  | { readonly kind: 'name'; readonly name: string }
  | { readonly kind: 'place'; readonly place: number }
  | { readonly kind: 'each' }
  | { readonly kind: 'names'; readonly paths: readonly (readonly string[])[] };

/** The most texts of one item: each is a call of the embedder, and a row. */
const MAX_TEXTS = 100;

/** The texts at a path of a value; nothing where the path leads nowhere. */
export function textsAt(value: unknown, path: string): readonly string[] {
  if (path === '' || path === '$') return [JSON.stringify(value, null, 2)];
  let found: readonly unknown[] = [value];
  for (const step of stepsOf(path)) found = found.flatMap((one) => follow(one, step)).slice(0, MAX_TEXTS);
  return found.flatMap(textOf);
}

function stepsOf(path: string): Step[] {
  return [...path.matchAll(/\[([^\]]*)\]|\{([^}]*)\}|[^.[\]{}]+/g)].map(([all, place, names]): Step => {
    if (names !== undefined)
      return { kind: 'names', paths: names.split(',').map((one) => one.trim().split('.')) };
    if (all === '*' || place === '*') return { kind: 'each' };
    return place === undefined ? { kind: 'name', name: all } : { kind: 'place', place: Number(place) };
  });
}

function follow(value: unknown, step: Step): readonly unknown[] {
  if (typeof value !== 'object' || value === null) return [];
  switch (step.kind) {
    case 'each':
      return Object.values(value);
    case 'place': {
      const found: unknown = Array.isArray(value) ? value.at(step.place) : undefined;
      return found === undefined ? [] : [found];
    }
    case 'name':
      return named(value, step.name);
    case 'names':
      return step.paths.flatMap((path) =>
        path.reduce<readonly unknown[]>((at, name) => at.flatMap((one) => named(one, name)), [value]),
      );
    default:
      return step satisfies never;
  }
}

function named(value: unknown, name: string): readonly unknown[] {
  if (typeof value !== 'object' || value === null || !Object.hasOwn(value, name)) return [];
  return [(value as Readonly<Record<string, unknown>>)[name]];
}

function textOf(found: unknown): readonly string[] {
  if (found === null || found === undefined) return [];
  return [typeof found === 'string' ? found : JSON.stringify(found, null, 2)];
}
