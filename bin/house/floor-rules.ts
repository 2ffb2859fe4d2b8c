import type { SourceFile } from './source-file.ts';

export interface FolderImport {
  readonly from: string;
  readonly to: string;
  readonly file: string;
  readonly imported: string;
}

/** Imports from one folder of a package to another one, a line per pair of files; tests aside. */
export function folderImports(files: readonly SourceFile[]): FolderImport[] {
  const byPath = new Map(files.map((file) => [file.path, file]));
  return files.flatMap((file) =>
    [...new Set(file.imports)].flatMap((target) => {
      const imported = byPath.get(target);
      return imported === undefined || imported.package !== file.package || imported.folder === file.folder
        ? []
        : [{ from: file.folder, to: imported.folder, file: file.path, imported: target }];
    }),
  );
}

/** Those that go from a floor to a higher one. */
export function upwardImports(imports: readonly FolderImport[], floors: readonly string[]): FolderImport[] {
  const level = new Map(floors.map((folder, at) => [folder, at]));
  return imports.filter(({ from, to }) => (level.get(from) ?? Infinity) < (level.get(to) ?? Infinity));
}

/**
 * An order of folders, lowest first, with few upward imports: each folder moves to its best place until no move helps. It is
 * what a package that names no floors has at least.
 */
export function deriveFloors(imports: readonly FolderImport[], folders: readonly string[]): string[] {
  const starts = Array.from({ length: 40 }, (_, seed) => shuffled(folders, seed));
  const orders = starts.map((start) => improve(imports, start));
  return orders.reduce((best, order) =>
    upwardImports(imports, order).length < upwardImports(imports, best).length ? order : best,
  );
}

/** Shuffles by a fixed seed, so that the figure is the same each time. */
function shuffled(folders: readonly string[], seed: number): string[] {
  let state = seed + 1;
  const next = () => (state = (state * 1_103_515_245 + 12_345) % 2_147_483_648);
  return [...folders]
    .sort()
    .map((folder) => ({ folder, key: next() }))
    .sort((one, other) => one.key - other.key)
    .map(({ folder }) => folder);
}

function improve(imports: readonly FolderImport[], start: readonly string[]): string[] {
  const weight = new Map<string, number>();
  for (const { from, to } of imports) weight.set(`${from}>${to}`, (weight.get(`${from}>${to}`) ?? 0) + 1);
  const between = (from: string, to: string) => weight.get(`${from}>${to}`) ?? 0;
  let order = [...start];
  for (let has_moved = true; has_moved;) {
    has_moved = false;
    for (const folder of start) {
      const others = order.filter((one) => one !== folder);
      // The first cost is that of the lowest place; each step up changes it by the imports that it passes.
      let cost = 0;
      for (const other of others) cost += between(folder, other);
      const costs = [cost];
      for (const other of others) costs.push((cost += between(other, folder) - between(folder, other)));
      const best = Math.min(...costs);
      const at = order.indexOf(folder);
      if (best === costs[at]) continue;
      order = others.toSpliced(costs.indexOf(best), 0, folder);
      has_moved = true;
    }
  }
  return order;
}

/** Sets of more than one that reach each other (Tarjan), largest first. */
export function circlesOf(edges: ReadonlyMap<string, ReadonlySet<string>>): string[][] {
  const index = new Map<string, number>();
  const low = new Map<string, number>();
  const open: string[] = [];
  const circles: string[][] = [];
  const visit = (node: string): void => {
    index.set(node, index.size);
    low.set(node, index.get(node) ?? 0);
    open.push(node);
    for (const next of edges.get(node) ?? []) {
      if (!index.has(next)) visit(next);
      if (open.includes(next)) low.set(node, Math.min(low.get(node) ?? 0, low.get(next) ?? 0));
    }
    if (low.get(node) !== index.get(node)) return;
    const circle = open.splice(open.indexOf(node));
    if (circle.length > 1) circles.push(circle);
  };
  for (const node of edges.keys()) if (!index.has(node)) visit(node);
  return circles.sort((one, other) => other.length - one.length);
}

export function edgesOf(pairs: Iterable<readonly [string, string]>): Map<string, Set<string>> {
  const edges = new Map<string, Set<string>>();
  for (const [from, to] of pairs) edges.set(from, (edges.get(from) ?? new Set()).add(to));
  return edges;
}
