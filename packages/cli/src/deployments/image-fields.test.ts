import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { useFolder } from '@roadstead/testing';
import { expect, test } from 'vitest';
import { readImageFields, referencesOf } from './image-fields.ts';

const folder = useFolder('image-fields-');

test('when nothing is said of an image, then its fields stay as they are', async () => {
  const fields = await readImageFields({ resources: undefined, secret_references: [] });
  expect(fields).toEqual({ source_config: {}, references: {} });
});

test('when resources and references are given, then both go along', async () => {
  const file = join(folder(), 'resources.json');
  await writeFile(file, '{"cpu": 1, "labels": {}}');
  expect(await readImageFields({ resources: file, secret_references: ['A=keys/token'] })).toEqual({
    source_config: { resource_spec: { cpu: 1, labels: {} } },
    references: { secret_references: [{ name: 'A', secret_name: 'keys', secret_key: 'token' }] },
  });
});

test.each([
  ['that is not there', undefined, "can't be read"],
  ['of no JSON', 'cpu: 1', 'must hold an object of JSON'],
  ['of a list', '[]', 'must hold an object of JSON'],
  ['of nothing', 'null', 'must hold an object of JSON'],
])('when resources are a file %s, then that is refused by name', async (_case, text, sentence) => {
  const file = join(folder(), `${crypto.randomUUID()}.json`);
  if (text !== undefined) await writeFile(file, text);
  await expect(readImageFields({ resources: file, secret_references: [] })).rejects.toThrow(
    new RegExp(`which --resources names, ${sentence}`),
  );
});

test('when the only reference is empty, then those that there are go', () => {
  expect(referencesOf([''])).toEqual([]);
});

test.each(['A', 'A=keys', 'A=/token', 'A=keys/', '=keys/token'])(
  'when a reference is %j, then it is refused by name',
  (reference) => {
    expect(() => referencesOf([reference])).toThrow('--secret-reference must look like NAME=SECRET/KEY.');
  },
);
