import * as checkpoint from '@langchain/langgraph-checkpoint';
import { expect, test } from 'vitest';
import { checksOfEngine, Peer } from '@roadstead/contracts/host-peer';
import { createSaver, type HostPeer } from './saver.ts';

test('when the thread of a run has no checkpoint, then only other threads are asked for', async () => {
  const frames: Uint8Array[] = [];
  const peer: HostPeer = new Peer(
    { write: (frame) => frames.push(frame) },
    {
      checks: checksOfEngine,
      malformed: 'answer',
      ask: () => Promise.reject(new Error('nobody asks')),
      tell: () => undefined,
    },
  );
  const saver = createSaver(checkpoint as never, peer, {
    run: {
      run_id: 'r',
      attempt: 1,
      thread_id: 'new',
      durability: 'async',
      has_checkpoint: false,
      metadata: {},
    },
  });
  const configOf = (thread_id: string) => ({ configurable: { thread_id } });
  expect(await saver.getTuple(configOf('new'))).toBeUndefined();
  const deltas = await saver.getDeltaChannelHistory({ config: configOf('new'), channels: ['a'] });
  expect(deltas).toEqual({ a: { writes: [] } });
  expect(frames).toHaveLength(0);
  const asked = saver.getTuple(configOf('other'));
  expect(frames).toHaveLength(1);
  peer.close(new Error('closed'));
  await expect(asked).rejects.toThrow('closed');
});

test('when graphs in Python wrote a thread, then its state is refused in words', async () => {
  const tuple = {
    thread_id: 't',
    checkpoint_ns: '',
    checkpoint_id: 'c',
    parent_checkpoint_id: null,
    checkpoint: {
      v: 4,
      channel_versions: { said: '00000000000000000000000000000002.0.5' },
      channel_values: { said: 'x' },
    },
    metadata: {},
    channels: [],
    writes: [],
    pending_sends: [],
  };
  const peer = { ask: () => Promise.resolve({ result: tuple, blobs: [] }) } as unknown as HostPeer;
  const saver = createSaver(checkpoint as never, peer);
  const read = saver.getTuple({ configurable: { thread_id: 't' } });
  await expect(read).rejects.toMatchObject({
    name: 'ThreadLanguageError',
    a2a: 'reject',
    message: expect.stringMatching(/was written by graphs in Python.*Begin a new thread/) as string,
  });
});
