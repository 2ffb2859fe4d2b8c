import { type PythonSettings, SERVED_MINORS, SERVED_PYTHON } from '@roadstead/contracts/langgraph-json';
import type { PackageFolder } from './package-manager-rules.ts';
import { hasBuild, mayNameIndexes, packageName, pathFrom, type PythonFolderKind } from './python-folder.ts';
import { type PythonFacts, type PythonRefusal, type PythonSources, sourcesOf } from './python-sources.ts';

/** Plans how the Python of a project is installed. Pure. */

interface PythonCommand {
  readonly command: string;
  /** Relative to the project's root. */
  readonly folder: string;
  readonly title?: string;
}

export interface PythonPlan {
  readonly kind: 'steps';
  /** The Pythons that are wanted, as uv understands them: the first that the machine has, else the last, brought. */
  readonly requests: readonly string[];
  readonly begins: readonly PythonCommand[];
  readonly installs: readonly PythonCommand[];
  readonly ends: readonly PythonCommand[];
  /** Files below HOME. */
  readonly files: Readonly<Record<string, string>>;
  /** Whether uv chooses among indexes like pip. */
  readonly is_like_pip: boolean;
  readonly warnings: readonly string[];
}

export interface PythonPlanOptions {
  readonly install_command: string | null;
  /** Whether the operator names an index: then packages come from there, and not from where a lock was written. */
  readonly has_index: boolean;
}

/** How programs of ours run, which are in HOME. */
const OURS = '"$ROADSTEAD_PYTHON" -I -S ~';
const COLLECT = `${OURS}/collect-packages.py`;

const VENV = 'uv venv --no-project --python "$ROADSTEAD_PYTHON" "$VIRTUAL_ENV"';

/** Whether the project's own command runs pip itself. */
const usesPip = ({ install_command }: PythonPlanOptions) =>
  /\bpip3?\b/.test((install_command ?? '').replaceAll(/\buv pip\b/g, ''));

export function planPython(facts: PythonFacts, options: PythonPlanOptions): PythonPlan | PythonRefusal {
  const { settings } = facts;
  const source = sourcesOf(facts);
  if (source.kind === 'refused') return source;
  const install = installOf(source, { ...options, config_folder: facts.config_folder });
  const record = { paths: pathsOf(facts, source), lock: install.lock };
  return {
    kind: 'steps',
    requests: requestsOf(settings, source),
    begins: [{ command: `${VENV}${usesPip(options) ? ' --seed' : ''}`, folder: '.' }],
    installs: install.commands,
    ends: [{ command: COLLECT, folder: '.', title: 'collecting the packages of Python' }],
    files: {
      ...install.files,
      'python-record.json': JSON.stringify(
        options.install_command === null ? record : { ...record, lock: null },
      ),
    },
    is_like_pip: settings.pip_installer === 'pip',
    warnings: [
      ...source.warnings,
      ...(settings.pip_installer === 'pip' ? ['uv installs in the place of pip'] : []),
    ],
  };
}

interface Install {
  readonly commands: readonly PythonCommand[];
  readonly files: Readonly<Record<string, string>>;
  /** The file that names what is installed: of the project, or one that the build writes. */
  readonly lock: string | null;
}

/** The name of the file that the build writes, beside the packages. */
const WRITTEN_LOCK = 'requirements.txt';

const QUIET = '--no-header --no-annotate';

function installOf(
  { folders, requirements }: PythonSources,
  { config_folder, has_index }: PythonPlanOptions & { readonly config_folder: string },
): Install {
  const locked = folders.flatMap(({ is }) => (is.kind === 'locked' ? [is] : []));
  const exports = distinct(locked).map((one, at) => exportOf(one, { at, has_index }));
  const first = exports.flatMap((one) => one.commands);
  const others = folders.filter(({ is }) => is.kind !== 'locked' && is.kind !== 'bare');
  if (others.length === 0 && requirements.length === 0 && locked.length > 0) {
    const root = locked[0]?.root ?? '.';
    return { commands: first, files: {}, lock: below(root, 'uv.lock') };
  }
  const constraints = exports.map((one) => one.constrain);
  const from = (folder: string) => pathFrom(config_folder, folder);
  const lines = others.flatMap(({ place, is }) =>
    is.kind === 'package' ? [`-e ${dotted(from(place.folder))}`] : [],
  );
  const inputs = others.flatMap(({ place, is }) => {
    if (is.kind === 'declared') return [quoted(below(from(place.folder), 'pyproject.toml'))];
    return is.kind === 'listed' ? [quoted(below(from(place.folder), 'requirements.txt'))] : [];
  });
  const lists = others.filter(({ place, is }) => is.kind === 'listed' && mayNameIndexes(place));
  const listed = lists.map(({ place }) => quoted(below(from(place.folder), 'requirements.txt')));
  const indexes = `${OURS}/index-lines.py ${listed.join(' ')} > ~/indexes.txt`;
  // The image of the original has LangGraph in it, so that a project need not name it.
  const named = [...lines, ...requirements, ...(locked.length > 0 ? [] : ['langgraph'])];
  const constrained = exports.map((_, at) => `-c ~/constraints-${at}.txt `).join('');
  const compile = `uv pip compile ${constrained}${['~/requirements.in', ...inputs].join(' ')} --generate-hashes ${QUIET} -o ~/${WRITTEN_LOCK}`;
  return {
    commands: [
      ...first,
      ...constraints,
      { command: compile, folder: config_folder },
      ...(listed.length === 0
        ? []
        : [{ command: indexes, folder: config_folder, title: 'reading which indexes are named' }]),
      {
        command: `uv pip install --no-deps -r ~/${WRITTEN_LOCK}${listed.length === 0 ? '' : ' -r ~/indexes.txt'}`,
        folder: config_folder,
      },
    ],
    files: { 'requirements.in': `${named.join('\n')}\n` },
    lock: null,
  };
}

