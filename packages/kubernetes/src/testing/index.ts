export { FakeApiServer, type FakeFault } from './fake-api-server.ts';
export type { FakePod } from './fake-pod.ts';
export { FakeRefusal } from './fake-refusal.ts';
export { runOnThisMachine } from './local-node.ts';
