import { ApiError } from '@roadstead/contracts/client';
import { expect, test } from 'vitest';
import { hiddenFailures } from './failed-reads-rules.ts';

const full = new ApiError('The disk is full.', { status: 500 });
const failed = { state: { data: undefined, error: full } };

test.each([
  ['no part shows it', [failed], [], ['The disk is full.']],
  ['it failed at several reads', [failed, failed], [], ['The disk is full.']],
  ['a part of the page shows it', [failed], [full], []],
  ['an earlier answer is there', [{ state: { data: [], error: full } }], [], []],
  ['the view says it in its own way', [{ ...failed, meta: { silent: true } }], [], []],
  [
    'there is no such thing',
    [{ state: { data: undefined, error: new ApiError('There is no such project.', { status: 404 }) } }],
    [],
    [],
  ],
])('when a read fails and %s, then the frame of the page says what is untold', (_case, reads, told, said) => {
  expect(hiddenFailures(reads, told)).toEqual(said);
});
