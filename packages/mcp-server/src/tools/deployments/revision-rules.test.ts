import { expect, test } from 'vitest';
import type { Revision } from '@roadstead/contracts/control-plane';
import { groupErrors } from './error-group-rules.ts';
import { activity } from './revision-activity-rules.ts';
import { changesBetween } from './revision-shape-rules.ts';

const at = (second: number) => new Date(Date.UTC(2026, 0, 1, 0, 0, second)).toISOString();

const switched = (status: Revision['status'], second: number | undefined) =>
  ({
    status,
    phases: [
      { phase: 'queue', started_at: at(0), ended_at: at(1) },
      ...(second === undefined
        ? []
        : [{ phase: 'switch' as const, started_at: at(second - 1), ended_at: at(second) }]),
    ],
  }) as Revision;

test.each([
  ['the first of three', 10, [10, 20, 30], { active_from: at(10), active_until: at(20) }],
  ['one between, in any order', 20, [30, 10, 20], { active_from: at(20), active_until: at(30) }],
  ['the last', 30, [10, 20, 30], { active_from: at(30) }],
])(
  'when %s was switched to, then it was active from its own switch to the next one',
  (_, second, all, expected) => {
    const deployed = all.map((one) => switched('DEPLOYED', one));
    expect(activity(switched('DEPLOYED', second), deployed)).toEqual(expected);
  },
);

test('when a revision was never switched to, then it was never active', () => {
  expect(activity(switched('DEPLOY_FAILED', 10), [])).toEqual({});
  expect(activity(switched('DEPLOYED', undefined), [])).toEqual({});
});

const revision = (more: Partial<Revision>) =>
  ({
    source: 'git',
    repo_ref: 'main',
    environment_version: 1,
    secret_names: ['A'],
    resource_spec: null,
    ...more,
  }) as Revision;

test.each([
  ['nothing', {}, { changed: {} }],
  ['a ref', { repo_ref: 'next' }, { changed: { repo_ref: { from: 'main', to: 'next' } } }],
  ['a command that is new', { build_command: 'make' }, { changed: { build_command: { to: 'make' } } }],
  [
    'a secret',
    { environment_version: 2, secret_names: ['A', 'B'] },
    { changed: {}, secrets: { added: ['B'], removed: [], set_anew: false } },
  ],
  [
    'a secret’s value',
    { environment_version: 2 },
    { changed: {}, secrets: { added: [], removed: [], set_anew: true } },
  ],
  [
    'a resource and a variable, by its name',
    { resource_spec: { cpu: 2, containers: [{ env: [{ name: 'TOKEN', value: 'canary' }] }] } as never },
    { changed: { resources: { to: { cpu: 2, containers: [{ env: ['TOKEN'] }] } } } },
  ],
])('when the difference is %s, then it is told as that', (_, more, expected) => {
  expect(changesBetween(revision({}), revision(more))).toEqual(expected);
});

test('when errors are grouped, then that is by what they say, the newest first', () => {
  const errors = [
    'order 7 is unknown',
    'timeout after 3.5 s',
    'order 12 is unknown\nat x:1',
    'user "ann" is gone',
    'user "bob" is gone',
  ];
  const runs = errors.map((error, index) => ({
    id: `${index}`,
    trace_id: `t${index}`,
    error,
    start_time: at(index),
  }));
  expect(groupErrors(runs).map(({ message, count, trace_id }) => [message, count, trace_id])).toEqual([
    ['order 7 is unknown', 2, 't0'],
    ['timeout after 3.5 s', 1, 't1'],
    ['user "ann" is gone', 2, 't3'],
  ]);
});
