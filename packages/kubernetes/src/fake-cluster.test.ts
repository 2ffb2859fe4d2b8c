import { clientSuite } from './testing/client-suite.ts';
import { FakeApiServer, runOnThisMachine } from './testing/index.ts';

clientSuite('played', async () => {
  const server = await FakeApiServer.open();
  server.objects.onPod = runOnThisMachine;
  return { access: server.access, image: 'any', [Symbol.asyncDispose]: () => server[Symbol.asyncDispose]() };
});
