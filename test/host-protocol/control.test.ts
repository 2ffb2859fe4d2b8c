import { useFixture } from '@roadstead/testing';
import { expect, test } from 'vitest';
import { texts } from '../../packages/graph-host/src/testing/host-process.ts';
import { runOf, startHost } from './host.ts';

/** How runs and hosts are ended, and how a host waits for an engine that has no room. */

const host = useFixture(() => startHost('graphs'));

const isUnderWay = (thread_id: string) => () => host().engine.checkpoints(thread_id).length >= 3;

test.each(['cancel', 'drain'] as const)(
  'when a run is ended by %s, then its end says so, and what it said before is kept',
  async (reason) => {
    const run = runOf('wait', { run_id: crypto.randomUUID() });
    const ended = host().run(run);
    await host().until(isUnderWay(run.thread_id));
    const { result } = await host().peer.ask('cancel', { run_id: run.run_id ?? '', attempt: 1, reason });
    expect(result).toEqual({ found: true });
    const { outcome, events } = await ended;
    expect(outcome).toEqual({ outcome: 'cancelled', reason });
    expect(texts(events)).toEqual(['began']);
  },
);

test('when another attempt is cancelled, then it is not found, and the run goes on', async () => {
  const run = runOf('wait', { run_id: crypto.randomUUID() });
  const run_id = run.run_id ?? '';
  const ended = host().run(run);
  await host().until(isUnderWay(run.thread_id));
  const other = await host().peer.ask('cancel', { run_id, attempt: 2, reason: 'cancel' });
  expect(other.result).toEqual({ found: false });
  expect((await host().peer.ask('ping', {})).result.runs).toBe(1);
  await host().peer.ask('cancel', { run_id, attempt: 1, reason: 'cancel' });
  expect((await ended).outcome.outcome).toBe('cancelled');
});

test('when an ended run is cancelled, then it is not found', async () => {
  const run_id = crypto.randomUUID();
  await host().run(runOf('echo', { run_id }));
  const { result } = await host().peer.ask('cancel', { run_id, attempt: 1, reason: 'cancel' });
  expect(result).toEqual({ found: false });
});

test('when a run waits, then the host answers other questions and runs others', async () => {
  const run = runOf('wait', { run_id: crypto.randomUUID() });
  const ended = host().run(run);
  await host().until(isUnderWay(run.thread_id));
  expect((await host().run(runOf('echo'))).outcome.outcome).toBe('success');
  await host().peer.ask('cancel', { run_id: run.run_id ?? '', attempt: 1, reason: 'cancel' });
  await ended;
});

test('when the engine has no room, then a graph waits and the host still answers', async () => {
  const full = Promise.withResolvers<void>();
  host().room = full.promise;
  const run = host().run(
    runOf('flood', {
      input: { step: 0 },
      recursion_limit: 100,
      plain: false,
      stream: { modes: ['custom'], subgraphs: false },
    }),
  );
  await host().until(() => host().output.includes('step 3'));
  for (let pings = 0; pings < 10; pings += 1) await host().peer.ask('ping', {});
  // Some megabytes may be under way, but not all that the graph has to say.
  expect(host().output).not.toContain('step 12');
  full.resolve();
  const { outcome, events } = await run;
  expect(outcome.outcome).toBe('success');
  const steps = events.map((event) => (event.kind === 'stream' ? (event.data as { step: number }).step : -1));
  expect(steps).toEqual(Array.from({ length: 20 }, (_, step) => step));
});

test('when a host is told to stop, then it answers and ends by itself with code 0', async () => {
  await using other = startHost('graphs');
  await other.run(runOf('echo'));
  const { result } = await other.peer.ask('stop', { grace_ms: 1000 });
  expect(result).toEqual({});
  expect(await other.exited).toBe(0);
});

test('when its engine is gone, then a host ends', async () => {
  await using other = startHost('graphs');
  await other.peer.ask('ping', {});
  other.channel.destroy();
  await other.exited;
  expect(other.child.exitCode !== null || other.child.signalCode !== null).toBe(true);
});

test('when a terminal interrupts, then it is the engine’s to answer, and the host goes on', async () => {
  await using other = startHost('graphs');
  await other.peer.ask('describe', {});
  other.child.kill('SIGINT');
  other.child.kill('SIGTERM');
  expect((await other.run(runOf('echo'))).outcome.outcome).toBe('success');
});
