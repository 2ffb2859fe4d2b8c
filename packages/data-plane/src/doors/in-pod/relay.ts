/**
 * Joins a graph host to its data plane: each connection that the host makes to a socket of the pod becomes one over TLS. The first line of
 * each says which one it is; the token by which the pod is known is put into it here, where the host's code does not see it.
 */
import { rmSync } from 'node:fs';
import { createServer, type Socket } from 'node:net';
import { pipeline } from 'node:stream';
import { reach, reachVariables } from './reach.ts';

const [path = ''] = process.argv.slice(2);
const { [reachVariables.token]: token = '' } = process.env;
const MAX_HELLO_BYTES = 1024;
const NAMES = ['channel', 'app', 'loopback'];

async function join(host: Socket): Promise<void> {
  host.on('error', () => undefined);
  try {
    const connection = await nameOf(host);
    const engine = await reach();
    engine.write(`${JSON.stringify({ token, connection })}\n`);
    // Each end is passed on by itself.
    pipeline(host, engine, () => undefined);
    pipeline(engine, host, () => undefined);
  } catch (error) {
    const why = error instanceof Error ? error.message : 'no reason';
    process.stderr.write(`A connection to the data plane was not made: ${why}\n`);
    host.destroy();
  }
}

/** What the first line says of a connection; the rest is left to be read. */
async function nameOf(host: Socket): Promise<string> {
  let held = Buffer.alloc(0);
  const line = await new Promise<string>((resolve, reject) => {
    const read = (bytes: Buffer) => {
      held = Buffer.concat([held, bytes]);
      const at = held.indexOf('\n');
      if (at < 0 && held.length <= MAX_HELLO_BYTES) return;
      host.pause().off('data', read);
      if (at < 0) reject(new Error('its first line is too long'));
      else {
        if (held.length > at + 1) host.unshift(held.subarray(at + 1));
        resolve(held.toString('utf8', 0, at));
      }
    };
    host.on('data', read).once('close', () => reject(new Error('it was closed')));
  });
  const { connection } = JSON.parse(line) as { connection?: unknown };
  if (typeof connection !== 'string' || !NAMES.includes(connection)) throw new Error('it has no known name');
  return connection;
}

// One is left where this began anew.
rmSync(path, { force: true });
const server = createServer({ allowHalfOpen: true }, (host) => void join(host));
// Its host may be another user of the pod; nobody else sees the folder.
server.listen({ path, readableAll: true, writableAll: true });
for (const signal of ['SIGTERM', 'SIGINT'] as const) process.once(signal, () => process.exit(0));
