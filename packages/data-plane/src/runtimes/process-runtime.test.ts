import { fencedLauncher } from '@roadstead/agent-server';
import { openFence } from '@roadstead/fence';
import { hostsSuite } from '../testing/hosts-suite.ts';
import { runtimeSuite } from '../testing/runtime-suite.ts';
import { openTestRuntime } from '../testing/test-runtime.ts';

const open = () =>
  openTestRuntime(async (data_folder) => {
    const { fence } = await openFence({ isolation: 'auto', data_folder, sockets: [] });
    return fencedLauncher(fence);
  });

runtimeSuite('process', open);
hostsSuite('process', open);
