import { are, type Reason } from './reason.ts';

/** What is refused, and how. */
export const refusals: readonly Reason[] = [
  {
    path: /^(?:body|value\.body)\.detail$/,
    fits: ({ theirs, ours }) => theirs !== undefined && ours !== undefined,
    there: 'its words for a refusal',
    here: 'others, mostly with the same status',
    why: '`detail` says what is wrong, or lists the fields that are.',
  },
  {
    path: /^(?:value\.)?status$/,
    fits: are(422, 404),
    there: 'a name that is no UUID is 422',
    here: '404, as any assistant that is not there',
    why: 'A name may be that of a graph.',
  },
  {
    path: /^(?:value\.)?status$/,
    fits: are(400, 422),
    there: 'some bad input is 400',
    here: '422, always',
    why: 'One status says that the request is wrong.',
  },
  {
    path: /^(?:value\.)?status$/,
    fits: are(409, 404),
    there: 'the copy of a thread that is not there, or not the caller’s, is a conflict',
    here: '404',
    why: 'That is what it is.',
  },
  {
    method: /^http$/,
    scenario: /^store$|their things/,
    path: /^value\.(?:status|body|headers\.content-type)$/,
    there: 'a search with `limit` 0, or for all namespaces where auth adds one, fails with 500',
    here: '422, and the items',
    why: 'The first is the caller’s mistake, the second none.',
  },
  {
    path: /^body\.error$/,
    there: 'a busy thread has a sentence',
    here: 'also `"error": "thread_busy"`',
    why: 'Programs tell it by a name.',
  },
  {
    path: /^error$|\berror$|\.message$/,
    fits: ({ theirs, ours }) =>
      String(ours).includes('The agent failed: ') && !String(theirs).includes('The agent failed'),
    there: 'the exception’s message',
    here: '“The agent failed: ” and the first line of it, if `ROADSTEAD_EXPOSE_ERRORS` is set; otherwise a reference',
    why: 'Exceptions may hold what callers are not to see.',
  },
];
