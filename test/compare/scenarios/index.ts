import type { Scenario } from '../calls/call.ts';
import { assistants } from './assistants.ts';
import { crons } from './crons.ts';
import { graphs } from './graphs.ts';
import { guarded } from './guarded.ts';
import { runs } from './runs.ts';
import { store } from './store.ts';
import { streams } from './streams.ts';
import { threads } from './threads.ts';

/** All that both servers are asked. */
export const scenarios: readonly Scenario[] = [
  ...assistants,
  ...threads,
  ...runs,
  ...streams,
  ...graphs,
  ...store,
  ...crons,
  ...guarded,
];
