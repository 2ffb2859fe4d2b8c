import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFile } from 'node:fs/promises';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { createServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { promisify } from 'node:util';

export interface HttpsHost extends AsyncDisposable {
  readonly port: number;
  /** The address of the repository that it serves. */
  readonly url: string;
  /** Its certificate, to be trusted. */
  readonly ca_file: string;
  /** The credentials that it accepts: `user:token`; undefined lets everybody in. */
  credentials: string | undefined;
  /** Answers in place of git, where it returns an answer. */
  before: ((request: IncomingMessage, response: ServerResponse) => boolean) | undefined;
  /** All requests: method, path and query, and the credentials as they were sent. */
  readonly requests: { readonly line: string; readonly authorization: string | undefined }[];
}

/**
 * A realistic host: git's own program over https, with a certificate of its own, on localhost.
 * @param address another one of this machine, at which it is reached as well
 */
export async function startHttpsHost(root: string, address?: string): Promise<HttpsHost> {
  const [key, certificate] = [join(root, 'key.pem'), join(root, 'certificate.pem')];
  const names = ['DNS:localhost', 'IP:127.0.0.1', ...(address === undefined ? [] : [`IP:${address}`])];
  const subject = ['-subj', '/CN=localhost', '-addext', `subjectAltName=${names.join(',')}`];
  const made = ['-x509', '-newkey', 'rsa:2048', '-nodes', '-days', '2', '-keyout', key, '-out', certificate];
  await promisify(execFile)('openssl', ['req', ...made, ...subject]);
  const host: HttpsHost = {
    port: 0,
    url: '',
    ca_file: certificate,
    credentials: undefined,
    before: undefined,
    requests: [],
    [Symbol.asyncDispose]: async () => {
      server.closeAllConnections();
      await server[Symbol.asyncDispose]();
    },
  };
  const server = createServer(
    { key: await readFile(key), cert: await readFile(certificate) },
    (request, response) => {
      const { authorization } = request.headers;
      host.requests.push({ line: `${request.method} ${request.url}`, authorization });
      if (host.before?.(request, response) === true) return;
      const basic = Buffer.from(host.credentials ?? '').toString('base64');
      if (host.credentials === undefined || authorization === `Basic ${basic}`)
        return answer(root, request, response);
      response.writeHead(401, { 'www-authenticate': 'Basic realm="git"' }).end();
    },
  ).listen(0, address === undefined ? '127.0.0.1' : '0.0.0.0');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  return Object.assign(host, { port, url: `https://${address ?? 'localhost'}:${port}/one/agent.git` });
}

/** Answers through the interface of git's program: CGI (RFC 3875). */
function answer(root: string, request: IncomingMessage, response: ServerResponse): void {
  const { pathname, search } = new URL(request.url ?? '', 'https://localhost');
  const backend = spawn('git', ['http-backend'], {
    env: {
      PATH: process.env['PATH'],
      GIT_PROJECT_ROOT: root,
      GIT_HTTP_EXPORT_ALL: '1',
      GIT_CONFIG_NOSYSTEM: '1',
      GIT_CONFIG_GLOBAL: '/dev/null',
      GIT_CONFIG_COUNT: '1',
      GIT_CONFIG_KEY_0: 'safe.directory',
      GIT_CONFIG_VALUE_0: '*',
      GIT_PROTOCOL: String(request.headers['git-protocol'] ?? ''),
      PATH_INFO: pathname,
      QUERY_STRING: search.slice(1),
      REQUEST_METHOD: request.method,
      CONTENT_TYPE: request.headers['content-type'],
      HTTP_CONTENT_ENCODING: request.headers['content-encoding'],
    },
    stdio: ['pipe', 'pipe', 'ignore'],
  });
  backend.stdin.on('error', () => undefined);
  request.pipe(backend.stdin);
  let held = Buffer.alloc(0);
  backend.stdout.on('data', (bytes: Buffer) => {
    if (response.headersSent) return void response.write(bytes);
    held = Buffer.concat([held, bytes]);
    const end = held.indexOf('\r\n\r\n');
    if (end < 0) return;
    const headers = held.subarray(0, end).toString().split('\r\n');
    const pairs = headers.map((line) => line.split(': ') as [string, string]);
    const { Status = '200', ...others } = Object.fromEntries(pairs);
    response.writeHead(Number.parseInt(Status, 10), others);
    response.write(held.subarray(end + 4));
  });
  backend.on('close', () => response.end());
  response.on('close', () => backend.kill());
}
