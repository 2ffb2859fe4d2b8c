import { matchesGlob, relative } from 'node:path';
import { parse } from 'smol-toml';
import { z } from 'zod';
import type { Chain } from './install-place.ts';
import type { PackageFolder } from './package-manager-rules.ts';
import { takesMinor } from './python-range-rules.ts';

/** Decides what the folder of a Python project is. Pure. */

/** The files whose texts decide. */
export const tellingOfPython = ['pyproject.toml', 'requirements.txt', 'setup.cfg', 'uv.lock'];

const Texts = z.array(z.string());
const Pyproject = z.looseObject({
  project: z
    .looseObject({ name: z.string().optional(), 'requires-python': z.string().optional() })
    .optional(),
  'build-system': z.unknown().optional(),
  tool: z
    .looseObject({
      poetry: z
        .looseObject({
          name: z.string().optional(),
          dependencies: z.looseObject({ python: z.unknown() }).optional(),
        })
        .optional(),
      setuptools: z.unknown().optional(),
      uv: z
        .looseObject({
          package: z.boolean().optional(),
          sources: z.record(z.string(), z.unknown()).optional(),
          workspace: z.looseObject({ members: Texts.optional(), exclude: Texts.optional() }).optional(),
        })
        .optional(),
    })
    .optional(),
});

/** How an installer treats a folder. */
export type PythonFolderKind =
  /** It is locked by the `uv.lock` of a folder, in which its name is this one. */
  | {
      readonly kind: 'locked';
      readonly root: string;
      readonly name: string | undefined;
      /** The packages that come from an index that is named for them. */
      readonly pinned: readonly string[];
    }
  /** A package with a build of its own. */
  | { readonly kind: 'package' }
  /** Its `pyproject.toml` names dependencies, and no way to build it. */
  | { readonly kind: 'declared' }
  /** A `requirements.txt` names its dependencies. */
  | { readonly kind: 'listed' }
  /** Files, and nothing to install. */
  | { readonly kind: 'bare' };

/** The kind of the first folder of a chain, for the version of Python that is asked for. */
export function kindOfPython(chain: Chain, python_version: string | undefined): PythonFolderKind {
  const [place] = chain;
  if (place === undefined) return { kind: 'bare' };
  const lock = findLock(chain);
  if (lock !== undefined && foreignRange(chain, python_version) === undefined) return lock;
  const { files } = place;
  const { project, tool } = pyprojectOf(place);
  const isOfSetuptools = project !== undefined && tool?.setuptools !== undefined;
  if (hasBuild(place) || files.includes('setup.py') || isOfSetuptools || tool?.poetry?.name !== undefined)
    return { kind: 'package' };
  if (project !== undefined) return { kind: 'declared' };
  return { kind: files.includes('requirements.txt') ? 'listed' : 'bare' };
}

/** Whether uv builds a folder and installs it; of one that it does not, nothing but the folder itself is imported. */
export function hasBuild(place: PackageFolder): boolean {
  const { tool, ...rest } = pyprojectOf(place);
  return tool?.uv?.package ?? rest['build-system'] !== undefined;
}

/** The packages that a project takes from an index that it names for them, as an installer writes their names. */
export function pinnedToIndex(place: PackageFolder): string[] {
  const sources = Object.entries(pyprojectOf(place).tool?.uv?.sources ?? {});
  const named = sources.filter(([, source]) => [source].flat().some((one) => Source.safeParse(one).success));
  return named.map(([name]) => name.toLowerCase().replaceAll(/[-_.]+/g, '-'));
}

const Source = z.looseObject({ index: z.string() });

/** The range of a lock file that is for other versions of Python than the one that is asked for. */
export function foreignRange(chain: Chain, python_version: string | undefined): string | undefined {
  const root = findLock(chain)?.root;
  const range = rangeInLock(chain.find(({ folder }) => folder === root));
  const isForeign = python_version !== undefined && range !== undefined && !takesMinor(range, python_version);
  return isForeign ? range : undefined;
}

