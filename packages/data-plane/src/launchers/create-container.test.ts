import { fileURLToPath } from 'node:url';
import { ContainerEngine } from '@roadstead/containers';
import { expect, test } from 'vitest';
import { serverContainer } from '../servers/server-container.ts';
import { FakeEngine } from '../testing/engine/fake-engine.ts';
import { createContainer } from './create-container.ts';

const container = serverContainer({
  image: { reference: 'image', port: 8000, labels: {} },
  environment: {},
  network: 'none',
  labels: {},
  memory_mb: 256,
  cpus: undefined,
  disk_mb: 1024,
});

test.each([
  [undefined, { size: '1024m' }],
  ["--storage-opt is supported only for overlay over xfs with 'pquota' mount option", undefined],
  ['Storage option overlay.size only supported for backingFS XFS', undefined],
])('when the storage of an engine says %s to a bound, then what it has is %j', async (says, bound) => {
  await using engine = await FakeEngine.open(fileURLToPath(import.meta.url));
  engine.storage_refusal = says;
  await createContainer(new ContainerEngine(engine.socket), { name: 'c', container });
  expect(engine.madeOf('c')?.HostConfig).toMatchObject({ Memory: 256 * 1024 * 1024 });
  expect(engine.madeOf('c')?.HostConfig.StorageOpt).toEqual(bound);
});

test('when an engine refuses a container for something else, then that is told', async () => {
  await using engine = await FakeEngine.open(fileURLToPath(import.meta.url));
  engine.storage_refusal = 'no space left on device';
  const created = createContainer(new ContainerEngine(engine.socket), { name: 'c', container });
  await expect(created).rejects.toThrow('no space left');
});
