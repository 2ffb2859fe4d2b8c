import { ApiError } from '@roadstead/contracts/client';
import { expect, test } from 'vitest';
import { instant } from '../words/time-rules.ts';
import { hiddenFailures } from './failed-reads-rules.ts';

const full = new ApiError('The disk is full.', { status: 500 });
const away = new ApiError('The server cannot be reached.', { status: 0 });
const missing = new ApiError('There is no such project.', { status: 404 });
const [EARLY, LATE] = [Date.UTC(2026, 0, 1, 12, 30), Date.UTC(2026, 0, 1, 12, 45)];

const failed = { state: { data: undefined, error: full, dataUpdatedAt: 0, fetchMeta: null } };
const old = { state: { data: [], error: away, dataUpdatedAt: LATE, fetchMeta: null } };
const of = <T extends typeof failed | typeof old>(read: T, state: object) => ({
  ...read,
  state: { ...read.state, ...state },
});

const unread = 'A part of this page could not be read: The disk is full.';
const oldSince = (at_ms: number) =>
  `Some of what is shown was last refreshed at ${instant(at_ms)}: The server cannot be reached.`;

test.each([
  ['no part shows it', [failed], [], unread],
  ['it failed at several reads', [failed, failed], [], unread],
  ['a part of the page shows it', [failed], [full], ''],
  ['an earlier answer is there', [old], [], oldSince(LATE)],
  ['several earlier answers are there', [old, of(old, { dataUpdatedAt: EARLY })], [], oldSince(EARLY)],
  ['some is missing and some is old', [old, failed], [], `${unread} ${oldSince(LATE)}`],
  ['the view says it in its own way', [{ ...failed, meta: { silent: true } }], [], ''],
  ['it is of a further page', [of(old, { fetchMeta: { fetchMore: { direction: 'forward' } } })], [], ''],
  ['there is no such thing', [of(failed, { error: missing })], [], ''],
])('when a read fails and %s, then the frame of the page says what is untold', (_case, reads, told, said) => {
  expect(hiddenFailures(reads, told)).toBe(said);
});
