import { PassThrough, Readable } from 'node:stream';
import { setImmediate } from 'node:timers/promises';
import type { KubernetesClient, Pod, StoredObject } from '@roadstead/kubernetes';
import { expect, test } from 'vitest';
import { printPod } from './print-pod.ts';

test('when a pod prints and nobody reads, then its log is not read on, and ends with its signal', async () => {
  let read = 0;
  const endless = function* () {
    for (;;) yield `2026-01-01T00:00:00.${String((read += 1)).padStart(9, '0')}Z ${'x'.repeat(1000)}\n`;
  };
  const openLog: KubernetesClient['openLog'] = async () => Readable.from(endless(), { objectMode: false });
  const cluster = { openLog } as KubernetesClient;
  const pod = { metadata: { name: 'pod' } } as StoredObject<Pod>;
  const to = new PassThrough();
  const stop = new AbortController();
  const options = { cluster, container: 'c', to, goes_on: () => false, signal: stop.signal };
  const printed = printPod(pod, options);
  await expect.poll(() => to.writableNeedDrain).toBe(true);
  for (let turn = 0; turn < 100; turn += 1) await setImmediate();
  expect(read).toBeLessThan(500);
  expect(to.readableLength).toBeLessThan(500_000);
  const before = read;
  to.read();
  await expect.poll(() => read).toBeGreaterThan(before);
  await expect.poll(() => to.writableNeedDrain).toBe(true);
  stop.abort();
  await printed;
});
