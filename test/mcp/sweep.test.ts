import { useFixture } from '@roadstead/testing';
import { expect, test } from 'vitest';
import { ways } from './mcp-fixture.ts';
import { startSweptTools, sweep } from './sweeping.ts';

/**
 * Every tool with every shape of arguments by one official client, and with a fifth of them by each other client, transport and
 * era. The proof sends all of them by each.
 */

const tools = useFixture(startSweptTools);

const [first, ...others] = ways;

test('when every tool gets every shape of arguments, then it answers soundly', async () => {
  expect(await sweep(tools(), { way: first, sent: 'all' })).toEqual([]);
});

test.each(others.map((way, at) => [way, at] as const))(
  'when the caller is %s, then every tool answers soundly, too',
  async (way, place) => {
    expect(await sweep(tools(), { way, sent: (at) => at % 5 === place })).toEqual([]);
  },
);
