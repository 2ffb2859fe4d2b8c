import { ContainerEngine } from '@roadstead/containers';
import { isNamed } from '@roadstead/testing';
import { describe } from 'vitest';
import { labelledServers, TEST_LABEL } from '../testing/engine/containers-for-tests.ts';
import { serverSuite } from '../testing/engine/server-suite.ts';

/** A container engine, and an image that starts `test-server.mjs`. */
const { ROADSTEAD_TEST_ENGINE: socket = '', ROADSTEAD_TEST_SERVER_IMAGE: image = '' } = process.env;

const can_run = isNamed('Servers on an engine are', {
  ROADSTEAD_TEST_ENGINE: socket,
  ROADSTEAD_TEST_SERVER_IMAGE: image,
});
const reports = can_run && (await new ContainerEngine(socket).describe()).kind === 'docker';

describe.skipIf(!can_run)('on an engine (ROADSTEAD_TEST_ENGINE)', () => {
  serverSuite({ name: 'a real engine', limits_memory: { reports } }, async () => {
    const engine = new ContainerEngine(socket);
    const found = async (label: string) => engine.list({ [TEST_LABEL]: label });
    return {
      placeFor: (label) => labelledServers(socket, label),
      image,
      killAll: async (label) => {
        for (const { id } of await found(label)) await engine.stop(id, 0);
      },
      count: async (label) => (await found(label)).length,
      [Symbol.asyncDispose]: async () => undefined,
    };
  });
});
