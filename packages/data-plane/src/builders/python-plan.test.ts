import { readLangGraphJson } from '@roadstead/contracts/langgraph-json';
import { expect, test } from 'vitest';
import type { Chain } from './install-place.ts';
import { planPython, type PythonPlan } from './python-plan.ts';
import type { PythonFacts } from './python-sources.ts';

type Folders = Readonly<Record<string, Readonly<Record<string, string>>>>;

const PROJECT = '[project]\nname = "boats"\nrequires-python = ">=3.12"\n';
const BUILD = '[build-system]\nrequires = ["hatchling"]\n';

/** The facts of a project with these folders, each with its files. */
function factsOf(folders: Folders, config: object, config_folder = '.'): PythonFacts {
  const text = JSON.stringify({ graphs: { a: './a.py:graph' }, ...config });
  const config_path = config_folder === '.' ? 'langgraph.json' : `${config_folder}/langgraph.json`;
  const read = readLangGraphJson(text, config_path);
  if (read.kind === 'refused' || read.config.python === null) throw new Error('This is no Python project.');
  const chains = new Map(Object.keys(folders).map((folder) => [folder, chainOf(folders, folder)]));
  return { settings: read.config.python, config_path, config_folder, chains };
}

function chainOf(folders: Folders, folder: string): Chain {
  const texts = folders[folder];
  const place = texts === undefined ? [] : [{ folder, files: Object.keys(texts), texts }];
  return folder === '.'
    ? place
    : [...place, ...chainOf(folders, folder.split('/').slice(0, -1).join('/') || '.')];
}

function plan(facts: PythonFacts, options: Partial<Parameters<typeof planPython>[1]> = {}): PythonPlan {
  const planned = planPython(facts, { install_command: null, has_index: false, ...options });
  if (planned.kind === 'refused') throw new Error(planned.message);
  return planned;
}

const installs = (planned: PythonPlan) =>
  planned.installs.map(({ folder, command }) => `${folder}: ${command}`);
const recordOf = ({ files }: PythonPlan) => JSON.parse(files['python-record.json'] ?? '') as unknown;
const FLAGS = '--generate-hashes --no-header --no-annotate -o ~/requirements.txt';
const INSTALL = 'uv pip install --no-deps -r ~/requirements.txt';

test.each<[string, Folders, object, string, string, readonly string[]]>([
  ['a package', { '.': { 'pyproject.toml': PROJECT + BUILD } }, {}, '', '-e .\nlanggraph\n', ['.']],
  [
    'of setuptools',
    { '.': { 'pyproject.toml': `${PROJECT}[tool.setuptools]\n` } },
    {},
    '',
    '-e .\nlanggraph\n',
    ['.'],
  ],
  ['a setup.py', { '.': { 'setup.py': '' } }, {}, '', '-e .\nlanggraph\n', ['.']],
  [
    'one of poetry',
    { '.': { 'pyproject.toml': '[tool.poetry]\nname = "boats"\n' } },
    {},
    '',
    '-e .\nlanggraph\n',
    ['.'],
  ],
  [
    'without a build',
    { '.': { 'pyproject.toml': PROJECT, src: '' } },
    {},
    ' pyproject.toml',
    'langgraph\n',
    ['.', 'src'],
  ],
  ['settings of tools only', { '.': { 'pyproject.toml': '[tool.ruff]\n' } }, {}, '', 'langgraph\n', ['.']],
  [
    'a list',
    { '.': {}, app: { 'requirements.txt': 'tides\n' } },
    { dependencies: ['./app', 'moorings>=2; python_version > "3.10"'] },
    ' app/requirements.txt',
    'moorings>=2; python_version > "3.10"\nlanggraph\n',
    ['.', 'app'],
  ],
  [
    'a package of files',
    { '.': {}, 'lib/boats': { '__init__.py': '' } },
    { dependencies: ['./lib/boats'] },
    '',
    'langgraph\n',
    ['.', 'lib/boats', 'lib'],
  ],
  ['nothing', { '.': {} }, { dependencies: [] }, '', 'langgraph\n', ['.']],
])('when a folder is %s, then what it needs is resolved, and its modules are found', (_name, ...rest) => {
  const [folders, config, inputs, requirements, paths] = rest;
  const planned = plan(factsOf(folders, config));
  expect(installs(planned)).toEqual([
    `.: uv pip compile ~/requirements.in${inputs} ${FLAGS}`,
    `.: ${INSTALL}`,
  ]);
  expect(planned.files['requirements.in']).toBe(requirements);
  expect(recordOf(planned)).toEqual({ paths, lock: null });
});

