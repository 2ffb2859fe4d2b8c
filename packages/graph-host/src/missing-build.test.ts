import { mkdir, mkdtemp, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { expect, test } from 'vitest';
import { HostUnderTest } from './testing/host-process.ts';

type Files = Readonly<Record<string, string | object>>;

/** How loading a workspace fails, whose agent lies in `apps/agent` and is linked to the packages beside it. */
async function failureOf(files: Files): Promise<{ readonly message: string; readonly hint?: string }> {
  const above = await mkdtemp(join(tmpdir(), 'roadstead-workspace-'));
  const path = join(above, 'revision');
  const all = {
    'package.json': { private: true, type: 'module', workspaces: ['apps/*', 'packages/*'] },
    'apps/agent/package.json': { name: 'agent', type: 'module', imports: { '#made': './made/index.js' } },
    'apps/agent/langgraph.json': { graphs: { agent: './agent.ts:graph' } },
    ...files,
  };
  try {
    for (const [name, text] of Object.entries(all)) {
      await mkdir(dirname(join(path, name)), { recursive: true });
      await writeFile(join(path, name), typeof text === 'string' ? text : JSON.stringify(text));
    }
    await mkdir(join(path, 'node_modules/@acme'), { recursive: true });
    await symlink('../../packages/words', join(path, 'node_modules/@acme/words'));
    await using host = new HostUnderTest(path, { fenced: true, config_path: 'apps/agent/langgraph.json' });
    return await host.peer.ask('describe', {}).then(
      () => ({ message: 'loaded' }),
      (error: { message: string; hint?: string }) => error,
    );
  } finally {
    await rm(above, { recursive: true });
  }
}

const words = (manifest: object): Files => ({
  'packages/words/package.json': { name: '@acme/words', type: 'module', ...manifest },
});
const built = { scripts: { build: 'tsc' } };
const TOLD =
  "@acme/words has no dist/index.js yet: it must be built before the agent starts, such as --build-command 'npm run build --prefix ../../packages/words'.";

test.each<[string, Files, string]>([
  ['by its exports', words({ exports: './dist/index.js', ...built }), `import '@acme/words';`],
  [
    'by conditions',
    words({ exports: { '.': { import: './dist/index.js' } }, ...built }),
    `import '@acme/words';`,
  ],
  ['by its main', words({ main: 'dist/index.js', ...built }), `import '@acme/words';`],
  ['by a pattern', words({ exports: { './*': './dist/*.js' }, ...built }), `import '@acme/words/index';`],
  [
    'to CommonJS',
    words({ type: 'commonjs', main: './dist/index.js', ...built }),
    `import { createRequire } from 'node:module'; createRequire(import.meta.url)('@acme/words');`,
  ],
])(
  'when a library gives its files %s and is not built, then it is to be built first',
  async (_how, files, agent) => {
    expect(await failureOf({ ...files, 'apps/agent/agent.ts': agent })).toMatchObject({ hint: TOLD });
  },
);

test('when a library has no script that builds it, then it is named', async () => {
  const files = { ...words({ main: 'dist/index.js' }), 'apps/agent/agent.ts': `import '@acme/words';` };
  expect(await failureOf(files)).toMatchObject({
    hint: '@acme/words has no dist/index.js yet: it must be built before the agent starts, by --build-command.',
  });
});

test('when the agent’s own package is not built, then it is to be built, too', async () => {
  expect(await failureOf({ 'apps/agent/agent.ts': `import '#made';` })).toMatchObject({
    hint: expect.stringMatching(/^agent has no made\/index\.js yet/),
  });
});

test.each<[string, Files, string]>([
  ['a package that is not there', {}, `import 'nowhere';`],
  ['a file of its own that is not there', {}, `import './lost.js';`],
  [
    'an installed package that is broken',
    { 'node_modules/broken/package.json': { name: 'broken', main: 'dist/index.js', ...built } },
    `import 'broken';`,
  ],
  [
    'a library that throws',
    { ...words({ main: 'dist/index.js' }), 'packages/words/dist/index.js': `throw new Error('no');` },
    `import '@acme/words';`,
  ],
])('when the cause is %s, then nothing is said of a build', async (_what, files, agent) => {
  const failure = await failureOf({ ...words({}), ...files, 'apps/agent/agent.ts': agent });
  expect(failure.message).toMatch(/could not be loaded/);
  expect(failure.hint).toBeUndefined();
});
