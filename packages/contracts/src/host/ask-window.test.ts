import fc from 'fast-check';
import { expect, test } from 'vitest';
import { AskWindow, HOST_WINDOW } from './ask-window.ts';
import { enginePeer, type EnginePeer, hostPeer, type HostPeer } from './testing/peers.ts';

const limits = { asks: 3, bytes: 100, beside: ['write'] };

test('when questions have any size, then few are open, all go in order, and none waits for ever', () => {
  fc.assert(
    fc.property(fc.array(fc.integer({ min: 1, max: 150 })), (sizes) => {
      const open: { readonly id: number; readonly size: number }[] = [];
      const gone: number[] = [];
      const window = new AskWindow(limits, ([bytes]) => {
        const id = gone.length;
        gone.push(id);
        open.push({ id, size: bytes?.length ?? 0 });
        const size = open.reduce((sum, one) => sum + one.size, 0);
        expect(open.length === 1 || (open.length <= limits.asks && size <= limits.bytes)).toBe(true);
      });
      for (const [id, size] of sizes.entries())
        window.ask({ id, method: 'question', frame: [new Uint8Array(size)] });
      for (let first = open.shift(); first !== undefined; first = open.shift()) window.answered(first.id);
      expect(gone).toEqual([...sizes.keys()]);
    }),
  );
});

test('when a run writes, then it waits for no question', () => {
  const written: string[] = [];
  const window = new AskWindow(limits, ([bytes]) => written.push(Buffer.from(bytes ?? []).toString()));
  for (let id = 0; id < 4; id += 1)
    window.ask({ id, method: 'question', frame: [Buffer.from(`question ${id}`)] });
  window.ask({ id: 4, method: 'write', frame: [Buffer.from('write')] });
  expect(written).toEqual(['question 0', 'question 1', 'question 2', 'write']);
  window.answered(4);
  window.answered(1);
  expect(written.at(-1)).toBe('question 3');
});

test('when a host asks 5,000 questions at once, then all are answered and the engine holds few', async () => {
  let open = 0;
  let most = 0;
  const host: HostPeer = hostPeer({ write: (frame) => void engine.receive(frame) }, { window: HOST_WINDOW });
  const engine: EnginePeer = enginePeer(
    { write: (frame) => void host.receive(frame) },
    {
      ask: async () => {
        open += 1;
        most = Math.max(most, open);
        await new Promise((resolve) => setImmediate(resolve));
        open -= 1;
        return { result: { tuples: [] } };
      },
    },
  );
  const asked = Array.from({ length: 5000 }, () => host.ask('checkpoint.list', {}));
  expect((await Promise.all(asked)).length).toBe(5000);
  expect(most).toBe(HOST_WINDOW.asks);
});

test('when the connection ends, then what waits to go out is rejected and never goes', async () => {
  const sent: Uint8Array[] = [];
  const host = hostPeer({ write: (frame) => void sent.push(frame) }, { window: { ...limits, asks: 1 } });
  const asked = [host.ask('checkpoint.list', {}), host.ask('checkpoint.list', {})];
  host.close(new Error('It ended.'));
  expect((await Promise.allSettled(asked)).map(({ status }) => status)).toEqual(['rejected', 'rejected']);
  expect(sent).toHaveLength(1);
});
