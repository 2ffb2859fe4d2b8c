import { execFile } from 'node:child_process';
import { cp, mkdtemp, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { useFixture, useFolder } from '@roadstead/testing';
import { describe, expect, test } from 'vitest';
import { startFixture, WORKSPACE } from '../../packages/observability/src/testing/observability-fixture.ts';
import { npmWith } from '../support/npm-packages.ts';
import { pythonWith } from '@roadstead/testing/processes';

/** LangSmith's plugins for test runners, and its evaluation, by the packages that users install. */

const LANGSMITH_JS = '0.12.0';
const LANGSMITH_PYTHON = 'langsmith[pytest]==0.15.1';
const plugins = fileURLToPath(new URL('langsmith-plugins', import.meta.url));
const run = promisify(execFile);

const fixture = useFixture(startFixture);
const server = useFixture(() => fixture().listen());
const folder = useFolder('langsmith-plugins-');

const env = (more: Readonly<Record<string, string>> = {}) => ({
  PATH: process.env['PATH'] ?? '',
  HOME: folder(),
  LANGSMITH_ENDPOINT: server().url,
  LANGSMITH_API_KEY: `key-${WORKSPACE}`,
  LANGSMITH_TRACING: 'true',
  ...more,
});

const runners = [
  ['vitest 3', 'vitest', '3.2.4'],
  ['vitest 4', 'vitest', '4.1.12'],
  ['jest', 'jest', '30.5.2'],
] as const;

/** A project with the five tests, for a runner; what runs them. */
async function projectOf(runner: 'vitest' | 'jest', { modules, title }: { modules: string; title: string }) {
  const project = await mkdtemp(join(folder(), `${runner}-`));
  await symlink(join(modules, 'node_modules'), join(project, 'node_modules'));
  await cp(join(plugins, 'capitals.js'), join(project, 'capitals.js'));
  const suite = `import * as ls from 'langsmith/${runner}';\nimport { describeCapitals } from './capitals.js';\n`;
  const named = `const described = { ...ls, describe: (name, ...rest) => ls.describe(name + ' by ${title}', ...rest) };\n`;
  await writeFile(join(project, 'capitals.eval.mjs'), `${suite}${named}describeCapitals(described);\n`);
  const settings =
    runner === 'vitest'
      ? `export default { test: { include: ['*.eval.mjs'], reporters: ['default', 'langsmith/vitest/reporter'] } };\n`
      : `export default { testMatch: ['**/*.eval.mjs'], transform: {}, reporters: ['default', 'langsmith/jest/reporter'] };\n`;
  await writeFile(join(project, `${runner}.config.mjs`), settings);
  await writeFile(join(project, 'package.json'), '{"type":"module"}');
  const program =
    runner === 'vitest' ? ['node_modules/vitest/vitest.mjs', 'run'] : ['node_modules/jest/bin/jest.js'];
  return { cwd: project, args: ['--experimental-vm-modules', '--no-warnings', ...program] };
}

async function experimentOn(dataset_name: string) {
  const [dataset] = await fixture()
    .client()
    .listDatasets({ query: { name: dataset_name } });
  expect(dataset?.example_count).toBe(5);
  const sessions = await fixture()
    .client()
    .listSessions({ query: { reference_dataset: dataset?.id ?? '', include_stats: 'true' } });
  return sessions;
}

describe.each(runners)('when langsmith runs with %s', (title, runner, version) => {
  test('when five tests run twice, then all pass and are five runs in each of two experiments', async ({
    skip,
    signal,
  }) => {
    const packages = await npmWith({ langsmith: LANGSMITH_JS, [runner]: version });
    if (typeof packages === 'string') return skip(packages);
    const { cwd, args } = await projectOf(runner, { modules: packages.folder, title });
    for (const times of [1, 2]) {
      const { stdout, stderr } = await run(process.execPath, args, { cwd, env: env(), signal });
      expect(`${stdout}${stderr}`).toMatch(/5 passed/);
      const experiments = await experimentOn(`capitals by ${title}`);
      expect(experiments).toHaveLength(times);
      for (const one of experiments) expect(one).toMatchObject({ run_count: 5, error_rate: 0 });
    }
  });
});

test('when five tests of pytest run for the first time and again, then all pass and are recorded', async ({
  skip,
  signal,
}) => {
  const python = await pythonWith([LANGSMITH_PYTHON]);
  if (typeof python !== 'object') return skip(python);
  const suite = join(plugins, 'test_capitals.py');
  for (const times of [1, 2]) {
    const args = ['-s', '-m', 'pytest', '-p', 'no:cacheprovider', '--langsmith-output', suite];
    const { stdout } = await run('python3', args, {
      cwd: folder(),
      env: env(python.env),
      signal,
    });
    expect(stdout).toMatch(/5/);
    const experiments = await experimentOn('capitals by pytest');
    expect(experiments).toHaveLength(times);
    for (const one of experiments) expect(one).toMatchObject({ run_count: 5, error_rate: 0 });
  }
});

test('when JavaScript evaluates with every option, then experiments hold every run and score', async ({
  skip,
  signal,
}) => {
  const packages = await npmWith({ langsmith: LANGSMITH_JS });
  if (typeof packages === 'string') return skip(packages);
  const project = await mkdtemp(join(folder(), 'evaluate-'));
  await symlink(join(packages.folder, 'node_modules'), join(project, 'node_modules'));
  await cp(join(plugins, 'evaluate.mjs'), join(project, 'evaluate.mjs'));
  const { stdout } = await run(process.execPath, ['evaluate.mjs'], {
    cwd: project,
    env: env(),
    signal,
  });
  const made = JSON.parse(stdout.trim().split('\n').at(-1) ?? '') as Record<string, unknown>;
  expect(made).toMatchObject({ first: { rows: 8 }, second: { rows: 4 }, third: { rows: 4 }, compared: 4 });
});

test('when Python evaluates with every option, then experiments hold every run and score', async ({
  skip,
  signal,
}) => {
  const python = await pythonWith([LANGSMITH_PYTHON]);
  if (typeof python !== 'object') return skip(python);
  const { stdout } = await run('python3', ['-s', join(plugins, 'evaluate.py')], {
    cwd: folder(),
    env: env(python.env),
    signal,
  });
  const made = JSON.parse(stdout.trim().split('\n').at(-1) ?? '') as Record<string, unknown>;
  expect(made).toMatchObject({ first: { rows: 8 }, second: { rows: 8 }, split: { rows: 2 }, moved: 1 });
});
