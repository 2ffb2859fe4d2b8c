import { ContainerEngine } from '@roadstead/containers';
import { Problem, silentLog } from '@roadstead/kit';
import { expect, test } from 'vitest';
import { containerServers } from './container-servers.ts';
import { ServerProcess } from './server-process.ts';

const started = (ensureImage: () => Promise<void>) =>
  new ServerProcess({
    place: containerServers({
      engine: new ContainerEngine('/nowhere/engine.sock'),
      ensureImage,
      runs_checks: true,
      network: 'none',
      labels: {},
      disk_mb: 1024,
      log: silentLog,
    }),
    names: { deployment_id: 'deployment', revision_id: 'revision', name: 'server' },
    image: { reference: `sha256:${'1'.repeat(64)}`, port: 8000, labels: {} },
    environment: {},
    memory_mb: 256,
    cpus: undefined,
    start_ms: 60_000,
    unresponsive_ms: 60_000,
    onLine: () => undefined,
  });

test('when the engine is away at a start, then that is no fault of the image', async () => {
  const server = started(async () => undefined);
  await expect(server.ready).rejects.toMatchObject({ name: 'EngineAway' });
  expect(await server.ended).toEqual({ kind: 'not started', why: 'the container engine is away' });
});

test('when the image is gone at a start, then its own words say so', async () => {
  const server = started(async () => {
    throw new Problem('invalid', 'The image is no longer there.', { code: 'image_gone' });
  });
  await expect(server.ready).rejects.toMatchObject({
    name: 'Problem',
    message: expect.stringContaining('could not be started (The image is no longer there.)') as string,
  });
});
