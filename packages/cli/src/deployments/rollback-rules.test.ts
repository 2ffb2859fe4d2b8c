import { expect, test } from 'vitest';
import { chooseRollback } from './rollback-rules.ts';

const revision = (number: number, more: object = {}) => ({
  id: `r${number}`,
  number,
  status: 'DEPLOYED' as const,
  rollback_of: null,
  artifact_digest: 'sha256:x',
  artifact_image: null,
  ...more,
});
const failed = { status: 'BUILD_FAILED' as const };

const nothing = /no other revision has served/;

test.each([
  ['what served before', [revision(2), revision(1)], 'r2', undefined, 'r1'],
  ['not what failed', [revision(3), revision(2, failed), revision(1)], 'r3', undefined, 'r1'],
  [
    'from what serves, not from what failed',
    [revision(3, failed), revision(2), revision(1)],
    'r2',
    undefined,
    'r1',
  ],
  [
    'twice goes back twice',
    [revision(4, { rollback_of: 'r2' }), revision(3), revision(2), revision(1)],
    'r4',
    undefined,
    'r1',
  ],
  ['a number', [revision(2), revision(1)], 'r2', '1', 'r1'],
  ['an id', [revision(2), revision(1)], 'r1', 'r2', 'r2'],
])(
  'when a rollback is asked for, then it finds its revision: %s',
  (_what, revisions, active_revision_id, to, id) => {
    expect(chooseRollback(revisions, { active_revision_id, to })).toMatchObject({ id });
  },
);

test.each([
  [[revision(1)], 'r1', undefined, nothing],
  [[revision(2, { rollback_of: 'r1' }), revision(1)], 'r2', undefined, nothing],
  [[revision(1, failed)], null, undefined, /nothing serves yet/],
  [[revision(1)], 'r1', '7', /there is no revision 7/],
])(
  'when there is nothing to go back to, then a sentence says why',
  (revisions, active_revision_id, to, sentence) => {
    expect(chooseRollback(revisions, { active_revision_id, to })).toMatch(sentence);
  },
);
