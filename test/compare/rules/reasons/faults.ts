import { are, isMissingHere, type Reason } from './reason.ts';

/** What is to be mended here. */
export const faults: readonly Reason[] = [
  {
    path: /\b(?:parent_)?checkpoint_id$/,
    fits: ({ path, ours }) =>
      ours === undefined && !path.includes('metadata') && !path.includes('configurable'),
    there:
      'states, and the answer to `update_state`, have `checkpoint_id` and `parent_checkpoint_id` beside `checkpoint`',
    here: 'only `checkpoint` and `parent_checkpoint`',
    why: 'Older programs read the former.',
    is_fault: true,
  },
  {
    method: /^threads\.update_state$/,
    path: /^value\.configurable$/,
    fits: isMissingHere,
    there: '`update_state` answers `configurable`',
    here: 'only `checkpoint`',
    why: 'The SDK in JavaScript declares it.',
    is_fault: true,
  },
  {
    method: /^threads\./,
    path: /\berror(?:\.error|\.name)?$/,
    fits: (one) =>
      are(null, undefined)(one) || one.path.endsWith('.error.error') || one.path.endsWith('.error.name'),
    there: '`error` of a thread is null, or an object with `error`',
    here: 'left out, or an object with `name`',
    why: 'The SDKs declare the field.',
    is_fault: true,
  },
  {
    path: /\bitems\[\]\.score$/,
    there: '`score` of an item that was not ranked is null',
    here: 'left out',
    why: 'The SDKs declare the field.',
    is_fault: true,
  },
  {
    method: /^store\.list_namespaces$/,
    path: /namespaces\[\]/,
    there: 'a namespace comes before those in it',
    here: 'after them',
    why: 'They are sorted as text.',
    is_fault: true,
  },
  {
    method: /^crons\./,
    path: /\bon_run_completed$/,
    fits: are(null, 'delete'),
    there: '`on_run_completed` of a cron on a thread is null',
    here: '`delete`',
    why: 'The thread is not deleted.',
    is_fault: true,
  },
  {
    scenario: /^runs with a configuration$/,
    path: /\bmessages\[\]\.content$|\bconfigurable(?:\.tone)?$/,
    there: '`config.configurable` of a run is for that run',
    here: 'for all later runs of its thread, too',
    why: 'A thread keeps what clients configured.',
    is_fault: true,
  },
];
