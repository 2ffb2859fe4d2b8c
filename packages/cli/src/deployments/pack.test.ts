import { execFileSync } from 'node:child_process';
import { mkdir, mkdtemp, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { Readable } from 'node:stream';
import { finished } from 'node:stream/promises';
import fc from 'fast-check';
import { list } from 'tar';
import { expect, onTestFinished, test } from 'vitest';
import { unpackSource } from '@roadstead/archives';
import { fromRoot, packSource } from './pack.ts';
import { linesOf } from './pack-rules.ts';

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

/** The files that git would take: the rules of ignore files are its own. */
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
const someOf = (of: readonly string[]) =>
  fc.array(fc.constantFrom(...of), { maxLength: 4 }).map((lines) => lines.join('\n'));
/** A folder that an outer file ignores is left out; git would let an inner file include it again. */
const inner = someOf(patterns.filter((pattern) => !['!a', '!b/'].includes(pattern)));

test('when folders have ignore files, then exactly what git would take is packed', async () => {
  const Tree = fc.record({
    names: fc.subarray(files, { minLength: 4 }),
    root: someOf(patterns),
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

test('when an agent lies in a folder of a repository, then what the repository ignores stays out', async () => {
  const files = ['agent.js', 'secrets.json', 'key.pem', 'mine.txt', 'deep/key.pem', 'deep/kept.pem'];
  const folder = await folderOf({
    ...Object.fromEntries(files.map((name) => [`agents/one/${name}`, ''])),
    '.gitignore': 'secrets.json\n*.pem\n/mine.txt\n/dist/\n',
    'agents/.gitignore': '/one/mine.txt\n!deep/kept.pem\n!kept.pem\n',
    'dist/agent.js': '',
    'dist/secrets.json': '',
  });
  const one = join(folder, 'agents', 'one');
  // Without a repository, the folders above don't matter.
  expect(await packed(one)).toHaveLength(files.length);
  known(folder);
  await writeFile(join(folder, '.git', 'info', 'exclude'), 'agents/one/deep/none\n');
  expect(await packed(one)).toEqual(['agent.js', 'deep/kept.pem']);
  // A user who names an ignored folder wants it.
  expect(await packed(join(folder, 'dist'))).toEqual(['agent.js']);
});

/** Packs a folder; answers the lines about what was left out. */
async function leftOut(folder: string): Promise<string[]> {
  await using source = await packSource(folder);
  return linesOf(source.left_out);
}

test('when ignore files take secrets and built files back in, then they stay behind all the same', async () => {
  const folder = await folderOf({
    '.gitignore': '!.env\n!node_modules\n',
    '.env': 'KEY=1',
    '.env.local': '',
    '.env.production.local': '',
    'sub/.env': '',
    'node_modules/one/index.js': '',
    '.git/config': '',
    'src/__pycache__/x.pyc': '',
    '@scope/index.js': '',
    '@file.js': '',
    '-rf': '',
    'src/main.py': '',
  });
  expect(await packed(folder)).toEqual(['-rf', '.gitignore', '@file.js', '@scope/index.js', 'src/main.py']);
  expect(await leftOut(folder)).toEqual([
    'left out .env, .env.local, .env.production.local, sub/.env: secrets of this machine',
    'left out node_modules: installed again by the build',
    'left out src/__pycache__: usually made on this machine, and not tracked by git',
  ]);
});

test('when a file of variables is no secret of this machine, then it goes along', async () => {
  const names = ['.env.example', '.env.production', '.env.test', '.env.development', '.envrc.js', 'env.ts'];
  const folder = await folderOf(Object.fromEntries(names.map((name) => [name, ''])));
  expect(await packed(folder)).toEqual(names.toSorted());
  expect(await leftOut(folder)).toEqual([]);
});

test('when ignored files stay behind, then only a secret among them is reported', async () => {
  const folder = await folderOf({
    '.gitignore': '.env*\nnode_modules\nout\n',
    '.env': '',
    'out/a': '',
    'node_modules/a': '',
    'main.ts': '',
  });
  expect(await packed(folder)).toEqual(['.gitignore', 'main.ts']);
  expect(await leftOut(folder)).toEqual(['left out .env: secrets of this machine']);
});

test('when a link leads within the folder, then it is kept; any other is left out, in words', async () => {
  const folder = await folderOf({ 'lib/words.ts': 'words', 'src/main.ts': '' });
  const links: Readonly<Record<string, string>> = {
    'src/words.ts': '../lib/words.ts',
    'src/linked': '../lib',
    'src/later': './made.ts',
    link: '/etc/passwd',
    'src/folder': '/etc',
    'src/out': '../../elsewhere',
    'src/self': join(folder, 'lib'),
  };
  for (const [name, target] of Object.entries(links)) await symlink(target, join(folder, name));
  expect(await packed(folder)).toEqual([
    'lib/words.ts',
    'src/later',
    'src/linked',
    'src/main.ts',
    'src/words.ts',
  ]);
  expect(await leftOut(folder)).toEqual([
    'left out link, src/folder, src/out, src/self: links that lead out of the folder',
  ]);
});

test('when links are packed, then they are there again once unpacked', async () => {
  const folder = await folderOf({ 'lib/words.ts': 'words', 'src/main.ts': '' });
  await symlink('../lib', join(folder, 'src', 'linked'));
  await using source = await packSource(folder);
  const into = await folderOf({});
  await writeFile(join(into, 'source.tgz'), source.stream());
  await mkdir(join(into, 'out'));
  await unpackSource(join(into, 'source.tgz'), join(into, 'out'));
  expect(await readFile(join(into, 'out', 'src', 'linked', 'words.ts'), 'utf8')).toBe('words');
});

test('when git tracks a folder that is usually built, then what it tracks there goes along', async () => {
  const names = ['venv/agent.ts', 'src/.cache/words.json', '.turbo/config.json', '.venv/lib.py'];
  const folder = await folderOf({
    ...Object.fromEntries(names.map((name) => [name, ''])),
    'main.ts': '',
    'node_modules/a/index.js': '',
  });
  expect(await packed(folder)).toEqual(['main.ts']);
  known(folder);
  expect(await packed(folder)).toEqual(['main.ts']);
  execFileSync('git', ['add', '.'], { cwd: folder });
  await writeFile(join(folder, 'venv', 'untracked.py'), '');
  expect(await packed(folder)).toEqual([...names, 'main.ts'].toSorted());
  // Called like from a folder below the repository's root.
  expect(await packed(join(folder, 'src'))).toEqual(['.cache/words.json']);
});

test('when much stays behind, then some of it is named', () => {
  const left_out = Array.from({ length: 7 }, (_, at) => ({ name: `l${at}`, why: 'links' }));
  expect(linesOf([...left_out, { name: '.git', why: '' }])).toEqual([
    'left out l0, l1, l2, l3, l4 and 2 more: links',
  ]);
});

test('when a .dockerignore names all and takes some back, then only those are packed', async () => {
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
])('when a .dockerignore says %j, then it is read as %j', (line, pattern) =>
  expect(fromRoot(line)).toBe(pattern),
);

test('when everything in a folder is ignored, then there is nothing to deploy', async () => {
  const folder = await folderOf({ '.gitignore': '*', 'main.py': '' });
  await expect(packSource(folder)).rejects.toThrow(`${folder} holds nothing to deploy.`);
});
