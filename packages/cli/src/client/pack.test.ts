import { execFileSync } from 'node:child_process';
import { mkdir, mkdtemp, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { Readable } from 'node:stream';
import { finished } from 'node:stream/promises';
import fc from 'fast-check';
import { list } from 'tar';
import { expect, onTestFinished, test } from 'vitest';
import { fromRoot, packSource } from './pack.ts';

async function folderOf(files: Readonly<Record<string, string>>): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'roadstead-source-'));
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
  for (const [name, text] of Object.entries(files)) {
    await mkdir(dirname(join(folder, name)), { recursive: true });
    await writeFile(join(folder, name), text);
  }
  return folder;
}

async function packed(folder: string): Promise<string[]> {
  await using source = await packSource(folder);
  const names: string[] = [];
  const reader = list({ onReadEntry: (entry) => names.push(entry.path) });
  await finished(Readable.fromWeb(source.stream() as never).pipe(reader as never));
  expect(names).toHaveLength(source.files);
  return names.map((name) => name.replace(/^\.\//, '')).toSorted();
}

/** What git would take: the rules of ignore files are its own. */
function known(folder: string): string[] {
  const env = { PATH: process.env['PATH'], GIT_CONFIG_GLOBAL: '/dev/null', GIT_CONFIG_SYSTEM: '/dev/null' };
  const git = (...args: string[]) => execFileSync('git', args, { cwd: folder, env, encoding: 'utf8' });
  git('init', '--quiet');
  return git('ls-files', '--others', '--exclude-standard', '-z')
    .split('\0')
    .filter((name) => name !== '')
    .toSorted();
}

const patterns = [
  '*.log',
  '*',
  'a/',
  '/b',
  '**/y.txt',
  '!keep.txt',
  'a/*',
  '!a/keep.txt',
  'b/**',
  '/a/b/',
  '!a',
  '!b/',
  '# a',
  '',
  'y.txt ',
  'x.*',
  '!*.txt',
];
const files = ['x.log', 'y.txt', 'keep.txt', 'main.py'].flatMap((name) =>
  ['', 'a/', 'b/', 'a/b/'].map((base) => base + name),
);
const linesOf = (of: readonly string[]) =>
  fc.array(fc.constantFrom(...of), { maxLength: 4 }).map((lines) => lines.join('\n'));
/** A folder that an outer file ignores stays away; git would let an inner file take it back. */
const inner = linesOf(patterns.filter((pattern) => !['!a', '!b/'].includes(pattern)));

test('takes what git would take, by the ignore files of all folders', async () => {
  const Tree = fc.record({
    names: fc.subarray(files, { minLength: 4 }),
    root: linesOf(patterns),
    a: inner,
    'a/b': inner,
  });
  await fc.assert(
    fc.asyncProperty(Tree, async ({ names, root, ...below }) => {
      const rules = Object.entries({ '': root, ...below }).map(([base, text]) => [
        join(base, '.gitignore'),
        text,
      ]);
      const folder = await folderOf({
        'always.py': '',
        ...(Object.fromEntries([...names.map((name) => [name, '']), ...rules]) as object),
      });
      const expected = known(folder);
      fc.pre(expected.length > 0);
      expect(await packed(folder)).toEqual(expected);
    }),
    { numRuns: 60 },
  );
});

test('an agent in a folder of a repository stays without what the repository ignores', async () => {
  const files = ['agent.js', 'secrets.json', 'key.pem', 'mine.txt', 'deep/key.pem', 'deep/kept.pem'];
  const folder = await folderOf({
    ...Object.fromEntries(files.map((name) => [`agents/one/${name}`, ''])),
    '.gitignore': 'secrets.json\n*.pem\n/mine.txt\n/dist/\n',
    'agents/.gitignore': '/one/mine.txt\n!deep/kept.pem\n!kept.pem\n',
    'dist/agent.js': '',
    'dist/secrets.json': '',
  });
  const one = join(folder, 'agents', 'one');
  // Without a repository, what lies above is nobody's business.
  expect(await packed(one)).toHaveLength(files.length);
  known(folder);
  await writeFile(join(folder, '.git', 'info', 'exclude'), 'agents/one/deep/none\n');
  expect(await packed(one)).toEqual(['agent.js', 'deep/kept.pem']);
  // Who names a folder that is ignored wants it.
  expect(await packed(join(folder, 'dist'))).toEqual(['agent.js']);
});

test('secrets, links and what is made anew stay, whatever the ignore files say', async () => {
  const folder = await folderOf({
    '.gitignore': '!.env\n!node_modules\n',
    '.env': 'KEY=1',
    '.env.local': '',
    'sub/.env': '',
    'node_modules/one/index.js': '',
    '.git/config': '',
    'src/__pycache__/x.pyc': '',
    '@scope/index.js': '',
    '@file.js': '',
    '-rf': '',
    'src/main.py': '',
  });
  await symlink('/etc/passwd', join(folder, 'link'));
  await symlink('/etc', join(folder, 'src', 'folder'));
  expect(await packed(folder)).toEqual(['-rf', '.gitignore', '@file.js', '@scope/index.js', 'src/main.py']);
});

test('a .dockerignore that names all and takes some back', async () => {
  const folder = await folderOf({
    '.dockerignore': '# only the source\n*\n!src\n!langgraph.json\nsrc/notes\n',
    'langgraph.json': '{}',
    'data.bin': '',
    'src/main.py': '',
    'src/deep/data.bin': '',
    'src/notes/one.md': '',
  });
  expect(await packed(folder)).toEqual(['langgraph.json', 'src/deep/data.bin', 'src/main.py']);
});

test.each([
  ['', ''],
  ['  ', ''],
  ['# words', ''],
  ['data', '/data'],
  ['./data/', '/data/'],
  ['/data', '/data'],
  ['!data', '!/data'],
  ['! /data ', '!/data'],
  ['**/*.log', '/**/*.log'],
])('%j of a .dockerignore is %j', (line, pattern) => expect(fromRoot(line)).toBe(pattern));

test('a folder in which everything is ignored', async () => {
  const folder = await folderOf({ '.gitignore': '*', 'main.py': '' });
  await expect(packSource(folder)).rejects.toThrow(`${folder} holds nothing to deploy.`);
});
