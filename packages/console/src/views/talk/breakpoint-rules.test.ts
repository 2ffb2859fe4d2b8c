import { expect, test } from 'vitest';
import {
  interruptsOf,
  stoppedBefore,
  stoppableNodes,
  breakpointsOf,
  toggledBreakpoint,
} from './breakpoint-rules.ts';

test.each([
  [undefined, {}],
  [['before:tools'], { interrupt_before: ['tools'] }],
  [['after:model', 'before:a:b'], { interrupt_before: ['a:b'], interrupt_after: ['model'] }],
  [['before', 'before:', 'within:tools', ':tools', ''], {}],
])('when an address says %j, then a run is asked to stop as %j', (words, asked) => {
  expect(interruptsOf(words)).toEqual(asked);
});

test('when a stop is pressed, then it is there, and when it is pressed again, then it is gone', () => {
  const stop = { when: 'before', node: 'tools' } as const;
  const once = toggledBreakpoint(['after:model'], stop);
  expect(breakpointsOf(once)).toEqual([{ when: 'after', node: 'model' }, stop]);
  expect(toggledBreakpoint(once, stop)).toEqual(['after:model']);
  expect(toggledBreakpoint(['before:tools'], stop)).toBeUndefined();
});

test('when a graph has subgraphs, then a run stops at those and at nodes beside them', () => {
  const nodes = ['__start__', 'plan', 'research:search', 'research:read', '__end__'].map((id) => ({ id }));
  expect(stoppableNodes({ nodes })).toEqual(['plan', 'research']);
});

test.each([
  [undefined, []],
  [{ next: ['tools'], interrupts: [] }, ['tools']],
  [{ next: ['ask'], interrupts: [{ value: 'Shall I?' }] }, []],
  [{ next: [], interrupts: [] }, []],
])('when a state is %j, then the thread has stopped before %j', (state, nodes) => {
  expect(stoppedBefore(state)).toEqual(nodes);
});
