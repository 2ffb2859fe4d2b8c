import { expect, test } from 'vitest';
import { findWorkspace, ofWorkspace, withNames } from './usage-record-rules.ts';

const [one, other] = ['0190b6a0-0000-7000-8000-00000000000A', '0190b6a0-0000-7000-8000-00000000000b'];
const workspaces = [
  { id: one, display_name: 'Sales' },
  { id: other, display_name: one },
];
const usage = [
  { billable_metric_name: 'traces', value: 7, groups: { [one]: 5, [other]: 2 } },
  { billable_metric_name: 'nodes', value: 3, groups: { [other]: 3 } },
  { billable_metric_name: 'minutes', value: 9, groups: null },
];

test.each([
  ['an id', one, one],
  ['an id in another case', one.toLowerCase(), one],
  ['a name', ' sales ', one],
  ['an id before a name', one, one],
  ['neither', 'Sale', undefined],
])('when a workspace is given by %s, then it is found, if there is one', (_what, given, id) => {
  expect(findWorkspace(workspaces, given)?.id).toBe(id);
});

test('when usage is split, then each workspace has its name, or its id if it has none', () => {
  expect(withNames(usage, workspaces.slice(0, 1)).map(({ groups }) => groups)).toEqual([
    { [one]: { workspace_name: 'Sales', value: 5 }, [other]: { workspace_name: other, value: 2 } },
    { [other]: { workspace_name: other, value: 3 } },
    null,
  ]);
});

test('when usage of one workspace is asked for, then neither others nor their sums are left', () => {
  expect(ofWorkspace(usage, one.toLowerCase())).toEqual([
    { billable_metric_name: 'traces', value: 5, groups: { [one]: 5 } },
  ]);
});
