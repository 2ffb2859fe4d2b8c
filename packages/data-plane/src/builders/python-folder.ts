import { matchesGlob, relative } from 'node:path';
import { parse } from 'smol-toml';
import { z } from 'zod';
import type { Chain } from './install-place.ts';
import type { PackageFolder } from './package-manager-rules.ts';

/** Decides what the folder of a Python project is. Pure. */

/** The files whose texts decide. */
export const tellingOfPython = ['pyproject.toml', 'requirements.txt'];

const Texts = z.array(z.string());
const Pyproject = z.looseObject({
  project: z
    .looseObject({ name: z.string().optional(), 'requires-python': z.string().optional() })
    .optional(),
  'build-system': z.unknown().optional(),
  tool: z
    .looseObject({
      poetry: z.looseObject({ name: z.string().optional() }).optional(),
      uv: z
        .looseObject({
          package: z.boolean().optional(),
          workspace: z.looseObject({ members: Texts.optional(), exclude: Texts.optional() }).optional(),
        })
        .optional(),
    })
    .optional(),
});

/** What a folder is to an installer. */
export type PythonFolderKind =
  /** It is locked by the `uv.lock` of a folder, in which its name is this one. */
  | { readonly kind: 'locked'; readonly root: string; readonly name: string | undefined }
  /** A package with a build of its own. */
  | { readonly kind: 'package' }
  /** Its `pyproject.toml` names dependencies, and no way to build it. */
  | { readonly kind: 'declared' }
  /** A `requirements.txt` names its dependencies. */
  | { readonly kind: 'listed' }
  /** Files, and nothing to install. */
  | { readonly kind: 'bare' };

/** The kind of the first folder of a chain. */
export function kindOfPython(chain: Chain): PythonFolderKind {
  const [place] = chain;
  if (place === undefined) return { kind: 'bare' };
  const lock = findLock(chain);
  if (lock !== undefined) return lock;
  const { files } = place;
  const { project, tool, ...rest } = pyprojectOf(place);
  if (files.includes('setup.py') || rest['build-system'] !== undefined || tool?.poetry?.name !== undefined)
    return { kind: 'package' };
  if (project !== undefined) return { kind: 'declared' };
  return { kind: files.includes('requirements.txt') ? 'listed' : 'bare' };
}

/** The lock file of the first folder, or of the workspace that it is a member of. */
function findLock(chain: Chain): PythonFolderKind | undefined {
  const [place, ...above] = chain;
  if (place === undefined || !place.files.includes('pyproject.toml')) return undefined;
  const name = packageName(place);
  if (hasLock(place)) return { kind: 'locked', root: place.folder, name };
  const root = above.find((one) => hasLock(one) && isUvMember(one, place.folder));
  return root && { kind: 'locked', root: root.folder, name };
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

/** The versions of Python that a folder takes, as PEP 440 writes it. */
export const requiredPython = (place: PackageFolder): string | undefined => {
  const text = pyprojectOf(place).project?.['requires-python'];
  return text !== undefined && /^[\s\d.,*<>=!~]+$/.test(text) ? text.replaceAll(/\s/g, '') : undefined;
};

/** A folder of the project as another one sees it. */
export const pathFrom = (folder: string, to: string): string => relative(folder, to) || '.';

/** Lines of a `requirements.txt` about indexes, which apply to its installation too. */
export const indexLinesOf = ({ texts }: PackageFolder): string[] =>
  (texts['requirements.txt'] ?? '')
    .split(/\r?\n/)
    .filter((line) =>
      /^\s*(-i|-f|--index-url|--extra-index-url|--find-links|--no-index|--trusted-host)\b/.test(line),
    );

/** Empty for a text that can't be parsed: the installer reports that itself. */
function pyprojectOf({ texts }: PackageFolder): z.output<typeof Pyproject> {
  try {
    return Pyproject.safeParse(parse(texts['pyproject.toml'] ?? '')).data ?? {};
  } catch {
    return {};
  }
}
