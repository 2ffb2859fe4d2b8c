import { createHash } from 'node:crypto';
import { takeHanded } from '../connections/handed-connections.ts';
import { listen } from '../connections/http-server.ts';

/**
 * A process that serves the connections handed to it, with the socket and the limit in its arguments, until it is
 * asked to stop.
 */

const [socket = '', request_ms = ''] = process.argv.slice(2);
const server = await listen(
  (_request, response) => response.end('accepted here'),
  { socket },
  {
    request_ms: Number(request_ms),
    taken: {
      listener: (request, response) => {
        const hash = createHash('sha256');
        let size = 0;
        request
          .on('data', (bytes: Buffer) => {
            hash.update(bytes);
            size += bytes.length;
          })
          .on('end', () => {
            const address = request.socket.remoteAddress;
            response.end(JSON.stringify({ url: request.url, address, size, sha256: hash.digest('hex') }));
          });
      },
    },
  },
);
const handed = takeHanded(process, (beginning) => server.take(beginning));
process.once('SIGTERM', () => {
  handed[Symbol.dispose]();
  void server[Symbol.asyncDispose]();
});
