import { useFixture } from '@roadstead/testing';
import { expect, test } from 'vitest';
import { dataHome, startPlatform } from '../support/platform.ts';
import { deployForeign } from './foreign-agent.ts';

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
