import { expect, test } from 'vitest';
import { unreadableBy } from './rollback-work.ts';

const reader = (langgraph_version: string | null, stores_deltas?: boolean) => ({
  langgraph_version,
  ...(stores_deltas === undefined ? {} : { stores_deltas }),
});
const stored = { deltas_were_stored: true };

test.each(['0.2.74', '0.3.12', '1.0.15', '1.4.18', '1.5.0'])(
  'when LangGraph is %s, then it does not read threads that are stored as differences',
  (version) => {
    expect(unreadableBy(reader(version), stored)).toContain(`@langchain/langgraph ${version}`);
    expect(unreadableBy(reader(version, false), stored)).toContain('1.5.1');
    expect(unreadableBy(reader(version), { deltas_were_stored: false })).toBeUndefined();
    // Its own graph stores them in that format.
    expect(unreadableBy(reader(version, true), stored)).toBeUndefined();
  },
);

test.each(['1.5.1', '1.5.3', '1.7.3', '1.10.0', '2.0.0', 'next'])(
  'when LangGraph is %s, then it reads threads that are stored as differences',
  (version) => {
    expect(unreadableBy(reader(version), stored)).toBeUndefined();
  },
);

test('when a version is not known, then it is not refused', () => {
  expect(unreadableBy(reader(null), stored)).toBeUndefined();
  expect(unreadableBy(null, stored)).toBeUndefined();
});

test.each([
  ['1.1.10', 'langgraph 1.1.10'],
  ['0.6.11', '1.2.0'],
  ['1.2.0', 'it reads them'],
  ['1.2.24', 'it reads them'],
] as const)(
  'when LangGraph in Python is %s, then of threads of differences is said: %s',
  (version, words) => {
    const sentence = unreadableBy({ langgraph_version: null, langgraph_py_version: version }, stored);
    expect(sentence ?? 'it reads them').toContain(words);
  },
);