const rangeInLock = (place: PackageFolder | undefined) =>
  /^requires-python = "([^"]+)"/m.exec(place?.texts['uv.lock'] ?? '')?.[1];

/** The lock file of the first folder, or of the workspace that it is a member of. */
function findLock(chain: Chain): Extract<PythonFolderKind, { kind: 'locked' }> | undefined {
  const [place, ...above] = chain;
  if (place === undefined || !place.files.includes('pyproject.toml')) return undefined;
  const name = packageName(place);
  if (hasLock(place)) return { kind: 'locked', root: place.folder, name, pinned: pinnedToIndex(place) };
  const root = above.find((one) => hasLock(one) && isUvMember(one, place.folder));
  return root && { kind: 'locked', root: root.folder, name, pinned: [place, root].flatMap(pinnedToIndex) };
}

export const hasLock = ({ files }: PackageFolder) =>
  files.includes('uv.lock') && files.includes('pyproject.toml');

function isUvMember(root: PackageFolder, below: string): boolean {
  const { members = [], exclude = [] } = pyprojectOf(root).tool?.uv?.workspace ?? {};
  const path = relative(root.folder, below);
  const matches = (glob: string) => matchesGlob(path, glob.replace(/^\.\//, '').replace(/\/+$/, ''));
  return members.some(matches) && !exclude.some(matches);
}

export const packageName = (place: PackageFolder): string | undefined => pyprojectOf(place).project?.name;

/** The versions of Python that a folder takes, as PEP 440 writes them: each of its files may say some. */
export function requiredPython(place: PackageFolder): string[] {
  const { project, tool } = pyprojectOf(place);
  const poetry = tool?.poetry?.dependencies?.python;
  const said = [
    project?.['requires-python'],
    typeof poetry === 'string' ? rangeOfPoetry(poetry) : undefined,
    rangeInLock(place),
    /^python_requires\s*=\s*(\S.*)$/m.exec(place.texts['setup.cfg'] ?? '')?.[1],
  ];
  return said.flatMap((text) =>
    text !== undefined && /^[\s\d.,*<>=!~]+$/.test(text) ? [text.replaceAll(/\s/g, '')] : [],
  );
}

/** A range in Poetry's own words, as PEP 440 writes it: `^3.11` and `~3.11` and a bare version are its own. */
function rangeOfPoetry(text: string): string {
  const parts = text.split(',').map((one) => one.trim());
  return parts
    .filter((one) => one !== '*')
    .map((one) => {
      const [, sign, version = '', minor] = /^(\^|~)?((?:3\.(\d+)|3)[\d.]*)$/.exec(one) ?? [];
      if (version === '') return one.replace(/^(=|)(?=3[.\d]*\*$)/, '==');
      if (sign === '^' || minor === undefined) return `>=${version},<4`;
      return sign === '~'
        ? `>=${version},<3.${Number(minor) + 1}`
        : `==${version}${isMinor(version) ? '.*' : ''}`;
    })
    .join(',');
}

const isMinor = (version: string) => version.split('.').length === 2;

/** A folder of the project as another one sees it. */
export const pathFrom = (folder: string, to: string): string => relative(folder, to) || '.';

/** Whether a `requirements.txt`, or one that it includes, may name indexes, which apply to its installation too. */
export const mayNameIndexes = ({ texts }: PackageFolder): boolean =>
  /^\s*(-[irf]|--(requirement|index-url|extra-index-url|find-links|no-index|trusted-host)\b)/m.test(
    texts['requirements.txt'] ?? '',
  );

/** Empty for a text that can't be parsed: the installer reports that itself. */
function pyprojectOf({ texts }: PackageFolder): z.output<typeof Pyproject> {
  try {
    return Pyproject.safeParse(parse(texts['pyproject.toml'] ?? '')).data ?? {};
  } catch {
    return {};
  }
}
