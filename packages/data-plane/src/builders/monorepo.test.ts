import { execFile } from 'node:child_process';
import { mkdir, readFile, rm, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { promisify } from 'node:util';
import { useFolderPerTest } from '@roadstead/testing';
import { create } from 'tar';
import { expect, test } from 'vitest';
import { openTestBuilder } from '../testing/test-builder.ts';
import { Artifacts } from '../artifacts/artifacts.ts';

/** Agents below the root of a repository, with packages beside them, by real package managers. */

const folder = useFolderPerTest('monorepo-');

type Files = Readonly<Record<string, object | string>>;

/** A program that shows whether each package is found: from the registry and from beside it. */
const agent = (dependency: string): Files => ({
  'apps/agent/langgraph.json': { graphs: { agent: './agent.js:graph' }, dependencies: ['.', '../../shared'] },
  'apps/agent/package.json': {
    name: 'agent',
    version: '1.0.0',
    type: 'module',
    dependencies: { '@acme/words': dependency, 'is-odd': '3.0.1' },
  },
  'apps/agent/agent.js': `import isOdd from 'is-odd'; import { word } from '@acme/words'; export const graph = [isOdd(3), word];`,
  'packages/words/package.json': {
    name: '@acme/words',
    version: '1.0.0',
    type: 'module',
    main: 'index.js',
    dependencies: { 'is-number': '6.0.0' },
  },
  'packages/words/index.js': `import isNumber from 'is-number'; export const word = isNumber(1) ? 'found' : 'lost';`,
});

const root = (more: object = {}) => ({ name: 'root', version: '1.0.0', private: true, ...more });
const workspaces = { workspaces: ['apps/*', 'packages/*'] };

const projects: Readonly<Record<string, Files>> = {
  npm: { ...agent('1.0.0'), 'package.json': root(workspaces) },
  'npm by file:': agent('file:../../packages/words'),
  'yarn 1': { ...agent('1.0.0'), 'package.json': root({ ...workspaces, packageManager: 'yarn@1.22.22' }) },
  yarn: { ...agent('workspace:*'), 'package.json': root({ ...workspaces, packageManager: 'yarn@4.9.4' }) },
  pnpm: {
    ...agent('workspace:*'),
    'package.json': root({ packageManager: 'pnpm@10.34.9' }),
    'pnpm-workspace.yaml': 'packages:\n  - apps/*\n  - "packages/*"\n',
  },
  bun: { ...agent('workspace:*'), 'package.json': root({ ...workspaces, packageManager: 'bun@1.4.5' }) },
};

async function packed(files: Files): Promise<Buffer> {
  const project = join(folder(), 'project');
  for (const [name, text] of Object.entries(files)) {
    await mkdir(dirname(join(project, name)), { recursive: true });
    await writeFile(join(project, name), typeof text === 'string' ? text : JSON.stringify(text));
  }
  await create({ cwd: project, file: `${project}.tgz`, gzip: true }, ['.']);
  return readFile(`${project}.tgz`);
}

test.each(Object.entries(projects))(
  'when an agent is in a workspace of %s, then its artifact finds its packages anywhere',
  { timeout: 180_000 },
  async (_manager, files) => {
    const { artifacts, build } = await openTestBuilder(folder(), { PATH: process.env['PATH'] });
    const { built, lines } = build(await packed(files), {
      langgraph_config_path: 'apps/agent/langgraph.json',
    });
    const digest = await built.catch((error: unknown) => {
      throw new Error(lines.join('\n'), { cause: error });
    });
    const archive = await readFile((await artifacts.unsent(digest)) ?? '');
    // Nothing that was beside the build is left.
    await rm(join(folder(), 'cache'), { recursive: true });
    const elsewhere = await Artifacts.open(join(folder(), 'elsewhere'));
    const url = `data:application/gzip;base64,${archive.toString('base64')}`;
    await elsewhere.fetch(digest, url, new AbortController().signal);
    await rm(artifacts.pathOf(digest), { recursive: true });
    const file = pathToFileURL(join(elsewhere.pathOf(digest), 'apps/agent/agent.js')).href;
    const program = `const { graph } = await import(${JSON.stringify(file)}); console.log(graph.join())`;
    const { stdout } = await promisify(execFile)(process.execPath, ['--input-type=module', '-e', program], {
      cwd: '/',
    });
    expect(stdout).toBe('true,found\n');
  },
);

test('when an install fails, then it names no folder of this machine', async () => {
  const { build } = await openTestBuilder(folder(), { PATH: process.env['PATH'] });
  const { built, lines } = build(
    await packed({
      'langgraph.json': { graphs: { agent: './agent.js:graph' } },
      'package.json': root({ dependencies: { gone: 'file:./gone', lost: 'file:../../lost.tgz' } }),
    }),
  );
  const failure = await built.then(
    () => '',
    ({ message }: Error) => message,
  );
  expect(failure).toContain('failed with exit code');
  expect([failure, ...lines].join('\n')).not.toContain(folder());
});
