import { DeploymentStatus } from '@roadstead/contracts/control-plane';
import { expect, test } from 'vitest';
import { isServing, servingState } from './state-rules.ts';

test('when an agent is idle, then it can be asked as one that is busy can', () => {
  const asked = (active_revision_id: string | null) =>
    DeploymentStatus.options.filter((status) => isServing({ status, active_revision_id }));
  expect(asked('revision')).toEqual(['READY', 'UNUSED']);
  expect(asked(null)).toEqual([]);
});

const idle = {
  status: 'UNUSED',
  status_reason: null,
  active_revision_id: 'one',
  latest_revision_id: 'one',
} as const;

test.each([
  [{}, 'idle'],
  [{ status: 'READY' }, 'serving'],
  [{ status_reason: { message: 'It ends by itself.' } }, 'in trouble'],
  [{ latest_revision_id: 'two' }, 'serving an earlier revision'],
  [{ active_revision_id: null }, 'not serving'],
  [{ status: 'UNKNOWN' }, 'not heard of'],
] as const)('when a deployment is %j, then it is called %s', (change, word) => {
  expect(servingState({ ...idle, ...change }).word).toBe(word);
});
