import { execFileSync, spawnSync } from 'node:child_process';
import { chmod, mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, onTestFinished, test } from 'vitest';
import { commands } from '../commands/commands.ts';
import { candidatesFor, completionScripts } from './completion-rules.ts';

const completed = (...words: string[]) => candidatesFor(words, commands);

test.each([
  [
    ['key', ''],
    ['create', 'list', 'delete'],
  ],
  [
    ['env', ''],
    ['list', 'set', 'unset'],
  ],
  [
    ['logs', '--level', ''],
    ['debug', 'info', 'warning', 'error', 'critical'],
  ],
  [
    ['completion', ''],
    ['bash', 'zsh', 'fish', 'words'],
  ],
  [['key', 'create', ''], []],
  [['nonsense', ''], []],
])('when %j is typed, then these words come next', (words, expected) => {
  expect(completed(...words)).toEqual({ words: expected, lookups: [] });
});

test.each([
  [['logs', ''], ['deployments']],
  [['logs', '--follow', ''], ['deployments']],
  [['logs', '--text', 'x', ''], ['deployments']],
  [['env', 'set', ''], ['deployments']],
  [['env', 'set', 'one', ''], []],
  [['list', '--context', ''], ['contexts']],
  [['context', 'use', ''], ['contexts']],
  [['deploy', ''], ['folders']],
  [['init', '--template', ''], ['templates']],
  [['deploy', '--env-file', ''], ['files']],
])('when %j is typed, then the lookups are %j', (words, lookups) => {
  expect(completed(...words)).toEqual({ words: [], lookups });
});

test('when commands or options are completed, then each is offered, an option only once', () => {
  expect(completed('').words).toEqual([...commands.map(({ name }) => name), 'help']);
  for (const { name, options } of commands)
    expect(completed(name, '-').words).toEqual(Object.keys(options).map((one) => `--${one}`));
  expect(completed('deploy', '--no-wait', '--secret', 'A=1', '--').words).not.toContain('--no-wait');
  expect(completed('deploy', '--no-wait', '--secret', 'A=1', '--').words).toContain('--secret');
});

const hasBash = spawnSync('bash', ['--version']).status === 0;

test.skipIf(!hasBash)('when bash completes, then it offers what the program prints', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'roadstead-completion-'));
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
  const main = fileURLToPath(new URL('../main.ts', import.meta.url));
  const program = join(folder, 'roadstead');
  await writeFile(program, `#!/bin/sh\nexec "${process.execPath}" "${main}" "$@"\n`);
  await chmod(program, 0o755);
  const settings = join(folder, 'settings');
  const contexts = ['127.0.0.1:4100', '127.0.0.1:4200', 'work'].map((name) => [
    name,
    { url: '', api_key: '' },
  ]);
  await mkdir(join(settings, 'roadstead'), { recursive: true });
  await writeFile(
    join(settings, 'roadstead', 'contexts.json'),
    JSON.stringify({ version: 1, current: null, contexts: Object.fromEntries(contexts) as object }),
  );
  // Called like readline does: the words up to the cursor, the last one incomplete; a colon is a word.
  const script = `
    source <(roadstead completion bash)
    complete -p roadstead
    COMP_WORDBREAKS=' :='
    for line in "roll" "key " "init --te" "init --template app" "context use 127.0.0.1 : 41" "context use 127.0.0.1 :"; do
      IFS=' ' read -ra COMP_WORDS <<< "roadstead $line"
      [[ "$line" == *" " ]] && COMP_WORDS+=("")
      COMP_CWORD=$(( \${#COMP_WORDS[@]} - 1 ))
      COMPREPLY=()
      _roadstead
      echo "$line: \${COMPREPLY[*]}"
    done`;
  const env = { PATH: `${folder}:${process.env['PATH'] ?? ''}`, HOME: folder, XDG_CONFIG_HOME: settings };
  expect(execFileSync('bash', ['-c', script], { env, encoding: 'utf8' }).trim().split('\n')).toEqual([
    'complete -o default -F _roadstead roadstead',
    'roll: rollback',
    'key : create list delete',
    'init --te: --template',
    'init --template app: approval-agent',
    'context use 127.0.0.1 : 41: 4100',
    'context use 127.0.0.1 :: 4100 4200',
  ]);
});

test.each(Object.keys(completionScripts))(
  'when the completion script of %s is read, then it asks this program for words',
  (shell) => {
    expect(completionScripts[shell]).toContain('roadstead completion words --');
  },
);
