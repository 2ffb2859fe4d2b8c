import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import type { HostEvent } from '@roadstead/contracts/host';
import { HostUnderTest } from './testing/host-process.ts';

const fixture = fileURLToPath(new URL('../fixtures/flood', import.meta.url));

const stepsOf = (events: readonly HostEvent[]) =>
  events.map((event) => (event.kind === 'stream' ? (event.data as { step: number }).step : -1));

test('when the engine has no room, then a graph waits; others on its host can be cancelled', async () => {
  await using host = new HostUnderTest(fixture);
  const full = Promise.withResolvers<void>();
  host.room = full.promise;
  const run_id = crypto.randomUUID();
  const flood = (name: string, id = crypto.randomUUID()) =>
    host.run({
      run_id: id,
      thread_id: crypto.randomUUID(),
      graph_id: 'flood',
      input: { name, step: 0 },
      recursion_limit: 100,
      plain: false,
      stream: { modes: ['custom'], subgraphs: false },
    });
  const patient = flood('patient');
  const cancelled = flood('cancelled', run_id);
  await host.until(() => stepsOf(host.events).filter((step) => step === 3).length === 2);
  for (let pings = 0; pings < 5; pings += 1) await host.peer.ask('ping', {});
  await host.peer.ask('cancel', { run_id, attempt: 1, reason: 'cancel' });
  expect((await cancelled).outcome).toEqual({ outcome: 'cancelled', reason: 'cancel' });
  // Neither has it all told, nor does the graph run ahead.
  expect(host.output).toContain('patient at 3');
  expect(host.output).not.toContain('patient at 12');
  full.resolve();
  const { outcome, events } = await patient;
  expect(outcome.outcome).toBe('success');
  expect(stepsOf(events)).toEqual(Array.from({ length: 40 }, (_, at) => at));
});
