import type { StateWords } from './state-rules.ts';

/** What of a run says how it went. An error's text without the status `ERROR` is of a run that left without a failure. */
export interface RunStateFacts {
  readonly status?: string | null | undefined;
  readonly error_preview?: string | null | undefined;
}

const states: Readonly<Record<string, StateWords>> = {
  SUCCESS: { word: 'done', tone: 'good' },
  ERROR: { word: 'failed', tone: 'bad' },
  PENDING: { word: 'running', tone: 'busy' },
};

/** How LangGraph leaves a node without a failure; whatever else it is, a person is waited for. */
const leavings: readonly (readonly [beginning: RegExp, words: StateWords])[] = [
  [/ParentCommand/, { word: 'handed over', tone: 'quiet' }],
  [/GraphDrained/, { word: 'stopped', tone: 'quiet' }],
];
const interrupted: StateWords = { word: 'interrupted', tone: 'warn' };

/** How a run went, in words. An interrupt is a question to a person, and no error. */
export function runState({ status, error_preview }: RunStateFacts): StateWords {
  const name = (status ?? 'PENDING').toUpperCase();
  if (name === 'SUCCESS' && error_preview != null && error_preview !== '')
    return leavings.find(([beginning]) => beginning.test(error_preview.slice(0, 200)))?.[1] ?? interrupted;
  return states[name] ?? { word: name.toLowerCase(), tone: 'quiet' };
}
