import { readFile } from 'node:fs/promises';
import { OWN_IMAGE, ROADSTEAD_VERSION } from '@roadstead/contracts';
import { expect, test } from 'vitest';
import { buildArguments, platformOf, sizeText } from './build-rules.ts';

const order = { context: '/context', dockerfile: '/made/Dockerfile', tag: 'a:1' };

test.each<[string, object, readonly string[]]>([
  ['nothing more', {}, []],
  ['platforms', { platform: 'linux/amd64,linux/arm64' }, ['--platform', 'linux/amd64,linux/arm64']],
  ['a network and the newest base', { network: 'host', pull: true }, ['--network', 'host', '--pull']],
  ['arguments', { args: { BASE: 'b:2', X: '1' } }, ['--build-arg', 'BASE=b:2', '--build-arg', 'X=1']],
])('when an image is built with %s, then the engine is told so', (_case, more, words) => {
  const begin = ['build', '--tag', 'a:1', '--file', '/made/Dockerfile'];
  expect(buildArguments({ ...order, ...more })).toEqual([...begin, ...words, '/context']);
});

test('when platforms and sizes are told, then it is as engines and people say them', () => {
  expect(platformOf({ platform: 'linux', arch: 'x64' })).toBe('linux/amd64');
  expect(platformOf({ platform: 'darwin', arch: 'arm64' })).toBe('darwin/arm64');
  expect(sizeText(341_600_000)).toBe('342 MB');
});

test('when the image of Roadstead is named, then its version is that of the packages', () => {
  expect(OWN_IMAGE).toBe(`roadstead/roadstead:${ROADSTEAD_VERSION}`);
});

test('when the Dockerfile is read, then it asks for a user, no registry and no time of its own', async () => {
  const text = await readFile(new URL('../../../../deploy/Dockerfile', import.meta.url), 'utf8');
  const lines = text.split('\n').filter((line) => !/^\s*#/.test(line));
  const froms = lines.filter((line) => line.startsWith('FROM '));
  // Whatever a base has of its own is left behind.
  expect(froms).toEqual(['FROM ${BASE} AS system', 'FROM scratch']);
  expect(lines.find((line) => line.startsWith('USER '))).toMatch(/^USER [1-9]\d*:[1-9]\d*$/);
  expect(lines.join('\n')).not.toMatch(/https?:|--mount|\bdate\b(?!=)|npm (?:ci|install)/);
  expect(lines.filter((line) => /^(?:VOLUME|HEALTHCHECK|ONBUILD)/.test(line))).toEqual([]);
});