test.each<[string, Folders, object, string, string, string]>([
  [
    'a folder of files beside a list',
    { '.': { 'requirements.txt': 'tides\n' }, src: {} },
    { dependencies: ['./src'] },
    '.',
    'uv pip compile ~/requirements.in requirements.txt',
    'the root of the source',
  ],
  [
    'its own folder, in a project that is locked',
    { '.': { 'pyproject.toml': PROJECT, 'uv.lock': '' }, lib: {}, 'lib/agent': {} },
    { dependencies: ['.'] },
    'lib/agent',
    'uv export --frozen --no-dev --package boats',
    'the root of the source',
  ],
  [
    'no folder, below two lists',
    { '.': { 'requirements.txt': '' }, app: { 'pyproject.toml': PROJECT + BUILD }, 'app/agent': {} },
    { dependencies: [] },
    'app/agent',
    'uv pip compile ~/requirements.in ',
    'app',
  ],
])('when dependencies name %s, then the nearest list of packages counts', (_name, ...rest) => {
  const [folders, config, config_folder, command, from] = rest;
  const planned = plan(factsOf(folders, config, config_folder));
  expect(installs(planned)[0]).toContain(command);
  expect(planned.warnings).toEqual([
    expect.stringContaining(`no folder that it names lists packages, so those of ${from} are installed`),
  ]);
  expect(recordOf(planned)).toMatchObject({ paths: expect.arrayContaining([config_folder]) });
});

test.each<[string, string]>([
  ['./agent.py', 'requirements.txt'],
  ['pyproject.toml', 'pyproject.toml'],
  ['requirements.txt', 'requirements.txt'],
])('when dependencies name the file %s, then its folder counts', (entry, list) => {
  const texts = { 'agent.py': '', [list]: list === 'pyproject.toml' ? PROJECT : 'tides\n' };
  const facts = factsOf({ '.': texts }, { dependencies: [entry] });
  const chains = new Map([...facts.chains, ['agent.py', facts.chains.get('.') ?? []]]);
  const planned = plan({ ...facts, chains });
  expect(installs(planned)[0]).toContain(`uv pip compile ~/requirements.in ${list}`);
  expect(planned.files['requirements.in']).toBe('langgraph\n');
  expect(planned.warnings).toEqual([
    `langgraph.json: dependencies: ${entry} is a file, so its folder counts`,
  ]);
});

test.each<[string, Folders, object]>([
  ['a package', { '.': { 'requirements.txt': 'tides\n' }, src: {} }, { dependencies: ['./src', 'moorings'] }],
  [
    'another list',
    { '.': { 'requirements.txt': '' }, a: { 'requirements.txt': '' } },
    { dependencies: ['./a'] },
  ],
])('when dependencies name %s, then no other list counts', (_name, folders, config) => {
  const planned = plan(factsOf(folders, config));
  expect(installs(planned)[0]).not.toContain(' requirements.txt');
  expect(planned.warnings).toEqual([]);
});

test.each(['--extra-index-url http://boats.test\ntides\n', ' -f ./wheels\n', '-r more.txt\n'])(
  'when requirements have %j, then the installation gets their indexes too',
  (text) => {
    const planned = plan(factsOf({ '.': { 'requirements.txt': text } }, {}));
    expect(installs(planned).slice(1)).toEqual([
      '.: "$ROADSTEAD_PYTHON" -I -S ~/index-lines.py requirements.txt > ~/indexes.txt',
      `.: ${INSTALL} -r ~/indexes.txt`,
    ]);
  },
);

