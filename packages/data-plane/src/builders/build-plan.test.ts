import { describe, expect, test } from 'vitest';
import { readLangGraphJson } from '@roadstead/contracts/langgraph-json';
import { type BuildFacts, planBuild } from './build-plan.ts';
import { type Manager, packageOf, variablesOf } from './package-manager-rules.ts';

const configOf = (text: string) => readLangGraphJson(text, 'langgraph.json');
const good = JSON.stringify({ graphs: { agent: './agent.js:graph' } });
/** A configuration that does not lie in the root. */
const below = readLangGraphJson(good, 'app/langgraph.json');

function facts(change: Partial<BuildFacts> = {}): BuildFacts {
  return {
    graph_config: configOf(good),
    chains: [[{ folder: '.', files: ['package.json'], texts: {} }]],
    python: undefined,
    install_command: null,
    build_command: null,
    ...change,
  };
}

function commands(change: Partial<BuildFacts>) {
  const plan = planBuild(facts(change));
  return plan.kind === 'steps'
    ? plan.steps.map(({ phase, command, folder }) => [phase, command, folder])
    : plan;
}

/** Files of a project's root; each text is the content of a file. */
const rootOf = (files: Readonly<Record<string, string>>) => ({
  folder: '.',
  files: Object.keys(files),
  texts: files,
});

const rootWith = (...files: string[]) => rootOf(Object.fromEntries(files.map((file) => [file, ''])));

const managed = (packageManager: string) => ({ 'package.json': JSON.stringify({ packageManager }) });
const engines = (packageManager: object) => ({
  'package.json': JSON.stringify({ devEngines: { packageManager } }),
});
const berry = (version: number) => `# generated\n\n__metadata:\n  version: ${version}\n  cacheKey: 10\n`;

describe('the install command', () => {
  test.each<[Record<string, string>, string, string?]>([
    [{ 'package.json': '' }, 'npm install --no-audit --no-fund --no-package-lock'],
    [{ 'package.json': '', 'package-lock.json': '' }, 'npm ci --no-audit --no-fund'],
    [{ 'package.json': '', 'npm-shrinkwrap.json': '' }, 'npm ci --no-audit --no-fund'],
    [managed('npm@10.9.0'), 'npm install --no-audit --no-fund --no-package-lock', 'npm@10.9.0'],
    [
      { 'package.json': '', 'yarn.lock': '# yarn lockfile v1\n' },
      'yarn install --frozen-lockfile',
      'yarn@1.22.22',
    ],
    [{ 'package.json': '', 'yarn.lock': berry(6) }, 'yarn install --immutable', '@yarnpkg/cli-dist@3.8.7'],
    [{ 'package.json': '', 'yarn.lock': berry(8) }, 'yarn install --immutable', '@yarnpkg/cli-dist@4.9.4'],
    [{ 'package.json': '', 'yarn.lock': berry(99) }, 'yarn install --immutable', '@yarnpkg/cli-dist@4.18.1'],
    [
      { ...managed('yarn@4.5.0+sha512.abc'), 'yarn.lock': berry(8) },
      'yarn install --immutable',
      '@yarnpkg/cli-dist@4.5.0',
    ],
    [managed('yarn@3.2.0'), 'yarn install --no-immutable', '@yarnpkg/cli-dist@3.2.0'],
    [managed('yarn@1.22.19'), 'yarn install --no-lockfile', 'yarn@1.22.19'],
    [
      { 'package.json': '', 'pnpm-lock.yaml': "lockfileVersion: '9.0'\n" },
      'pnpm install --frozen-lockfile',
      'pnpm@10.34.9',
    ],
    [
      { 'package.json': '', 'pnpm-lock.yaml': "lockfileVersion: '6.0'\n" },
      'pnpm install --frozen-lockfile',
      'pnpm@8.15.9',
    ],
    [
      { 'package.json': '', 'pnpm-lock.yaml': 'lockfileVersion: 5.4\n' },
      'pnpm install --frozen-lockfile',
      'pnpm@7.33.7',
    ],
    [managed('pnpm@9.1.0'), 'pnpm install --no-frozen-lockfile', 'pnpm@9.1.0'],
    [{ 'package.json': '', 'bun.lock': '' }, 'bun install --frozen-lockfile', 'bun@1.4.5'],
    [{ 'package.json': '', 'bun.lockb': '' }, 'bun install --frozen-lockfile', 'bun@1.4.5'],
    // Several lock files: the named manager counts, else the first one.
    [
      { ...managed('pnpm@9.1.0'), 'yarn.lock': '', 'pnpm-lock.yaml': '' },
      'pnpm install --frozen-lockfile',
      'pnpm@9.1.0',
    ],
    [
      { 'package.json': '', 'package-lock.json': '', 'yarn.lock': '' },
      'yarn install --frozen-lockfile',
      'yarn@1.22.22',
    ],
    [engines({ name: 'pnpm', version: '>=9' }), 'pnpm install --no-frozen-lockfile', 'pnpm@10.34.9'],
    [engines([{ name: 'bun', version: '1.2.0' }]), 'bun install', 'bun@1.2.0'],
    [engines({ name: 'vlt' }), 'npm install --no-audit --no-fund --no-package-lock'],
  ])('when a project has %j, then it is %s, by %s', (files, command, manager) => {
    const plan = planBuild(facts({ chains: [[rootOf(files)]] }));
    if (plan.kind === 'refused') throw new Error(plan.message);
    expect(plan.steps.map((step) => step.command)).toEqual([command]);
    expect(plan.managers.map(packageOf)).toEqual(manager === undefined ? [] : [manager]);
  });

  test.each([
    'deno@2.0.0',
    'pnpm',
    'pnpm@latest',
    'pnpm@^9',
    'yarn@https://example.test/yarn.js',
    'pnpm@1.0.0;id',
  ])('when packageManager is %s, then it is refused in words', (name) => {
    const chains = [[rootOf(managed(name))]];
    const plan = planBuild(facts({ chains }));
    expect(plan.kind === 'refused' && plan.message).toMatch(/packageManager must name/);
    expect(planBuild(facts({ chains, install_command: 'make' })).kind).toBe('steps');
  });

  test('when one is given, then it is that, in the root', () => {
    expect(commands({ install_command: 'make deps', graph_config: below })).toEqual([
      ['install', 'make deps', '.'],
    ]);
  });

  test('when only the configuration’s folder has packages, then it runs there, as the root says', () => {
    const plan = planBuild(
      facts({
        chains: [
          [
            { folder: 'app', files: ['package.json'], texts: {} },
            { folder: '.', files: ['app'], texts: managed('pnpm@9.1.0') },
          ],
        ],
        graph_config: below,
      }),
    );
    expect(plan).toMatchObject({
      managers: [{ name: 'pnpm', version: '9.1.0' }],
      steps: [{ phase: 'install', command: 'pnpm install --no-frozen-lockfile', folder: 'app' }],
    });
  });

  test('when the configuration depends on folders, then it runs in each of them first', () => {
    const [app, shared] = ['app', 'shared'].map((folder) => ({
      folder,
      files: ['package.json', 'package-lock.json'],
      texts: {},
    }));
    const root = { folder: '.', files: [], texts: {} };
    expect(commands({ chains: [app, shared, app].map((one) => [one ?? root, root]) })).toEqual([
      ['install', 'npm ci --no-audit --no-fund', 'app'],
      ['install', 'npm ci --no-audit --no-fund', 'shared'],
    ]);
  });

  test('when there is no package file, then nothing is installed', () => {
    expect(commands({ chains: [[rootWith('agent.js')]] })).toEqual([]);
  });
});

