import { fencedLauncher } from '@roadstead/agent-server';
import { openFence } from '@roadstead/fence';
import { runtimeSuite } from '../testing/runtime-suite.ts';
import { openTestRuntime } from '../testing/test-runtime.ts';

runtimeSuite('process', () =>
  openTestRuntime(async (data_folder) => {
    const { fence } = await openFence({ isolation: 'auto', data_folder, sockets: [] });
    return fencedLauncher(fence);
  }),
);