test.each<[string, string, object]>([
  ['>=3.12,<4', 'pyproject.toml', { 'pyproject.toml': '[tool.poetry.dependencies]\npython = "^3.12"\n' }],
  ['>=3.12,<3.13', 'pyproject.toml', { 'pyproject.toml': '[tool.poetry.dependencies]\npython = "~3.12"\n' }],
  ['==3.12.*', 'pyproject.toml', { 'pyproject.toml': '[tool.poetry.dependencies]\npython = "3.12"\n' }],
  [
    '>=3.11,<3.13',
    'pyproject.toml',
    { 'pyproject.toml': '[tool.poetry.dependencies]\npython = ">=3.11, <3.13"\n' },
  ],
  ['==3.12.*', 'pyproject.toml', { 'pyproject.toml': '[tool.poetry.dependencies]\npython = "3.12.*"\n' }],
  ['>=3.12', 'setup.cfg', { 'setup.py': '', 'setup.cfg': '[options]\npython_requires = >=3.12\n' }],
  [
    '>=3.12',
    'uv.lock',
    { 'pyproject.toml': '[project]\nname = "b"\n', 'uv.lock': 'version = 1\nrequires-python = ">=3.12"\n' },
  ],
])('when %s of Python is asked for in %s, then a Python of it is wanted', (range, _file, files) => {
  const { requests } = plan(factsOf({ '.': { ...files } }, {}));
  expect(requests).toEqual([
    ...['3.11', '3.12', '3.13', '3.14'].map((minor) => `>=3.11,<3.15,${range},==${minor}.*`),
    `>=3.11,<3.15,${range}`,
  ]);
});

test('when a lock is for other versions of Python than the named one, then it is left out', () => {
  const folders = { '.': { 'pyproject.toml': PROJECT + BUILD, 'uv.lock': 'requires-python = ">=3.13"\n' } };
  const { installs: steps, warnings, requests } = plan(factsOf(folders, { python_version: '3.12' }));
  expect(steps[0]?.command).toMatch(/^uv pip compile ~/);
  expect(requests).toEqual(['3.12']);
  expect(warnings).toEqual([
    'langgraph.json: python_version: the uv.lock is for Python >=3.13, so packages are chosen without it',
  ]);
  expect(plan(factsOf(folders, { python_version: '3.13' })).installs[0]?.command).toMatch(/^uv export /);
});

test('when a member of a workspace is locked, then the lock of its root says which Python', () => {
  const root = { ...locked['.'], 'uv.lock': 'requires-python = ">=3.13"\n' };
  const facts = factsOf({ ...locked, '.': root }, { dependencies: ['.'] }, 'apps/boats');
  expect(plan(facts).requests.at(-1)).toBe('>=3.11,<3.15,>=3.12,>=3.13');
});

test.each<[string, string, Folders['.'], readonly string[]]>([
  ['no build', '', { 'uv.lock': '' }, ['.', 'src']],
  ['a build', BUILD, { 'uv.lock': '' }, ['.']],
  ['a package of uv', '[tool.uv]\npackage = true\n', { 'uv.lock': '' }, ['.']],
])('when a locked project has %s, then its modules are found in %j', (_name, more, files, paths) => {
  const facts = factsOf({ '.': { 'pyproject.toml': PROJECT + more, src: '', ...files } }, {});
  expect(recordOf(plan(facts))).toMatchObject({ paths });
  const by_source = factsOf(
    { '.': { 'pyproject.toml': PROJECT + more, src: '', ...files } },
    { source: { kind: 'uv' } },
  );
  expect(recordOf(plan(by_source))).toMatchObject({ paths });
});

test('when a package has an index of its own, then it alone comes from there', () => {
  const own =
    '[tool.uv.sources]\nBig_boats = { index = "yard" }\ntides = { workspace = true }\nmasts = [{ index = "yard", marker = "x" }]\n';
  const facts = factsOf({ '.': { 'pyproject.toml': PROJECT + own, 'uv.lock': '' } }, {});
  const what = 'uv export --frozen --no-dev --package boats';
  expect(installs(plan(facts, { has_index: true }))).toEqual([
    `.: ${what} --no-header --no-annotate --no-emit-package big-boats --no-emit-package masts -q -o ~/locked-0.txt`,
    '.: uv pip install --no-deps -r ~/locked-0.txt',
    `.: ${what} --format pylock.toml -q -o ~/pylock.0.toml`,
    '.: "$ROADSTEAD_PYTHON" -I -S ~/pick-packages.py ~/pylock.0.toml big-boats masts',
    '.: uv pip install --no-deps -r ~/pylock.0.toml',
  ]);
  expect(installs(plan(facts))).toHaveLength(2);
});

