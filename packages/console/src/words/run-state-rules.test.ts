import { expect, test } from 'vitest';
import { runState } from './run-state-rules.ts';

test.each([
  [{ status: 'SUCCESS' }, 'done', 'good'],
  [{ status: 'success', error_preview: null }, 'done', 'good'],
  [{ status: 'SUCCESS', error_preview: 'GraphInterrupt((Interrupt(value=1),))' }, 'interrupted', 'warn'],
  [{ status: 'SUCCESS', error_preview: 'NodeInterrupt: Approve?' }, 'interrupted', 'warn'],
  [{ status: 'SUCCESS', error_preview: 'ParentCommand(graph=…)' }, 'handed over', 'quiet'],
  [{ status: 'ERROR', error_preview: 'ValueError: no' }, 'failed', 'bad'],
  [{ status: 'PENDING' }, 'running', 'busy'],
  [{}, 'running', 'busy'],
] as const)('when a run is %j, then it is called %s', (facts, word, tone) => {
  expect(runState(facts)).toEqual({ word, tone });
});
