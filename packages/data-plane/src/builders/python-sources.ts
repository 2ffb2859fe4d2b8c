import { folderOf, isPath, normalPath, type PythonSettings } from '@roadstead/contracts/langgraph-json';
import type { Chain } from './install-place.ts';
import type { PackageFolder } from './package-manager-rules.ts';
import {
  foreignRange,
  hasLock,
  kindOfPython,
  packageName,
  pinnedToIndex,
  requiredPython,
  type PythonFolderKind,
} from './python-folder.ts';

/** Decides from which folders and names the packages of a Python project come. Pure. */

export interface PythonFacts {
  readonly settings: PythonSettings;
  /** The path of the configuration, and its folder. */
  readonly config_path: string;
  readonly config_folder: string;
  /** The chains of the folders that the configuration names, and of its own. */
  readonly chains: ReadonlyMap<string, Chain>;
}

export type PythonRefusal = { readonly kind: 'refused'; readonly message: string; readonly hint?: string };

interface KnownFolder {
  readonly place: PackageFolder;
  readonly is: PythonFolderKind;
}

/** The sources that are installed: folders by their kinds, and requirements. */
export interface PythonSources {
  readonly kind: 'sources';
  readonly folders: readonly KnownFolder[];
  readonly requirements: readonly string[];
  /** The versions of Python that they take. */
  readonly required: readonly string[];
  readonly warnings: readonly string[];
}

export const sourcesOf = (facts: PythonFacts): PythonSources | PythonRefusal =>
  facts.settings.source === undefined ? namedSources(facts) : lockedSource(facts);

function namedSources({
  settings,
  config_path,
  config_folder,
  chains,
}: PythonFacts): PythonSources | PythonRefusal {
  const { dependencies = ['.'], python_version } = settings;
  const around = chains.get(config_folder) ?? [];
  const isNamed = (entry: string) => isPath(entry) || isOwnFile(entry, around[0]);
  const named = new Map<string, KnownFolder>();
  const files: string[] = [];
  for (const path of dependencies.filter(isNamed)) {
    const folder = normalPath(config_folder, path);
    const chain = chains.get(folder) ?? around;
    const [place] = chain;
    const isFile = place !== undefined && isFileOf(place, folder);
    if (place === undefined || (place.folder !== folder && !isFile))
      return refused(`${config_path}: dependencies: ${path} is not a folder of the source.`);
    if (isFile) files.push(path);
    named.set(place.folder, { place, is: kindOfPython(chain, python_version) });
  }
  const requirements = dependencies.filter((one) => !isNamed(one));
  const listsNone = requirements.length === 0 && [...named.values()].every(({ is }) => is.kind === 'bare');
  const nearest = listsNone ? nearestWithPackages(around, python_version) : undefined;
  const folders = [...named.values(), ...(nearest === undefined ? [] : [nearest])];
  const required = folders.flatMap(({ place, is }) => {
    const chain = chains.get(place.folder) ?? around;
    const root = is.kind === 'locked' ? chain.find(({ folder }) => folder === is.root) : undefined;
    return [...requiredPython(place), ...requiredPython(root ?? place)];
  });
  const notes = [...files.map(noteOfFile), ...(nearest === undefined ? [] : [noteOf(nearest)])];
  const chainOf = ({ place }: KnownFolder) => chains.get(place.folder) ?? around.slice(around.indexOf(place));
  const locks = folders.flatMap((one) => noteOfLock(foreignRange(chainOf(one), python_version)));
  const warnings = [...notes.map((note) => `dependencies: ${note}`), ...new Set(locks)].map(
    (note) => `${config_path}: ${note}`,
  );
  return { kind: 'sources', folders, requirements, required, warnings };
}

/** Whether an entry without a slash is a file beside the configuration, and so no name of a package. */
const isOwnFile = (entry: string, beside: PackageFolder | undefined) =>
  /\.(toml|txt|py|cfg)$/.test(entry) && beside?.files.includes(entry) === true;

/** Whether a path names a file of the folder: it stands for that. */
const isFileOf = ({ folder, files }: PackageFolder, path: string) =>
  folderOf(path) === folder && files.includes(path.split('/').at(-1) ?? '');

const noteOfLock = (range: string | undefined) =>
  range === undefined
    ? []
    : [`python_version: the uv.lock is for Python ${range}, so packages are chosen without it`];

const noteOfFile = (path: string) => `${path} is a file, so its folder counts`;

/** The folder nearest to the configuration that lists packages: who runs the project there has these. */
function nearestWithPackages(chain: Chain, python_version: string | undefined): KnownFolder | undefined {
  const known = chain.map((place, at) => ({ place, is: kindOfPython(chain.slice(at), python_version) }));
  return known.find(({ is }) => is.kind !== 'bare');
}

function noteOf({ place: { folder } }: KnownFolder): string {
  const from = folder === '.' ? 'the root of the source' : folder;
  return `no folder that it names lists packages, so those of ${from} are installed`;
}

/** The one package that `source` names, with the lock file of its root. */
function lockedSource({
  settings,
  config_path,
  config_folder,
  chains,
}: PythonFacts): PythonSources | PythonRefusal {
  const { source, dependencies = [] } = settings;
  const path = source?.root ?? '.';
  const root = normalPath(config_folder, path);
  const place = chains.get(root)?.[0];
  if (dependencies.length > 0)
    return refused(
      `${config_path}: dependencies: with "source" they are named in pyproject.toml alone.`,
      'Remove them, or "source".',
    );
  if (place?.folder !== root || !hasLock(place))
    return refused(`${config_path}: source.root: ${path} has no uv.lock beside a pyproject.toml.`);
  const around = placesUpTo(chains.get(config_folder) ?? [], root);
  const name = source?.package ?? around.flatMap((one) => packageName(one) ?? [])[0];
  return {
    kind: 'sources',
    folders: [{ place, is: { kind: 'locked', root, name, pinned: around.flatMap(pinnedToIndex) } }],
    requirements: [],
    required: [...around, place].flatMap(requiredPython),
    warnings: [],
  };
}

/** The folders of a chain up to its root; none where it does not lie below that. */
const placesUpTo = (chain: Chain, root: string) =>
  chain.slice(0, chain.findIndex(({ folder }) => folder === root) + 1);

const refused = (message: string, hint?: string): PythonRefusal => ({
  kind: 'refused',
  message,
  ...(hint === undefined ? {} : { hint }),
});