const locked = {
  '.': {
    'pyproject.toml': '[tool.uv.workspace]\nmembers = ["apps/*", "./libs/*/"]\nexclude = ["apps/old"]\n',
    'uv.lock': '',
  },
  apps: {},
  'apps/boats': { 'pyproject.toml': PROJECT + BUILD },
  'apps/old': { 'pyproject.toml': PROJECT + BUILD },
  libs: {},
};
const EXPORT = 'uv export --frozen --no-dev --package boats';

test.each<[object, string]>([
  [{ source: { kind: 'uv', root: '../..', package: 'boats' } }, 'boats'],
  [{ source: { kind: 'uv', root: '../..' } }, 'boats'],
  [{ dependencies: ['.'] }, 'boats'],
])('when a member of a workspace is deployed by %j, then its lock is installed', (config) => {
  const facts = factsOf(locked, config, 'apps/boats');
  expect(installs(plan(facts))).toEqual([
    `.: ${EXPORT} --format pylock.toml -q -o ~/pylock.0.toml`,
    '.: uv pip install --no-deps -r ~/pylock.0.toml',
  ]);
  expect(installs(plan(facts, { has_index: true }))).toEqual([
    `.: ${EXPORT} --no-header --no-annotate -q -o ~/locked-0.txt`,
    '.: uv pip install --no-deps -r ~/locked-0.txt',
  ]);
  expect(plan(facts).requests.at(-1)).toBe('>=3.11,<3.15,>=3.12');
  expect(recordOf(plan(facts))).toMatchObject({ lock: 'uv.lock' });
});

test('when a folder is no member of a workspace, then the lock of that is not its own', () => {
  const planned = plan(factsOf(locked, { dependencies: ['.'] }, 'apps/old'));
  expect(installs(planned)).toEqual([
    `apps/old: uv pip compile ~/requirements.in ${FLAGS}`,
    `apps/old: ${INSTALL}`,
  ]);
});

test('when a lock and other requirements meet, then the lock limits what the others bring', () => {
  const planned = plan(factsOf(locked, { dependencies: ['.', 'moorings'] }, 'apps/boats'));
  expect(installs(planned).slice(2)).toEqual([
    `.: ${EXPORT} --no-hashes --no-emit-local --no-header --no-annotate -q -o ~/constraints-0.txt`,
    `apps/boats: uv pip compile -c ~/constraints-0.txt ~/requirements.in ${FLAGS}`,
    `apps/boats: ${INSTALL}`,
  ]);
  expect(planned.files['requirements.in']).toBe('moorings\n');
});

test('when a project has an install command, then no lock is kept, and pip comes if it is used', () => {
  const facts = factsOf({ '.': { 'pyproject.toml': PROJECT, 'uv.lock': '' } }, {});
  const begins = (install_command: string) => plan(facts, { install_command }).begins[0]?.command;
  expect(begins('pip install .')).toContain(' --seed');
  expect(begins('uv pip install .')).not.toContain(' --seed');
  expect(recordOf(plan(facts, { install_command: 'make' }))).toEqual({ paths: ['.'], lock: null });
});

test.each<[string, Folders, object, RegExp]>([
  ['names no folder', { '.': {} }, { dependencies: ['./gone'] }, /dependencies: \.\/gone is not a folder/],
  [
    'has no lock',
    { '.': { 'pyproject.toml': '' } },
    { source: { kind: 'uv' } },
    /source\.root: \. has no uv\.lock/,
  ],
  ['says it twice', locked, { source: { kind: 'uv' }, dependencies: ['.'] }, /with "source" they are named/],
])('when a project %s, then it is refused in words', (_name, folders, config, message) => {
  const planned = planPython(factsOf(folders, config), { install_command: null, has_index: false });
  expect(planned.kind === 'refused' && planned.message).toMatch(message);
});

test('when a version of Python is named, then it is that; a name is quoted for the shell', () => {
  expect(plan(factsOf({ '.': {} }, { python_version: '3.13' })).requests).toEqual(['3.13']);
  const folders = { '.': {}, "it's": { 'requirements.txt': '' } };
  expect(installs(plan(factsOf(folders, { dependencies: ["./it's"] })))[0]).toContain(
    ` 'it'\\''s/requirements.txt' `,
  );
});
