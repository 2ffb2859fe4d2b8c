/** Where packages are put beside each other, so that each finds what it found where it was installed. Pure. */

/** A package where it was installed, with those that it finds there. */
export interface InstalledPackage {
  /** Its real folder. */
  readonly folder: string;
  /** The real folders of the packages that it may import, by name. */
  readonly finds: Readonly<Record<string, string>>;
}

export interface PlacedPackage {
  /** Where it goes: `node_modules/a`, or `node_modules/a/node_modules/b`. */
  readonly place: string;
  /** The real folder that it comes from. */
  readonly folder: string;
}

/**
 * Places a package and all that it needs, however they were installed: as high as a name is free, else below the one that asks for it.
 * What a package asks for is placed before anything below it is, so nothing is hidden from what was placed before.
 */
export function placePackages(
  root: { readonly name: string; readonly folder: string },
  installed: ReadonlyMap<string, InstalledPackage>,
): PlacedPackage[] {
  const placed = new Map<string, string>([[placeBelow('', root.name), root.folder]]);
  const waiting = [...placed.keys()];
  for (let place = waiting.shift(); place !== undefined; place = waiting.shift()) {
    const own = placed.get(place) ?? '';
    for (const [name, folder] of Object.entries(installed.get(own)?.finds ?? {})) {
      const visible = visibleFrom(place, name, placed);
      if (visible !== undefined && placed.get(visible) === folder) continue;
      const isNested = visible !== undefined || folder.startsWith(`${own}/node_modules/`);
      const free = placeBelow(isNested ? place : '', name);
      placed.set(free, folder);
      waiting.push(free);
    }
  }
  return [...placed].map(([place, folder]) => ({ place, folder }));
}

const placeBelow = (place: string, name: string) => `${place}${place === '' ? '' : '/'}node_modules/${name}`;

// oxlint-disable-next-line roadstead/two-positional -- who looks, for what, among what
function visibleFrom(place: string, name: string, placed: ReadonlyMap<string, string>): string | undefined {
  for (let at = place; ; at = at.slice(0, Math.max(0, at.lastIndexOf('/node_modules/')))) {
    const candidate = placeBelow(at, name);
    if (placed.has(candidate)) return candidate;
    if (at === '') return undefined;
  }
}

/** What is read while programs are written or linked, and by none that runs: Node takes no TypeScript from packages. */
const UNREAD = /\.(?:[cm]?tsx?|map|a|md|markdown)$|^(?:\.github|\.vscode|pkgconfig|pgxs)$/i;
const LICENCE = /licen[cs]e|notice|copying/i;

/** Whether a file or folder of somebody's package is left out of the image. @param name its own name */
export const isLeftOut = (name: string): boolean => UNREAD.test(name) && !LICENCE.test(name);

/** A second copy of the program that the package of a platform has, which nothing starts but a shell. */
export const isSecondProgram = (place: string, path: string): boolean =>
  place.endsWith('node_modules/esbuild') && path === 'bin/esbuild';
