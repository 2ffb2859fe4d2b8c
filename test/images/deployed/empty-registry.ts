import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';

/** A registry that has no image: its address, on this machine, is one that engines trust without a certificate. */
export async function openEmptyRegistry(): Promise<{ readonly name: string } & AsyncDisposable> {
  const server = createServer((request, answer) => {
    const body = JSON.stringify({ errors: [{ code: 'MANIFEST_UNKNOWN', message: 'manifest unknown' }] });
    const isThere = request.url === '/v2/';
    answer.writeHead(isThere ? 200 : 404, { 'content-type': 'application/json' }).end(isThere ? '{}' : body);
  });
  await once(server.listen(0, '127.0.0.1'), 'listening');
  return {
    name: `127.0.0.1:${(server.address() as AddressInfo).port}`,
    [Symbol.asyncDispose]: async () => {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}
