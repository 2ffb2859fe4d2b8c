import { expect, test } from 'vitest';
import { readLangGraphJson } from '@roadstead/contracts/langgraph-json';
import {
  type Facts,
  findingsOf,
  type MachineFacts,
  type PlatformFacts,
  type ProjectFacts,
} from './doctor-rules.ts';
import { isPinned } from './python-rules.ts';

const GB = 1_073_741_824;

function configOf(text: string) {
  const read = readLangGraphJson(text, 'langgraph.json');
  if (read.kind === 'refused') throw new Error(read.message);
  return read.config;
}

const machine: MachineFacts = {
  node_version: '24.21.0',
  is_root: false,
  missing_programs: [],
  data_folder: { path: '/data', mode: 0o40700, is_own: true, free_bytes: 20 * GB },
  no_namespaces: null,
  has_postgres: true,
  python: { kind: 'found', uv: '/bin/uv', versions: ['3.13.0', '3.12.1'] },
};
const listener = {
  compute_id: 'platform',
  isolation: 'namespace',
  resource_limits: 'cgroup',
  is_alive: true,
} as const;
const platform: PlatformFacts = {
  url: 'http://127.0.0.1:4100',
  is_local: true,
  state: 'ready',
  warnings: [],
  clock_skew_s: 0.4,
  key: { scopes: ['admin'] },
  listeners: [listener],
};
const project: ProjectFacts = {
  folder: '/agent',
  config_path: 'langgraph.json',
  config: configOf('{"graphs":{"agent":"./a.js:graph"}}'),
  missing_graphs: [],
  has_manifest: true,
  python: { files: [], is_pinned: null },
  dependencies: { '@langchain/langgraph': '1.4.17' },
  package_manager: undefined,
  lock_files: ['package-lock.json'],
  missing_env_file: undefined,
  reserved_variables: [],
  source_bytes: 10_000,
  has_ignore_file: true,
};
const well: Facts = { machine, platform, project };

test('when all is well, then nothing is to be done', () => {
  const findings = findingsOf(well);
  expect(findings.filter(({ level, fix }) => level !== 'fine' || fix !== undefined)).toEqual([]);
  expect(new Set(findings.map(({ about }) => about))).toEqual(new Set(['machine', 'platform', 'project']));
});

const folder = machine.data_folder;
const { config } = project;

test.each<[string, Partial<Record<keyof Facts, object>>, 'wrong' | 'warning', RegExp]>([
  ['an old Node', { machine: { node_version: '22.1.0' } }, 'wrong', /^Node 22\.1\.0/],
  ['no git', { machine: { missing_programs: ['git'] } }, 'warning', /^git is not installed/],
  ['root', { machine: { is_root: true } }, 'warning', /as root/],
  ['no PostgreSQL', { machine: { has_postgres: false } }, 'wrong', /PostgreSQL/],
  ['no namespaces', { machine: { no_namespaces: 'not permitted' } }, 'warning', /kept apart.*not permitted/],
  [
    'an open folder',
    { machine: { data_folder: { ...folder, mode: 0o40755 } } },
    'wrong',
    /Other users can enter/,
  ],
  ['another’s folder', { machine: { data_folder: { ...folder, is_own: false } } }, 'wrong', /another user/],
  ['a full disk', { machine: { data_folder: { ...folder, free_bytes: GB / 2 } } }, 'wrong', /0\.5 GB left/],
  ['no platform', { platform: { state: 'away' } }, 'wrong', /No Roadstead answers/],
  ['a taken port', { platform: { state: 'another program' } }, 'wrong', /Another program/],
  ['a start', { platform: { state: 'starting' } }, 'wrong', /not ready/],
  ['what the platform says', { platform: { warnings: ['Little disk.'] } }, 'warning', /^Little disk\.$/],
  ['a wrong clock', { platform: { clock_skew_s: -90 } }, 'wrong', /differ by 90 s/],
  ['no key', { platform: { key: 'none' } }, 'wrong', /no API key/],
  ['a bad key', { platform: { key: 'refused' } }, 'wrong', /not valid/],
  ['a key that reads', { platform: { key: { scopes: ['reader'] } } }, 'warning', /may not deploy \(reader\)/],
  [
    'a silent listener',
    { platform: { listeners: [{ ...listener, is_alive: false }] } },
    'wrong',
    /not been heard of/,
  ],
  [
    'no isolation',
    { platform: { listeners: [{ ...listener, isolation: 'none' }] } },
    'warning',
    /isolation: none/,
  ],
  [
    'no limits',
    { platform: { listeners: [{ ...listener, resource_limits: 'none' }] } },
    'warning',
    /can't limit memory/,
  ],
  [
    'a bad configuration',
    { project: { config: { refused: 'It is not JSON.', hint: undefined } } },
    'wrong',
    /not JSON/,
  ],
  [
    'its warnings',
    { project: { config: { ...config, warnings: ['"store" is ignored'] } } },
    'warning',
    /store/,
  ],
  ['no graph', { project: { missing_graphs: ['a.js'] } }, 'wrong', /names a\.js, which is not there/],
  ['no manifest', { project: { has_manifest: false } }, 'wrong', /no package\.json/],
  [
    'an old LangGraph',
    { project: { dependencies: { '@langchain/langgraph': '^0.2.70' } } },
    'warning',
    /\^0\.2\.70 is old/,
  ],
  ['none at all', { project: { dependencies: {} } }, 'warning', /does not name/],
  ['no lock file', { project: { lock_files: [] } }, 'warning', /no lock file/],
  [
    'two of them',
    { project: { lock_files: ['yarn.lock', 'package-lock.json'] } },
    'warning',
    /several lock files/,
  ],
  ['no env file', { project: { missing_env_file: '.env' } }, 'warning', /\.env, which is not there/],
  ['what is ours', { project: { reserved_variables: ['POSTGRES_URI'] } }, 'warning', /^POSTGRES_URI/],
  ['a large source', { project: { source_bytes: 60_000_000 } }, 'warning', /57 MB/],
  ['one too large', { project: { source_bytes: 300_000_000 } }, 'wrong', /286 MB/],
])('when doctor finds a fault, then it says so and names a fix: %s', (_what, changes, level, sentence) => {
  const facts = {
    machine: { ...machine, ...changes.machine },
    platform: { ...platform, ...changes.platform },
    project: { ...project, ...changes.project },
  } as Facts;
  const found = findingsOf(facts).filter((one) => one.level !== 'fine');
  expect(found).toEqual([
    expect.objectContaining({
      level,
      what: expect.stringMatching(sentence) as string,
      fix: expect.any(String) as string,
    }),
  ]);
});

