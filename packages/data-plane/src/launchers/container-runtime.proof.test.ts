import { randomUUID } from 'node:crypto';
import { join } from 'node:path';
import { ContainerEngine } from '@roadstead/containers';
import { silentLog } from '@roadstead/kit';
import { isNamed } from '@roadstead/testing';
import { describe } from 'vitest';
import { hostsSuite } from '../testing/hosts-suite.ts';
import { runtimeSuite } from '../testing/runtime-suite.ts';
import { openTestRuntime } from '../testing/test-runtime.ts';
import { ContainerLauncher } from './container-launcher.ts';

/** A container engine, and an image with glibc that it has. */
const { ROADSTEAD_TEST_ENGINE: socket = '', ROADSTEAD_TEST_HOST_IMAGE: image = '' } = process.env;
const can_run = isNamed('Graph hosts in containers are', {
  ROADSTEAD_TEST_ENGINE: socket,
  ROADSTEAD_TEST_HOST_IMAGE: image,
});

describe.skipIf(!can_run)('in containers (ROADSTEAD_TEST_ENGINE)', () => {
  const open = () =>
    openTestRuntime(
      async (data_folder) =>
        new ContainerLauncher({
          engine: new ContainerEngine(socket),
          image,
          ensureImage: async () => undefined,
          network: 'host',
          owner: randomUUID(),
          hidden: join(data_folder, 'scratch'),
          doors: undefined,
          log: silentLog,
        }),
    );

  runtimeSuite('container', open);
  hostsSuite('container', open);
});
