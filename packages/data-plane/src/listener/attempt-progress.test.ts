import { expect, test } from 'vitest';
import { AttemptProgress } from './attempt-progress.ts';
import type { RevisionReports } from './deployment-reports.ts';
import { StartHindrances } from './start-hindrances.ts';

type Progress = Parameters<RevisionReports['progress']>[0];

/** An attempt whose reports come one at a time, as they are let through. */
function openAttempt(again_ms: number) {
  const sent: Progress[] = [];
  let gate = Promise.resolve();
  const reports: RevisionReports = {
    progress: async (at) => {
      sent.push(at);
      await gate;
    },
    artifact: async () => true,
    commit: async () => undefined,
  };
  const hindrances = new StartHindrances();
  const progress = new AttemptProgress({
    revision_id: 'r-1',
    reports,
    hindrances,
    mask: (text) => text.replaceAll('secret', '***'),
    signal: new AbortController().signal,
    again_ms,
  });
  return {
    sent,
    progress,
    tell: hindrances.startOf('r-1'),
    hold: () => {
      const { promise, resolve } = Promise.withResolvers<void>();
      gate = promise;
      return resolve;
    },
  };
}

const full = { code: 'no_room', message: 'No node has room for secret.', hint: 'Wait.' };
const codeOf = ({ reason }: Progress) => reason?.code;

test('when something keeps an attempt, then it is said again until it is over, and once more', async () => {
  const { sent, progress, tell } = openAttempt(5);
  await progress.enter('start');
  expect(sent).toEqual([{ phase: 'start', artifact: null, reason: null }]);
  tell(full);
  await expect.poll(() => sent.filter((at) => codeOf(at) === 'no_room').length).toBeGreaterThan(3);
  expect(sent.at(-1)?.reason).toMatchObject({ phase: 'start', message: 'No node has room for ***.' });
  const before = sent.filter((at) => codeOf(at) === undefined).length;
  tell(undefined);
  await expect.poll(() => sent.filter((at) => codeOf(at) === undefined).length).toBe(before + 2);
  await progress[Symbol.asyncDispose]();
  const { length } = sent;
  tell(full);
  expect(sent).toHaveLength(length);
});

test('when much changes while a report is under way, then one more says what holds by then', async () => {
  const { sent, progress, tell, hold } = openAttempt(60_000);
  const letThrough = hold();
  const entered = progress.enter('start');
  await expect.poll(() => sent.length).toBe(1);
  for (const code of ['first', 'second', 'third']) tell({ ...full, code });
  letThrough();
  await entered;
  await progress[Symbol.asyncDispose]();
  expect(sent.map(codeOf)).toEqual([undefined, 'third']);
});
