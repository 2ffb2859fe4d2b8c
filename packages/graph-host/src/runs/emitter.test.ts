import { expect, test } from 'vitest';
import type { HostEvent } from '@roadstead/contracts/host';
import { checksOfEngine } from '@roadstead/contracts/host-peer';
import type { HostPeer } from '../checkpoints/saver.ts';
import { CheckedPeer } from '../values/checked-peer.ts';
import { createEmitter } from './emitter.ts';

test('when one step says more than a frame may hold, then it goes out in several frames', async () => {
  const sizes: number[] = [];
  const peer = new CheckedPeer(
    { write: (bytes) => void sizes.push(bytes.length) },
    {
      checks: checksOfEngine,
      malformed: 'answer',
      ask: () => Promise.reject(new Error('nothing is asked')),
      tell: () => undefined,
    },
  );
  const signal = AbortSignal.abort();
  const emitter = createEmitter(peer, { run_id: crypto.randomUUID(), attempt: 1 }, { signal });
  const events = Array.from({ length: 60_000 }, (_, at): HostEvent => ({
    kind: 'said',
    speaker: String(at),
  }));
  await emitter.add(events);
  await emitter.end();
  expect(emitter.untold()).toBeUndefined();
  expect(sizes.length).toBeGreaterThan(1);
});

test('when the engine does not take a frame, then the run learns that its events are lost', async () => {
  const lost = new Error('the frame is too large');
  const peer = { tell: () => undefined, ask: () => Promise.reject(lost) } as unknown as HostPeer;
  const { signal } = new AbortController();
  const emitter = createEmitter(peer, { run_id: crypto.randomUUID(), attempt: 1 }, { signal });
  await emitter.add([{ kind: 'stream', event: 'custom', ns: [], data: 'x'.repeat(1_100_000) }]);
  await emitter.end();
  expect(emitter.untold()).toEqual({ error: lost });
});
