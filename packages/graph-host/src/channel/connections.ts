import { connect, Socket } from 'node:net';
import { type ConnectionName, descriptors, dialVariables } from '@roadstead/contracts/host-peer';

/**
 * The connections of this host to its engine: over the descriptors that its parent handed to it, or, where it runs elsewhere, over the
 * socket that its variables name.
 */

const { [dialVariables.socket]: path, [dialVariables.token]: token } = process.env;
for (const name of Object.values(dialVariables)) delete process.env[name];
const dialled = path === undefined ? undefined : dialAll(path);

/** A connection, once. */
export function openConnection(name: ConnectionName): Socket {
  return dialled?.[name] ?? new Socket({ fd: descriptors[name], readable: true, writable: true });
}

/** All of them at once: the engine takes none that comes later. */
function dialAll(socket: string): Record<ConnectionName, Socket> {
  const dial = (connection: ConnectionName) => {
    const opened = connect(socket);
    opened.on('error', () => undefined);
    opened.write(`${JSON.stringify({ token, connection })}\n`);
    // The channel alone decides how long a host lives.
    return connection === 'channel' ? opened : opened.unref();
  };
  return { channel: dial('channel'), app: dial('app'), loopback: dial('loopback') };
}
