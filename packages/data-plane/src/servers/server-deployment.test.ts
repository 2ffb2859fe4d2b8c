import { fileURLToPath } from 'node:url';
import { FakeEngine } from '../testing/engine/fake-engine.ts';
import { labelledServers } from '../testing/engine/containers-for-tests.ts';
import { serverSuite } from '../testing/engine/server-suite.ts';

const program = fileURLToPath(new URL('../testing/engine/test-server.mjs', import.meta.url));

serverSuite({ name: 'an engine that is played', limits_memory: false }, async () => {
  const engine = await FakeEngine.open(program);
  const image = `sha256:${'1'.repeat(64)}`;
  engine.images.set(image, { id: image, ports: [8000] });
  return {
    placeFor: (label) => labelledServers(engine.socket, label),
    image,
    killAll: async () => {
      for (const name of engine.containers) engine.killIn(name);
    },
    count: async () => engine.containers.length,
    [Symbol.asyncDispose]: () => engine[Symbol.asyncDispose](),
  };
});
