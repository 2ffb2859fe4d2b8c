import { createServer, type IncomingMessage, type RequestListener } from 'node:http';
import { join } from 'node:path';
import { useFolder } from '@roadstead/testing';
import { expect, test } from 'vitest';
import { ContainerEngine } from './container-engine.ts';
import { findEngineSocket } from './engine-socket.ts';

const folder = useFolder('engine-');
let count = 0;

/** An engine that answers as this listener does. */
async function engineThat(answer: RequestListener) {
  const socket = join(folder(), `${(count += 1)}.sock`);
  const server = createServer(answer);
  await new Promise<void>((resolve) => server.listen(socket, resolve));
  return {
    engine: new ContainerEngine(socket),
    [Symbol.asyncDispose]: async () => {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

const json =
  (status: number, body: unknown): RequestListener =>
  (_request, answer) =>
    void answer.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body));

test('when an engine is asked what it is, then Docker, Podman and mapped users are told apart', async () => {
  const facts =
    (version: object, security: readonly string[]): RequestListener =>
    (request, answer) =>
      json(200, request.url?.endsWith('/info') ? { OSType: 'linux', SecurityOptions: security } : version)(
        request,
        answer,
      );
  const docker = { Version: '20.10.24', Arch: 'amd64', Components: [{ Name: 'Engine' }] };
  const podman = { Version: '4.3.1', Arch: 'arm64', Components: [{ Name: 'Podman Engine' }] };
  await using one = await engineThat(facts(docker, ['name=seccomp,profile=default']));
  await using other = await engineThat(facts(podman, ['name=rootless']));
  expect(await one.engine.describe()).toEqual({
    os: 'linux',
    architecture: 'amd64',
    kind: 'docker',
    version: '20.10.24',
    maps_users: false,
  });
  expect(await other.engine.describe()).toEqual({
    os: 'linux',
    architecture: 'arm64',
    kind: 'podman',
    version: '4.3.1',
    maps_users: true,
  });
});

test('when an engine refuses, then its own words are the error', async () => {
  await using one = await engineThat(json(409, { message: 'The name is in use' }));
  await expect(one.engine.start('x', new AbortController().signal)).rejects.toMatchObject({
    status: 409,
    message: 'The name is in use',
  });
});

test('when an engine breaks off, or gives no connection, then it is away, or has its words', async () => {
  await using broken = await engineThat((_request, answer) => {
    answer.writeHead(200, { 'content-length': '100' }).write('{');
    answer.destroy();
  });
  await expect(broken.engine.inspect('x')).rejects.toMatchObject({ kind: 'unavailable' });
  await using one = await engineThat(json(404, { message: 'No such container: x' }));
  await expect(one.engine.attach('x', new AbortController().signal)).rejects.toMatchObject({ status: 404 });
});

test('when a container is gone, then there is none, and to remove it again does nothing', async () => {
  const asked: (string | undefined)[] = [];
  await using one = await engineThat((request, answer) => {
    asked.push(request.url);
    json(404, { message: 'No such container: x' })(request, answer);
  });
  const { signal } = new AbortController();
  expect(await one.engine.inspect('x')).toBeUndefined();
  await one.engine.wait('x', signal);
  await one.engine.remove('x');
  expect(asked).toHaveLength(3);
});

test('when containers are listed, then it is by their labels, running or not', async () => {
  let query: URLSearchParams | undefined;
  await using one = await engineThat((request: IncomingMessage, answer) => {
    query = new URL(request.url ?? '', 'http://engine').searchParams;
    json(200, [{ Id: 'a' }, { Id: 'b', Labels: { owner: 'me' } }])(request, answer);
  });
  expect(await one.engine.list({ owner: 'me' })).toEqual([
    { id: 'a', labels: {} },
    { id: 'b', labels: { owner: 'me' } },
  ]);
  expect([query?.get('all'), query?.get('filters')]).toEqual(['true', '{"label":["owner=me"]}']);
});

test.each(['a', 'ab', 'abc', 'abcd??>>'])(
  'when an image is fetched with the password %s, then its login is padded Base64',
  async (password) => {
    let header = '';
    await using one = await engineThat((request, answer) => {
      header = String(request.headers['x-registry-auth']);
      answer.end('{"status":"Pulling"}\n{"status":"Pull complete","id":"abc"}\n');
    });
    const told: unknown[] = [];
    const auth = { username: 'me', password, serveraddress: 'registry.test' };
    const onProgress = (...line: unknown[]) => void told.push(line);
    await one.engine.pull('registry.test/agent:1', {
      auth,
      onProgress,
      signal: new AbortController().signal,
    });
    expect(header).toMatch(/^(?:[\w-]{4})*(?:[\w-]{2}==|[\w-]{3}=)?$/);
    expect(JSON.parse(Buffer.from(header, 'base64url').toString())).toEqual(auth);
    expect(told).toEqual([
      ['Pulling', undefined],
      ['Pull complete', 'abc'],
    ]);
  },
);

test('when an engine fetches an image in vain, then the words in its answer are the error', async () => {
  await using one = await engineThat((_request, answer) => answer.end('{"error":"manifest unknown"}\n'));
  const options = { auth: undefined, onProgress: () => undefined, signal: new AbortController().signal };
  await expect(one.engine.pull('agent:1', options)).rejects.toThrow('manifest unknown');
});

test.each([
  ['Docker', [], []],
  ['Podman', ['localhost/agent@sha256:0f'], []],
  [
    'Podman',
    ['registry.test/agent@sha256:0f', 'localhost/agent@sha256:0f'],
    ['registry.test/agent@sha256:0f'],
  ],
])(
  'when %s has an image with digests %j, then %j are of registries',
  async (_name, RepoDigests, expected) => {
    await using one = await engineThat(
      json(200, { Id: 'sha256:0e', RepoDigests, Os: 'linux', Architecture: 'amd64', Config: {} }),
    );
    expect((await one.engine.inspectImage('agent'))?.repository_digests).toEqual(expected);
  },
);

test('when an engine is away, then that is said with its socket, and what to do', async () => {
  const engine = new ContainerEngine(join(folder(), 'none.sock'));
  await expect(engine.describe()).rejects.toMatchObject({
    kind: 'unavailable',
    message: expect.stringContaining('none.sock does not answer (ENOENT)'),
    hint: expect.stringContaining('ROADSTEAD_ENGINE'),
  });
});

test('when somebody gives up, then the call ends with their reason', async () => {
  await using one = await engineThat(() => undefined);
  const stop = new AbortController();
  const waited = one.engine.wait('x', stop.signal);
  stop.abort(new Error('given up'));
  await expect(waited).rejects.toThrow('given up');
});

test.each([
  ['/a/b.sock', {}, '/a/b.sock'],
  ['unix:///a/b.sock', {}, '/a/b.sock'],
  [undefined, { DOCKER_HOST: 'unix:///c.sock' }, '/c.sock'],
])('when %s is named and %o is set, then the socket is %s', async (named, environment, socket) => {
  expect(await findEngineSocket(named, environment)).toBe(socket);
});

test('when an engine is elsewhere, then that is refused in words', async () => {
  await expect(findEngineSocket('tcp://10.0.0.1:2375', {})).rejects.toThrow('tcp://10.0.0.1:2375 is none');
});