const python = {
  config: configOf('{"graphs":{"agent":"./a.py:graph"},"python_version":"3.12"}'),
  has_manifest: false,
  dependencies: {},
  lock_files: [],
  python: { files: ['requirements.txt'], is_pinned: true },
};
const findingsOfPython = (changes: Partial<Facts>) =>
  findingsOf({ ...well, project: { ...project, ...python }, ...changes });

test('when a project is in Python, then it needs no package.json, and its Python is found', () => {
  const findings = findingsOfPython({});
  expect(findings.filter(({ level }) => level !== 'fine')).toEqual([]);
  expect(findings.map(({ what }) => what)).toEqual(
    expect.arrayContaining([
      'uv is /bin/uv, and finds Python 3.13.0, 3.12.1',
      'The packages of Python are named in requirements.txt',
      'Python 3.12, which the project names, is here',
    ]),
  );
});

test.each<[string, Partial<Facts>, RegExp]>([
  [
    'no files',
    { project: { ...project, ...python, python: { files: [], is_pinned: null } } },
    /^Nothing says/,
  ],
  [
    'loose versions',
    { project: { ...project, ...python, python: { files: ['pyproject.toml'], is_pinned: null } } },
    /^Neither a uv\.lock/,
  ],
  [
    'another Python',
    { machine: { ...machine, python: { kind: 'found', uv: '/bin/uv', versions: ['3.13.0'] } } },
    /^Python 3\.12, .* is not on this machine/,
  ],
])('when doctor finds a fault of Python, then it says so: %s', (_what, changes, sentence) => {
  expect(findingsOfPython(changes).filter(({ level }) => level !== 'fine')).toEqual([
    { level: 'warning', about: 'project', what: expect.stringMatching(sentence), fix: expect.any(String) },
  ]);
});

test('when there is no uv yet, then the first build brings it, and nothing is wrong', () => {
  const findings = findingsOfPython({ machine: { ...machine, python: { kind: 'absent' } } });
  expect(findings.filter(({ level }) => level !== 'fine')).toEqual([]);
  expect(findings.map(({ what }) => what)).toContainEqual(expect.stringMatching(/first build .* brings it/));
});

test.each([
  ['a==1.0\nb[x]==2 ; python_version > "3"\n# words\n', true],
  ['a==1.0 \\\n    --hash=sha256:00\n--require-hashes', true],
  ["a==1.0 ; python_full_version >= '3.12' and sys_platform == 'emscripten'\nb==2", true],
  ["a>=1.0 ; sys_platform == 'linux'", false],
  ['a==1.0\nb>=2', false],
  ['a==1.*', false],
  ['', false],
])('when requirements are %j, then they are pinned or not', (text, expected) => {
  expect(isPinned(text)).toBe(expected);
});

test('when a folder is no project, then there are no findings about a project', () => {
  expect(findingsOf({ ...well, project: undefined }).filter(({ about }) => about === 'project')).toEqual([]);
});
