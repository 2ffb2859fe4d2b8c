import { isPath, normalPath, type PythonSettings } from '@roadstead/contracts/langgraph-json';
import type { Chain } from './install-place.ts';
import type { PackageFolder } from './package-manager-rules.ts';
import {
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

/** What is installed: folders by their kinds, and requirements. */
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
  const { dependencies = ['.'] } = settings;
  const named: KnownFolder[] = [];
  for (const path of new Set(dependencies.filter(isPath))) {
    const folder = normalPath(config_folder, path);
    const chain = chains.get(folder) ?? [];
    const [place] = chain;
    if (place?.folder !== folder)
      return refused(`${config_path}: dependencies: ${path} is not a folder of the source.`);
    named.push({ place, is: kindOfPython(chain) });
  }
  const requirements = dependencies.filter((one) => !isPath(one));
  const listsNone = requirements.length === 0 && named.every(({ is }) => is.kind === 'bare');
  const around = chains.get(config_folder) ?? [];
  const nearest = listsNone ? nearestWithPackages(around) : undefined;
  const folders = nearest === undefined ? named : [...named, nearest];
  const required = folders.flatMap(({ place, is }) => {
    const chain = chains.get(place.folder) ?? around;
    const root = is.kind === 'locked' ? chain.find(({ folder }) => folder === is.root) : undefined;
    return [...requiredPython(place), ...requiredPython(root ?? place)];
  });
  const warnings = nearest === undefined ? [] : [`${config_path}: ${noteOf(nearest)}`];
  return { kind: 'sources', folders, requirements, required, warnings };
}

/** The folder nearest to the configuration that lists packages: who runs the project there has these. */
function nearestWithPackages(chain: Chain): KnownFolder | undefined {
  const known = chain.map((place, at) => ({ place, is: kindOfPython(chain.slice(at)) }));
  return known.find(({ is }) => is.kind !== 'bare');
}

function noteOf({ place: { folder } }: KnownFolder): string {
  const from = folder === '.' ? 'the root of the source' : folder;
  return `dependencies: no folder that it names lists packages, so those of ${from} are installed`;
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
