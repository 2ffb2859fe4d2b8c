import type { Reason } from './reason.ts';

/** What is to be mended here. */
export const faults: readonly Reason[] = [
  {
    scenario: /^runs with a configuration$/,
    path: /\bmessages\[\]\.content$|\bconfigurable(?:\.tone)?$/,
    there: '`config.configurable` of a run is for that run',
    here: 'for all later runs of its thread, too',
    why: 'A thread keeps what clients configured.',
    is_fault: true,
  },
];
