import { Server } from 'node:http';
import { isMainThread } from 'node:worker_threads';

/** Loaded first (`--import`) by processes of tests. */

/** They end once nobody holds the other end of their standard input: a test that is killed leaves none. */
if (isMainThread) {
  process.stdin.on('end', () => process.exit(1)).resume();
  (process.stdin as Partial<{ unref: () => void }>).unref?.();
}

/** The answer after so many requests ends its connection, so that the balancer gives the next to another process. */
const most = Number(process.env['REQUESTS_PER_CONNECTION']);
Object.defineProperty(Server.prototype, 'maxRequestsPerSocket', { get: () => most, set: () => {} });
