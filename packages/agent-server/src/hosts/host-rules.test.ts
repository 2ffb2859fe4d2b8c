import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import {
  areTooMany,
  calmHost,
  faultOf,
  type HostState,
  placeAlone,
  roomToCome,
  roomyHost,
  whenToGrow,
} from './host-rules.ts';

const limits = { jobs_per_host: 2, max_hosts: 2, memory_mb: 1024 };
/** `0`, `1`, `2`: works with so many runs; `s`: silent; `a`: a suspect has it; `b`: begins, and has none. */
const hostsOf = (letters: string): HostState[] =>
  letters.split('').map((letter) => ({
    runs: { s: 1, a: 1, b: 0 }[letter] ?? Number(letter),
    unaccepted: 0,
    load: undefined,
    load_age_ms: 0,
    silent: letter === 's',
    alone: letter === 'a',
    starting: letter === 'b',
  }));

describe('where runs go, of two hosts with two runs each', () => {
  test.each([
    // hosts, which one takes a run, whether another starts, where a suspect goes
    ['', undefined, 'now', 'new'],
    ['0', 0, 'soon', 0],
    ['10', 1, 'never', 1],
    ['11', 0, 'never', 'new'],
    ['22', undefined, 'never', 'new'],
    ['2', undefined, 'soon', 'new'],
    ['s', undefined, 'now', 'new'],
    ['s2', undefined, 'soon', 'new'],
    ['sa', undefined, 'now', 'wait'],
    ['ss', undefined, 'now', 'wait'],
    ['ss0', 2, 'never', 'wait'],
    ['sss', undefined, 'never', 'wait'],
    ['a20', 2, 'never', 2],
    ['a22', undefined, 'never', 'wait'],
    // One too many since a host answers again: the idlest runs empty.
    ['211', 1, 'never', 'wait'],
    ['221', undefined, 'never', 'wait'],
    ['220', undefined, 'never', 2],
    // One that starts gets runs where no other one is ready.
    ['b', 0, 'soon', 0],
    ['1b', 0, 'never', 1],
    ['2b', undefined, 'never', 1],
    ['sb', 1, 'soon', 1],
  ])(
    'when the hosts are (%s), then it follows where a run goes and whether one more starts',
    (letters, takes, grows, suspect) => {
      const hosts = hostsOf(letters);
      const place = placeAlone(hosts, limits);
      const taker = roomyHost(hosts, limits);
      expect([
        taker && hosts.indexOf(taker),
        whenToGrow(hosts, limits),
        typeof place === 'string' ? place : hosts.indexOf(place.host),
      ]).toEqual([takes, grows, suspect]);
      expect(areTooMany(hosts, limits)).toBe(/^\d{3}$/.test(letters));
    },
  );
});

test('when a host starts while another is ready, then that one is asked, and it has room to come', () => {
  const hosts = hostsOf('1b');
  expect(calmHost(hosts)).toBe(hosts[0]);
  expect(calmHost(hosts.slice(1))).toBe(hosts[1]);
  expect([roomToCome(hosts, limits), roomToCome(hostsOf('10s'), limits)]).toEqual([2, 0]);
});

test('when hosts are chosen, then there is never more than one too many, and suspects leave one', () => {
  const letters = fc.string({ unit: fc.constantFrom('0', '1', '2', 's', 'a'), maxLength: 5 });
  fc.assert(
    fc.property(letters, fc.integer({ min: 1, max: 4 }), (drawn, max_hosts) => {
      const some = { ...limits, max_hosts };
      const hosts = hostsOf(drawn.slice(0, max_hosts + 1));
      const [grows, place] = [whenToGrow(hosts, some), placeAlone(hosts, some)];
      const starts = grows !== 'never' || place === 'new';
      expect(starts && hosts.length > max_hosts).toBe(false);
      const held = hosts.filter((host) => host.silent || host.alone).length;
      expect(place !== 'wait' && held >= max_hosts).toBe(false);
    }),
  );
});

test.each([
  ['that it did not answer', { silent: true }, 'any'],
  ['for its memory', { out_of_memory: true }, 'any'],
  ['by itself', {}, 'none'],
  ['for a frame that names a run of it', { breach: { run_id: 'a' } }, { run_id: 'a' }],
  ['for a frame that names a run elsewhere', { breach: { run_id: 'x' } }, 'any'],
  ['for a frame that names no run', { breach: { run_id: undefined } }, 'any'],
])('when a host ended %s, then the fault is found', (_why, end, fault) => {
  const known = { silent: false, out_of_memory: false, breach: undefined, ...end };
  expect(faultOf(known, ['a', 'b'])).toEqual(fault);
});
