import type { SourceFile } from './source-file.ts';

/** Object types that three parameters or more write out, instead of a name for them. */
export function recurringShapes(files: readonly Pick<SourceFile, 'parameter_shapes'>[]): string[] {
  const shapes = files.flatMap(({ parameter_shapes }) => parameter_shapes);
  return [...Map.groupBy(shapes, (shape) => shape)]
    .filter(([, uses]) => uses.length > 2)
    .toSorted(([, one], [, other]) => other.length - one.length)
    .map(([shape, uses]) => `${uses.length} { ${shape} }`);
}

const SMALL = 35;
const MANY_EXPORTS = 3;

/** Small files that only one other file of their package imports: perhaps a paragraph of that file. */
export function loneFiles(
  files: readonly Pick<SourceFile, 'path' | 'lines' | 'exports' | 'imports'>[],
): string[] {
  const importers = Map.groupBy(
    files.flatMap(({ path, imports }) => [...new Set(imports)].map((target) => ({ path, target }))),
    ({ target }) => target,
  );
  return files.flatMap(({ path, lines, exports }) => {
    const [first, ...others] = importers.get(path) ?? [];
    const is_lone = first !== undefined && others.length === 0;
    const is_small = lines <= SMALL && exports < MANY_EXPORTS && !path.includes('/migrations/');
    return is_lone && is_small ? [`${path} (${lines}) <- ${first.path}`] : [];
  });
}
