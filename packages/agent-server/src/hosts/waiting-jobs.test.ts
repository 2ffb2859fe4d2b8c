import { expect, test } from 'vitest';
import type { RunParams, RunResult } from '@roadstead/contracts/host';
import type { Job } from './graph-host.ts';
import { WaitingJobs } from './waiting-jobs.ts';

/** Which caller's run is the next that a host is given. */

const done: RunResult = { outcome: 'success', interrupts: [], output: null };

function open() {
  const waiting = new WaitingJobs();
  const ended: string[] = [];
  const add = (name: string, { alone = false } = {}) =>
    waiting.push({
      params: { run_id: name, attempt: 1 } as RunParams,
      // 'a3' is the third run of a.
      principal: name.slice(0, 1),
      alone,
      moves: 0,
      resolve: ({ outcome }) => void ended.push(`${name} ${outcome}`),
      reject: () => void ended.push(`${name} rejected`),
    });
  const given: Job[] = [];
  const take = (kind: 'shared' | 'alone' = 'shared') => {
    const job = waiting.take(kind);
    if (job !== undefined) given.push(job);
    return job?.params.run_id;
  };
  const job = (name: string) => {
    const found = given.find(({ params }) => params.run_id === name);
    if (found === undefined) throw new Error(`No host has ${name}.`);
    return found;
  };
  return { waiting, add, take, job, ended };
}

test('when one caller began 2,000 runs, then the one run of another is the next', () => {
  const { add, take } = open();
  for (let at = 0; at < 2000; at += 1) add(`a${at}`);
  expect([take(), take()]).toEqual(['a0', 'a1']);
  add('b0');
  expect([take(), take()]).toEqual(['b0', 'a2']);
});

test('when a run is next, then it is of who has fewest on hosts, or was served longest ago', () => {
  const { add, take, job } = open();
  for (const name of ['a0', 'a1', 'a2', 'b0', 'b1', 'c0']) add(name);
  expect([take(), take(), take(), take(), take()]).toEqual(['a0', 'b0', 'c0', 'a1', 'b1']);
  for (const name of ['a3', 'b2']) add(name);
  job('b0').resolve(done);
  job('b1').reject(new Error('Its host ended.'));
  expect([take(), take(), take(), take()]).toEqual(['b2', 'a2', 'a3', undefined]);
});

test('when a run is to run alone, then it is given in the same turns, and counts for its caller', () => {
  const { add, take } = open();
  for (const name of ['a0', 'a1', 'b0']) add(name, { alone: true });
  for (const name of ['a2', 'c0']) add(name);
  expect([take('alone'), take('alone'), take(), take(), take('alone')]).toEqual([
    'a0',
    'b0',
    'c0',
    'a2',
    'a1',
  ]);
});

test('when an end is told twice, then it counts once', () => {
  const { add, take, job } = open();
  for (const name of ['a0', 'a1', 'b0', 'b1', 'a2', 'b2']) add(name);
  expect([take(), take(), take(), take()]).toEqual(['a0', 'b0', 'a1', 'b1']);
  job('b0').resolve(done);
  job('a0').resolve(done);
  job('a0').reject(new Error('Its host ended.'));
  expect([take(), take()]).toEqual(['a2', 'b2']);
  for (const name of ['a3', 'b3']) add(name);
  expect([take(), take()]).toEqual(['a3', 'b3']);
});

test('when a run is cancelled while it waits, then it takes no turn', () => {
  const { waiting, add, take, ended } = open();
  for (const name of ['a0', 'b0', 'b1']) add(name);
  waiting.cancel({ run_id: 'b0', attempt: 1 });
  expect([ended, take(), take(), take(), waiting.length]).toEqual([
    ['b0 cancelled'],
    'a0',
    'b1',
    undefined,
    0,
  ]);
});

test('when what waits is sent away, then it goes once, for any owner', () => {
  const { waiting, add, take, ended } = open();
  for (const name of ['a0', 'b0']) add(name);
  add('a1', { alone: true });
  waiting.sendAway();
  expect([ended, take(), take('alone')]).toEqual([
    ['a0 cancelled', 'b0 cancelled', 'a1 cancelled'],
    undefined,
    undefined,
  ]);
});
