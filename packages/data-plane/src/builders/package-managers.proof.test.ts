import { execFile } from 'node:child_process';
import { cp, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { promisify } from 'node:util';
import { useFolderPerTest } from '@roadstead/testing';
import { create } from 'tar';
import { expect, test } from 'vitest';
import { Artifacts } from '../artifacts/artifacts.ts';
import { openTestBuilder } from '../testing/test-builder.ts';

/** Package managers from the real package registry, on a machine that has none but npm. */

const agents = fileURLToPath(new URL('../../../../test/agents/', import.meta.url));
const { signal } = new AbortController();

const folder = useFolderPerTest('managers-');

/** A small agent with what a manager keeps beside it. */
async function sourceOf(manager: string): Promise<Buffer> {
  const project = join(folder(), 'project');
  await cp(join(agents, 'javascript'), project, { recursive: true });
  for (const file of ['package.json', 'package-lock.json']) await rm(join(project, file));
  await cp(join(agents, 'managers', manager), project, { recursive: true });
  await create({ cwd: project, file: `${project}.tgz`, gzip: true }, ['.']);
  return readFile(`${project}.tgz`);
}

test.each([
  ['yarn-classic', 'using yarn 1.22.22', '$ yarn install --frozen-lockfile'],
  ['yarn', 'using yarn 4.9.4', '$ yarn install --immutable'],
  ['pnpm', 'using pnpm 10.34.9', '$ pnpm install --frozen-lockfile'],
  ['bun', 'using bun 1.4.5', '$ bun install --frozen-lockfile'],
])(
  'when an agent is of %s, then that installs it, and what it installs survives packing',
  async (manager, using, command) => {
    const { artifacts, build } = await openTestBuilder(folder(), { PATH: process.env['PATH'] });
    const { built, lines } = build(await sourceOf(manager));
    const digest = await built;
    expect(lines).toContain(using);
    expect(lines).toContain(command);
    // The part of it that another machine would get.
    const archive = await readFile((await artifacts.unsent(digest)) ?? '');
    const elsewhere = await Artifacts.open(join(folder(), 'elsewhere'));
    await elsewhere.fetch(digest, `data:application/gzip;base64,${archive.toString('base64')}`, signal);
    const agent = pathToFileURL(join(elsewhere.pathOf(digest), 'agent.js')).href;
    const program = `const { graph } = await import(${JSON.stringify(agent)}); console.log(typeof graph.stream)`;
    const { stdout } = await promisify(execFile)(process.execPath, ['--input-type=module', '-e', program], {
      cwd: '/',
    });
    expect(stdout).toBe('function\n');
    const [fetched] = await readdir(join(folder(), 'cache/managers'));
    expect(await readdir(join(folder(), 'cache/managers', fetched ?? '', 'node_modules', '.bin'))).toContain(
      command.split(' ')[1],
    );
  },
);

test('when a manager is needed, then it is fetched once; one that does not exist fails in words', async () => {
  const { build } = await openTestBuilder(folder());
  const project = async (packageManager: string) => {
    const root = await mkdtemp(join(folder(), 'project-'));
    await writeFile(join(root, 'package.json'), JSON.stringify({ packageManager }));
    await writeFile(join(root, 'langgraph.json'), JSON.stringify({ graphs: { agent: './agent.js' } }));
    await create({ cwd: root, file: `${root}.tgz`, gzip: true }, ['.']);
    return readFile(`${root}.tgz`);
  };
  const config = { install_command: 'yarn --version; command -v yarn' };
  const first = build(await project('yarn@1.22.19'), config);
  await first.built;
  expect(first.lines).toContain('1.22.19');
  const again = build(await project('yarn@1.22.19'), config);
  await again.built;
  expect(again.lines.at(-2)).toBe(first.lines.at(-2));
  const none = build(await project('yarn@1.22.999'), config);
  await expect(none.built).rejects.toThrow(
    /^yarn 1\.22\.999 could not be fetched from the package registry: .*No matching version/,
  );
  expect(await readdir(join(folder(), 'cache/managers'))).toEqual(['yarn-1.22.19']);
});
