import { useFixture } from '@roadstead/testing';
import { expect, test } from 'vitest';
import { ways } from './mcp-fixture.ts';
import { startSweptTools, sweep } from './sweeping.ts';

/** Every tool with every shape of arguments, by each official client over each transport and in each era. */

const tools = useFixture(startSweptTools);

test.each(ways)('when the caller is %s, then every tool answers every shape soundly', async (way) => {
  expect(await sweep(tools(), { way, sent: 'all' })).toEqual([]);
});
