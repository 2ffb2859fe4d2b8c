import { useFixture } from '@roadstead/testing';
import { expect, test } from 'vitest';
import { dataHome, startPlatform } from '../support/platform.ts';
import { deployForeign } from './foreign-agent.ts';

/** Further agents of other people's making, whose kinds the graph host's own tests load. */

const home = useFixture(dataHome);
const platform = useFixture(() => startPlatform(home().path));

test.each(['builder', 'factory'])('when %s is deployed, then it builds, starts and answers', async (name) => {
  expect(await deployForeign(platform(), { name })).toMatch(/./);
});
