import type { EngineCalls, HeldUp, Manifest, RunResult, RunParams } from '@roadstead/contracts/host';
import { silentLog } from '@roadstead/kit';
import { useFixturePerTest } from '@roadstead/testing';
import { vi } from 'vitest';
import type { HostHandle } from '../hosts/host-process.ts';
import { RevisionHosts } from '../hosts/revision-hosts.ts';

/** The hosts of a revision without processes, by a clock that the test moves. */

/** Runs on a host whose event loop is blocked, by a clock that the test moves. */

const manifest: Manifest = { graphs: [], langgraph_version: null };
export const done: RunResult = { outcome: 'success', interrupts: [], output: null };

interface FakeHost extends HostHandle {
  /** The runs that it has accepted, and those that were cancelled on it. */
  readonly accepted: string[];
  readonly cancelled: string[];
  /** From here on it answers nothing, until it is let go. */
  block(): void;
  /** Its answer to a ping, about its event loop. */
  held_up: HeldUp | undefined;
  letGo(): void;
  ended: boolean;
}

function fakeHost(pid: number): FakeHost {
  const { promise: exited, resolve } = Promise.withResolvers<string>();
  const unread: (() => void)[] = [];
  let blocked = false;
  const end = () => {
    host.ended = true;
    resolve('The graph host was ended by SIGKILL.');
  };
  const host: FakeHost = {
    pid,
    exited,
    out_of_memory: false,
    breach: undefined,
    refusal_code: undefined,
    begun: Promise.resolve(),
    accepted: [],
    cancelled: [],
    ended: false,
    held_up: undefined,
    block: () => (blocked = true),
    letGo: () => {
      blocked = false;
      for (const read of unread.splice(0)) read();
    },
    fetch: () => Promise.reject(new Error('No app.')),
    connect: () => Promise.reject(new Error('No app.')),
    ask: async <M extends keyof EngineCalls>(method: M, params: EngineCalls[M]['params']) => {
      if (blocked) await new Promise<void>((read) => unread.push(read));
      const { run_id = '' } = params as { run_id?: string };
      if (method === 'run') host.accepted.push(run_id);
      if (method === 'cancel') host.cancelled.push(run_id);
      const answers: Readonly<Record<string, object>> = {
        describe: manifest,
        ping: host.held_up === undefined ? {} : { held_up: host.held_up },
      };
      return { result: (answers[method] ?? {}) as EngineCalls[M]['result'], blobs: [] };
    },
    kill: end,
    stop: async () => end(),
    [Symbol.asyncDispose]: async () => end(),
  };
  return host;
}

export const pass = (ms: number) => vi.advanceTimersByTimeAsync(ms);

/** Opens hosts that are disposed of after the test. */
export function useFakeHosts() {
  const stack = useFixturePerTest(() => {
    const opened = new AsyncDisposableStack();
    vi.useFakeTimers();
    opened.defer(() => void vi.useRealTimers());
    return opened;
  });

  return function openHosts(
    options: { max_hosts?: number; jobs_per_host?: number; unresponsive_ms?: number } = {},
  ) {
    const hosts: FakeHost[] = [];
    const notices: string[] = [];
    const revision = new RevisionHosts({
      spawn: () => {
        const host = fakeHost(hosts.length);
        hosts.push(host);
        return host;
      },
      sink: { ask: () => Promise.reject(new Error('unused')), tell: () => undefined },
      jobs_per_host: options.jobs_per_host ?? 10,
      max_hosts: options.max_hosts ?? 2,
      min_hosts: 0,
      idle_ms: 900_000,
      start_ms: 60_000,
      unresponsive_ms: options.unresponsive_ms ?? 60_000,
      onHosts: () => undefined,
      memory_mb: 1024,
      onTrouble: () => undefined,
      onNotice: (level, message) => notices.push(`${level} ${message}`),
      log: silentLog,
    });
    stack().defer(async () => {
      const closed = revision[Symbol.asyncDispose]();
      await vi.advanceTimersByTimeAsync(10_000);
      await closed;
    });
    const run = (run_id: string, attempt = 1, moves = 0) => {
      const ended = revision.run({ run_id, attempt } as RunParams, 'caller', { moves });
      ended.catch(() => undefined);
      return ended;
    };
    const settle = (run_id: string, attempt = 1) => revision.settle({ run_id, attempt }, done);
    const host = (at: number) => {
      const one = hosts[at];
      if (one === undefined) throw new Error(`There is no host ${at}.`);
      return one;
    };
    const cancel = (run_id: string) => revision.cancel({ run_id, attempt: 1 });
    const borrow = () => revision.borrow();
    return { hosts, host, notices, run, settle, cancel, borrow };
  };
}