test.each([
  ['pnpm -r build && yarn lint', ['pnpm', 'yarn']],
  ['(bunx tsc; true)', ['bun']],
  ['make pnpm-things yarn.lock', []],
])('when the command is %s, then it needs %j', (build_command, names) => {
  const plan = planBuild(facts({ chains: [[rootWith('agent.js')]], build_command }));
  expect(plan.kind === 'steps' && plan.managers.map(({ name }) => name)).toEqual(names);
});

test.each<[Manager, Record<string, string>]>([
  [{ name: 'npm', version: '10.9.0' }, {}],
  [{ name: 'yarn', version: '1.22.22' }, { YARN_ALWAYS_AUTH: 'true' }],
  [
    { name: 'yarn', version: '4.9.4' },
    { YARN_NODE_LINKER: 'node-modules', YARN_ENABLE_TELEMETRY: '0' },
  ],
  [
    { name: 'pnpm', version: '12.21.0' },
    {
      pnpm_config_pm_on_fail: 'ignore',
      npm_config_package_import_method: 'clone-or-copy',
      pnpm_config_package_import_method: 'clone-or-copy',
    },
  ],
])('when the manager is %j, then it is told %j', (manager, variables) => {
  expect(variablesOf(manager)).toEqual(variables);
});

test('when a command names the project’s manager, then it gets the project’s version of it', () => {
  const plan = planBuild(facts({ chains: [[rootOf(managed('pnpm@9.1.0'))]], install_command: 'pnpm i' }));
  expect(plan).toMatchObject({ managers: [{ name: 'pnpm', version: '9.1.0' }] });
});

test('when there is a build command, then it runs beside the configuration, after the install', () => {
  const graph_config = readLangGraphJson(good, 'apps/one/langgraph.json');
  expect(commands({ build_command: 'npm run build', graph_config })).toEqual([
    ['install', 'npm install --no-audit --no-fund --no-package-lock', '.'],
    ['build', 'npm run build', 'apps/one'],
  ]);
});

test('when the configuration is refused, then so is the build, in the same words', () => {
  const plan = planBuild(facts({ graph_config: configOf('{"graphs":{}}') }));
  expect(plan.kind === 'refused' && plan.message).toMatch(/names no graphs/);
});

test('when something of a configuration is ignored, then that is said', () => {
  const plan = planBuild(facts({ graph_config: configOf('{"graphs":{"a":"./a.js"},"grahps":{}}') }));
  expect(plan.kind === 'steps' && plan.warnings).toEqual([expect.stringContaining('"grahps"')]);
});
