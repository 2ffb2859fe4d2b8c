import { FakeApiServer } from '@roadstead/kubernetes/testing';
import { playControllers } from '../testing/cluster/fake-controllers.ts';
import { playNode } from '../testing/cluster/fake-node.ts';
import { openPodRuntime } from '../testing/cluster/open-pods.ts';
import { hostsSuite } from '../testing/hosts-suite.ts';
import { runtimeSuite } from '../testing/runtime-suite.ts';

const open = async () => {
  await using stack = new AsyncDisposableStack();
  const server = stack.use(await FakeApiServer.open());
  playControllers(server);
  playNode(server);
  const opened = stack.use(await openPodRuntime({ access: server.access, host: '127.0.0.1', image: 'host' }));
  const all = stack.move();
  return { ...opened, [Symbol.asyncDispose]: () => all.disposeAsync() };
};

runtimeSuite('pods of a cluster that is played', open);
hostsSuite('pods of a cluster that is played', open);
