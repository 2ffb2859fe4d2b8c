import { useFixturePerTest } from '@roadstead/testing';
import { beforeEach, describe, expect, test } from 'vitest';
import { ApiError } from '@roadstead/contracts';
import type { Assignment, Watch } from '@roadstead/contracts/control-plane';
import { silentLog, uuidv7 } from '@roadstead/kit';
import type { FoundHead } from '../sources/git-heads.ts';
import { HeadWatch } from './head-watch.ts';
import { type HeadReport, headReport, isSameReport, nextLookMs } from './head-watch-rules.ts';

const problem = { code: 'git_host_away', message: 'It is away.' };
const found = (commit_sha: string): FoundHead => ({ kind: 'found', commit_sha });

describe('rules', () => {
  test.each<[FoundHead, number, Omit<HeadReport, 'ref'> | undefined]>([
    [found('1'), 0, { commit_sha: '1', problem: null }],
    [{ kind: 'gone' }, 0, { commit_sha: null, problem: null }],
    [{ kind: 'away', problem }, 2, undefined],
    [{ kind: 'away', problem }, 3, { commit_sha: null, problem }],
    [{ kind: 'refused', problem }, 0, { commit_sha: null, problem }],
  ])(
    'when %j is found, and was away %i times, then it is reported, or it is no news yet',
    (head, away_times, report) => {
      const expected = report === undefined ? undefined : { ref: 'main', ...report };
      expect(headReport('main', { found: head, away_times })).toEqual(expected);
    },
  );

  test('when a problem is the same in other words, then it is no news', () => {
    const one = { ref: 'main', commit_sha: null, problem };
    expect(isSameReport(one, { ...one, problem: { ...problem, message: 'Still.' } })).toBe(true);
    expect(isSameReport(one, { ...one, problem: null })).toBe(false);
    expect(isSameReport(undefined, one)).toBe(false);
  });

  test.each([
    [0, 54_000],
    [0.5, 60_000],
    [1, 66_000],
  ])('when the jitter is at %d, then the next look is in %i ms', (random, ms) => {
    expect(nextLookMs(60, random)).toBeCloseTo(ms);
  });
});

describe('watching', () => {
  let reports: HeadReport[];
  let looks: Watch[];
  let answers: FoundHead[];
  let failures: Error[];
  let busy = 0;
  let most = 0;
  beforeEach(() => {
    [reports, looks, answers, failures, busy, most] = [[], [], [], [], 0, 0];
  });
  const heads = useFixturePerTest(
    () =>
      new HeadWatch({
        log: silentLog,
        link: {
          sourceCredentials: async () => null,
          reportHead: async (_id, head) => {
            const failure = failures.shift();
            if (failure !== undefined) throw failure;
            reports.push(head);
          },
        },
        findHead: async (watch) => {
          looks.push(watch);
          most = Math.max(most, (busy += 1));
          await new Promise((resolve) => setImmediate(resolve));
          busy -= 1;
          return (answers.length > 1 ? answers.shift() : answers[0]) ?? found('1');
        },
      }),
  );

  const deployment_id = uuidv7();
  const watch = { repo_url: 'https://git.test/r', ref: 'main', interval_s: 0.01, has_credentials: false };
  const assigned = (change: Partial<Assignment>) =>
    ({ deployment_id, watch, removed: false, ...change }) as Assignment;
  const commits = () => reports.map((one) => one.commit_sha);

  test('when a ref did not move, then it is not reported again', async () => {
    answers = [found('1'), found('1'), found('2'), found('2')];
    heads().assign(assigned({}));
    await expect.poll(() => looks.length).toBeGreaterThan(6);
    expect(commits()).toEqual(['1', '2']);
  });

  test('when there is a problem, then it is reported once, and its end too', async () => {
    answers = [{ kind: 'refused', problem }, { kind: 'refused', problem }, found('1')];
    heads().assign(assigned({}));
    await expect.poll(() => reports.length).toBe(2);
    expect(reports.map((one) => one.problem)).toEqual([problem, null]);
  });

  test.each([409, 404, 503])(
    'when a report is refused with %i, then it is made at a later look',
    async (status) => {
      failures = [new ApiError('no', { status })];
      heads().assign(assigned({}));
      await expect.poll(commits).toEqual(['1']);
    },
  );

  test('when a watch is the same, then it goes on; another one begins, and none ends it', async () => {
    heads().assign(assigned({}));
    await expect.poll(commits).toEqual(['1']);
    heads().assign(assigned({ watch: { ...watch } }));
    heads().assign(assigned({ watch: { ...watch, ref: 'other' } }));
    await expect.poll(() => reports.at(-1)?.ref).toBe('other');
    expect(reports).toHaveLength(2);
    heads().assign(assigned({ watch: null }));
    await expect.poll(() => busy).toBe(0);
    const before = looks.length;
    const other = uuidv7();
    heads().assign(assigned({ deployment_id: other, watch: { ...watch, ref: 'third' } }));
    await expect.poll(() => looks.filter(({ ref }) => ref === 'third').length).toBeGreaterThan(5);
    expect(looks.slice(before + 1).every(({ ref }) => ref === 'third')).toBe(true);
  });

  test.each([
    [1, 2],
    [2, 4],
    [5, 4],
  ])('when refs of %i workspaces are watched, then %i at once are looked at', async (workspaces, at_once) => {
    for (let at = 0; at < 50; at += 1)
      heads().assign(assigned({ deployment_id: uuidv7(), workspace_id: `w${at % workspaces}` }));
    await expect.poll(() => reports.length).toBe(50);
    expect(most).toBe(at_once);
  });
});
