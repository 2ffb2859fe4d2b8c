import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { z } from 'zod';
import { readConfig, setting } from './config.ts';

const settings = {
  key: setting({ env: 'KEY', doc: 'A key.', schema: z.string(), secret: true }),
  name: setting({ env: 'NAME', doc: 'A name.', schema: z.string().default('none') }),
};

async function secretFile(text: string): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'roadstead-config-'));
  onTestFinished(() => rm(folder, { recursive: true }));
  await writeFile(join(folder, 'key'), text);
  return join(folder, 'key');
}

test('when a variable names a file, then the secret is read from it without the last line’s end', async () => {
  expect(readConfig(settings, { KEY_FILE: await secretFile('s3cret\n') })).toMatchObject({ key: 's3cret' });
});

test('when a setting is not secret, then it has no file', async () => {
  const NAME_FILE = await secretFile('other');
  expect(readConfig(settings, { KEY: 'k', NAME_FILE }).name).toBe('none');
});

test.each<[NodeJS.ProcessEnv, RegExp]>([
  [{ KEY: 'pass-word', KEY_FILE: '/none' }, /^KEY and KEY_FILE are both set/],
  [{ KEY_FILE: '/none/such' }, /^The file that KEY_FILE names can’t be read/],
  [{}, /^KEY is needed: /],
  [{ KEY: '' }, /^KEY is needed: /],
])('when the environment is %j, then it is refused', (environment, sentence) => {
  expect(() => readConfig(settings, environment)).toThrow(sentence);
  expect(() => readConfig(settings, environment)).not.toThrow('pass-word');
});

test('when a secret has been read, then it leaves the environment', () => {
  const environment = { KEY: 'k', NAME: 'n' };
  readConfig(settings, environment);
  expect(environment).toEqual({ NAME: 'n' });
});

test('when a variable has several names, then the first that is set counts', () => {
  const named = {
    key: setting({ env: 'OURS', aliases: ['THEIRS'], doc: 'A key.', schema: z.string(), secret: true }),
  };
  expect(readConfig(named, { THEIRS: 'b' })).toEqual({ key: 'b' });
  expect(readConfig(named, { OURS: '', THEIRS: 'b' })).toEqual({ key: 'b' });
  const both = { OURS: 'a', THEIRS: 'b' };
  expect(readConfig(named, both)).toEqual({ key: 'a' });
  expect(both).toEqual({});
});
