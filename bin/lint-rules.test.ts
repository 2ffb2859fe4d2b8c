import { spawnSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { useFolder } from '@roadstead/testing';
import { expect, test } from 'vitest';

/** The rules of our plugin, as the linter runs them. */

const root = join(import.meta.dirname, '..');
const folder = useFolder('lint-rules-');

/** The messages of one rule about a file with this text. */
function messagesOf(rule: string, text: string): readonly string[] {
  const config = join(folder(), 'oxlint.json');
  const file = join(folder(), 'file.ts');
  const jsPlugins = [join(root, 'bin', 'lint-rules.mjs')];
  writeFileSync(
    config,
    JSON.stringify({ jsPlugins, categories: { correctness: 'off' }, rules: { [rule]: 'error' } }),
  );
  writeFileSync(file, text);
  const oxlint = join(root, 'node_modules', 'oxlint', 'bin', 'oxlint');
  const ran = spawnSync(process.execPath, [oxlint, '-c', config, '--format', 'json', file], {
    encoding: 'utf8',
  });
  const { diagnostics } = JSON.parse(ran.stdout) as { diagnostics: readonly { readonly message: string }[] };
  return diagnostics.map(({ message }) => message);
}

const participle = (name: string) => `Name this type by a noun: "${name}" is a participle alone.`;
const headless = 'Begin this comment with its subject, or with a verb.';

test.each([
  ['an interface', 'export interface Asked { readonly a: 1 }', [participle('Asked')]],
  ['a type', 'export type Waiting = 1;', [participle('Waiting')]],
  ['a class', 'export class Held {}', [participle('Held')]],
  ['a noun', 'export interface HeldRun { readonly a: 1 }', []],
  ['a noun that ends like one', 'export type Setting = 1;', []],
])('when %s is declared, then plain-words asks for nouns', (_what, text, messages) => {
  expect(messagesOf('roadstead/plain-words', text)).toEqual(messages);
});

test.each([
  ['/** Of the host. */', [headless]],
  ['// By name', [headless]],
  ['/** Whose it is. */', [headless]],
  ['/** Offers what a host has. */', []],
  ['// The name of the host', []],
])('when a comment is %j, then plain-words asks for subjects', (comment, messages) => {
  expect(messagesOf('roadstead/plain-words', `${comment}\nexport const one = 1;\n`)).toEqual(messages);
});

test.each([
  ['vi.waitFor', 'await vi.waitFor(() => 1);', ['Wait with `eventually` of @roadstead/testing.']],
  [
    'vi.waitUntil',
    'const waits = () => vi.waitUntil(() => 1);',
    ['Wait with `eventually` of @roadstead/testing.'],
  ],
  ['eventually', 'await eventually(() => 1);', []],
  ['another wait', 'await page.waitFor(() => 1);', []],
])('when a test waits with %s, then patient-tests names what waits long enough', (_what, text, messages) => {
  expect(messagesOf('roadstead/patient-tests', text)).toEqual(messages);
});