type LockedFolder = Extract<PythonFolderKind, { kind: 'locked' }>;

/**
 * Installs what a lock file names: from the addresses in it, or, where the operator has an index of their own, from there
 * by the hashes in it. Packages that the project takes from an index of its own always come from their addresses.
 */
function exportOf(
  { root, name, pinned }: LockedFolder,
  { at, has_index }: { readonly at: number; readonly has_index: boolean },
): { readonly commands: readonly PythonCommand[]; readonly constrain: PythonCommand } {
  const which = name === undefined ? '--all-packages' : `--package ${quoted(name)}`;
  const what = `uv export --frozen --no-dev ${which}`;
  const pylock = { file: `pylock.${at}.toml`, format: '--format pylock.toml' };
  const listed = {
    file: `locked-${at}.txt`,
    format: `${QUIET}${pinned.map((one) => ` --no-emit-package ${quoted(one)}`).join('')}`,
  };
  const steps = ({ file, format }: typeof pylock, more: readonly string[] = []) =>
    [`${what} ${format} -q -o ~/${file}`, ...more, `uv pip install --no-deps -r ~/${file}`].map(
      (command) => ({
        command,
        folder: root,
      }),
    );
  const pick = `${OURS}/pick-packages.py ~/${pylock.file} ${pinned.map(quoted).join(' ')}`;
  const from_own = pinned.length === 0 ? [] : steps(pylock, [pick]);
  return {
    commands: has_index ? [...steps(listed), ...from_own] : steps(pylock),
    constrain: {
      command: `${what} --no-hashes --no-emit-local ${QUIET} -q -o ~/constraints-${at}.txt`,
      folder: root,
    },
  };
}

/** A folder may be named twice, and members of a workspace have one lock. */
const distinct = (locked: readonly LockedFolder[]): LockedFolder[] => [
  ...new Map(locked.map((one) => [`${one.root} ${one.name}`, one])).values(),
];

/** The folders in which modules are found, before the packages: those named, and what is put beside them. */
export function pathsOf(
  { settings, config_folder, chains }: PythonFacts,
  { folders }: PythonSources,
): string[] {
  const around = chains.get(config_folder) ?? [];
  const paths = folders.flatMap(({ place, is }) => {
    const { folder, files } = place;
    if (is.kind === 'declared' || is.kind === 'locked') return sourceFolders(place);
    // A folder that is itself a package is imported by its name.
    const isFlat = is.kind !== 'package' && files.includes('__init__.py');
    return isFlat && folder !== '.' ? [folder, parentOf(folder)] : [folder];
  });
  const own = around[0]?.folder === config_folder ? [config_folder] : [];
  const locked = settings.source && around.find((place) => packageName(place) !== undefined);
  return [...new Set([...own, ...(locked === undefined ? [] : sourceFolders(locked)), ...paths])];
}

/** A folder with a `pyproject.toml`, and its modules in `src`, which nothing else would find where it has no build. */
const sourceFolders = (place: PackageFolder): string[] =>
  !hasBuild(place) && place.files.includes('src')
    ? [place.folder, below(place.folder, 'src')]
    : [place.folder];

/** Where a range is wanted, the minor versions of it in our order: what is newest would change with the machine. */
function requestsOf({ python_version }: PythonSettings, { required }: PythonSources): string[] {
  if (python_version !== undefined) return [python_version];
  const range = [SERVED_PYTHON, ...new Set(required)].join(',');
  return [...SERVED_MINORS.map((minor) => `${range},==${minor}.*`), range];
}

export const below = (folder: string, name: string) => (folder === '.' ? name : `${folder}/${name}`);
const parentOf = (folder: string) => folder.split('/').slice(0, -1).join('/') || '.';
export const dotted = (path: string) => (path.startsWith('.') ? path : `./${path}`);
export const quoted = (text: string) =>
  /^[\w./@:+-]+$/.test(text) ? text : `'${text.replaceAll("'", `'\\''`)}'`;
