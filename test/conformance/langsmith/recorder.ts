import { createServer, request } from 'node:http';
import type { AddressInfo } from 'node:net';

/** Stands between a suite and the platform, passes everything on, and counts how each route was answered. */
export interface Recorder extends AsyncDisposable {
  readonly url: string;
  /** `501 GET /runs/{id}` → how often. */
  readonly answers: ReadonlyMap<string, number>;
}

export async function startRecorder(target: string): Promise<Recorder> {
  const answers = new Map<string, number>();
  const server = createServer((incoming, outgoing) => {
    const onward = request(
      `${target}${incoming.url ?? ''}`,
      { method: incoming.method, headers: incoming.headers },
      (answer) => {
        const route = `${answer.statusCode} ${incoming.method} ${routeOf(incoming.url ?? '')}`;
        answers.set(route, (answers.get(route) ?? 0) + 1);
        outgoing.writeHead(answer.statusCode ?? 502, answer.rawHeaders);
        answer.pipe(outgoing);
      },
    );
    onward.once('error', () => outgoing.destroy());
    incoming.pipe(onward);
  });
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    answers,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      await new Promise<void>((done) => server.close(() => done()));
    },
  };
}

/** The path without ids, names and tokens that are hexadecimal, so that the same route counts as one. */
function routeOf(url: string): string {
  const [path = ''] = url.split('?', 1);
  return path.replaceAll(/[0-9a-f]{8}-[0-9a-f-]{27}/g, '{id}').replaceAll(/[0-9a-f]{16,}/g, '{hex}');
}
