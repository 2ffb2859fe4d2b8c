import { get } from 'node:http';

/** How long an answer may take. */
const ANSWER_MS = 5000;

/** Whether a server at a port of this machine answers at all, and not with an error of its own: engines take up connections before it does. */
export function isAnswering(port: number, signal: AbortSignal): Promise<boolean> {
  return new Promise((resolve) => {
    const limit = AbortSignal.any([signal, AbortSignal.timeout(ANSWER_MS)]);
    get({ host: '127.0.0.1', port, path: '/ok', agent: false, signal: limit }, (answer) => {
      answer.destroy();
      resolve((answer.statusCode ?? 500) < 500);
    }).on('error', () => resolve(false));
  });
}
