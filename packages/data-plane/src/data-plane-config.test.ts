import { readConfig } from '@roadstead/kit';
import { expect, test } from 'vitest';
import { dataPlaneSettings } from './data-plane-config.ts';

const read = (ROADSTEAD_AGENTS_NAMESPACE: string) =>
  readConfig({ names: dataPlaneSettings.agents_namespace }, { ROADSTEAD_AGENTS_NAMESPACE }).names;

test('when namespaces of agents are set, then they are read, and none by default', () => {
  expect(read('agents, others')).toEqual(['agents', 'others']);
  expect(read('')).toEqual([]);
});

test.each(['Agents', 'agents,a_b', 'a.b', '-agents', 'a'.repeat(64)])(
  'when %s is set as namespaces of agents, then the start is refused, and not each poll',
  (text) => {
    expect(() => read(text)).toThrow(/ROADSTEAD_AGENTS_NAMESPACE .*must be the name of a namespace/);
  },
);
