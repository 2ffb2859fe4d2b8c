import { get } from 'node:http';
import type { ServerAddress } from '../ports/server-place.ts';

/** How long an answer may take. */
const ANSWER_MS = 5000;

/** Whether a server answers at all, and not with an error of its own: engines take up connections before it does. */
export function isAnswering({ host, port }: ServerAddress, signal: AbortSignal): Promise<boolean> {
  return new Promise((resolve) => {
    const limit = AbortSignal.any([signal, AbortSignal.timeout(ANSWER_MS)]);
    get({ host, port, path: '/ok', agent: false, signal: limit }, (answer) => {
      answer.destroy();
      resolve((answer.statusCode ?? 500) < 500);
    }).on('error', () => resolve(false));
  });
}
