import { fileURLToPath } from 'node:url';
import { useFixture } from '@roadstead/testing';
import { expect, test } from 'vitest';
import { needsLanguage } from '../support/languages.ts';
import { dataHome, startPlatform } from '../support/platform.ts';
import { deployForeign } from './foreign-agent.ts';
import { leaksOf } from './kept-secrets.ts';

/** Further agents of other people's making, whose kinds have tests of their own. */

const home = useFixture(dataHome);
const platform = useFixture(() => startPlatform(home().path));

test.each([
  ['builder', []],
  ['factory', []],
  ['typescript', []],
  ['subfolder', ['--config', 'app/langgraph.json']],
  ['two-graphs', []],
])('when %s is deployed, then it builds, starts and answers', async (name, options) => {
  expect(await deployForeign(platform(), { name, options })).toMatch(/./);
});

test('when an agent in Python has a secret, then it reaches nothing else, even if printed', async (context) => {
  needsLanguage('python', context);
  const folder = fileURLToPath(new URL('../agents/python', import.meta.url));
  const what = [folder, '--config', 'secretive.json'];
  expect(await leaksOf(platform(), { name: 'secretive-python', what })).toEqual([]);
});
