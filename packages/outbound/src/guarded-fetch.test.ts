import { once } from 'node:events';
import { createServer, type IncomingMessage, type RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { Problem } from '@roadstead/kit';
import { isPublicAddress } from './address-ranges.ts';
import { allowedHostsSetting, parseAllowedHosts } from './allowed-hosts.ts';
import { createGuardedFetch, createGuardedStream } from './guarded-fetch.ts';
import { nextHop } from './redirect-rules.ts';

async function startServer(listener: RequestListener) {
  const server = createServer(listener).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  return {
    port,
    url: `http://127.0.0.1:${port}`,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      await server[Symbol.asyncDispose]();
    },
  };
}

const here = ['127.0.0.1'];
const notPublic = { kind: 'invalid', code: 'host_not_allowed' };

describe('addresses', () => {
  test.each([
    ['8.8.8.8', true],
    ['1.1.1.1', true],
    ['2606:4700:4700::1111', true],
    ['0.0.0.0', false],
    ['10.1.2.3', false],
    ['100.64.0.1', false],
    ['127.0.0.1', false],
    ['169.254.169.254', false],
    ['172.16.0.1', false],
    ['172.32.0.1', true],
    ['192.168.1.1', false],
    ['198.18.0.1', false],
    ['224.0.0.1', false],
    ['255.255.255.255', false],
    ['::', false],
    ['::1', false],
    ['::ffff:127.0.0.1', false],
    ['::ffff:8.8.8.8', false],
    ['::ffff:0:127.0.0.1', false],
    ['64:ff9b::7f00:1', false],
    ['64:ff9b:1::7f00:1', false],
    ['2002:7f00:1::', false],
    ['2001:0:7f00:1::', false],
    ['2001:db8::1', false],
    ['fe80::1', false],
    ['fe80::1%eth0', false],
    ['fc00::1', false],
    ['fd00:ec2::254', false],
    ['ff02::1', false],
    ['5f00::1', false],
    ['localhost', false],
    ['', false],
  ])('when the address is %s, then it is public: %s', (address, isPublic) =>
    expect(isPublicAddress(address)).toBe(isPublic),
  );

  test('when a private address is written in IPv6 in any way, then it is not public', () => {
    const privateV4 = fc.oneof(
      ...[
        [10, 8],
        [127, 8],
        [0, 8],
      ].map(([first]) => fc.tuple(fc.constant(first), fc.nat(255), fc.nat(255), fc.nat(255))),
      fc.tuple(fc.constant(169), fc.constant(254), fc.nat(255), fc.nat(255)),
      fc.tuple(fc.constant(192), fc.constant(168), fc.nat(255), fc.nat(255)),
      fc.tuple(fc.constant(172), fc.integer({ min: 16, max: 31 }), fc.nat(255), fc.nat(255)),
      fc.tuple(fc.constant(100), fc.integer({ min: 64, max: 127 }), fc.nat(255), fc.nat(255)),
      fc.tuple(fc.integer({ min: 224, max: 255 }), fc.nat(255), fc.nat(255), fc.nat(255)),
    );
    const prefixes = fc.constantFrom('::', '::ffff:', '::ffff:0:', '64:ff9b::', '64:ff9b:1::');
    fc.assert(
      fc.property(privateV4, prefixes, (parts, prefix) => {
        const address = parts.join('.');
        const [a = 0, b = 0, c = 0, d = 0] = parts as number[];
        const hex = `${((a << 8) | b).toString(16)}:${((c << 8) | d).toString(16)}`;
        for (const written of [address, prefix + address, prefix + hex, `2002:${hex}::1`])
          expect(isPublicAddress(written), written).toBe(false);
      }),
    );
  });
});

describe('hosts that the operator allows', () => {
  test.each([
    ['git.internal', 'git.internal', 443, true],
    ['git.internal', 'GIT.internal.', 80, true],
    ['git.internal:8080', 'git.internal', 8080, true],
    ['git.internal:8080', 'git.internal', 443, false],
    ['git.internal', 'evil.git.internal', 443, false],
  ])('when the setting is %s, then %s:%i may be called: %s', (entry, host, port, isAllowed) =>
    expect(parseAllowedHosts([entry]).hasHost(host, port)).toBe(isAllowed),
  );

  test.each([
    ['10.1.0.0/16', '10.1.2.3', 80, true],
    ['10.1.0.0/16', '10.2.2.3', 80, false],
    ['10.1.2.3:81', '10.1.2.3', 80, false],
    ['::1', '::1', 80, true],
    ['[::1]:8080', '::1', 8080, true],
    ['[::1]:8080', '::1', 80, false],
    ['fd00::/8', 'fd12::1', 80, true],
    ['127.0.0.1', '127.0.0.2', 80, false],
  ])('when the setting is %s, then the address %s:%i may be called: %s', (entry, address, port, isAllowed) =>
    expect(parseAllowedHosts([entry]).hasAddress(address, port)).toBe(isAllowed),
  );

  test('when a setting holds something else, then it is refused', () => {
    expect(allowedHostsSetting.schema.parse(' a.example, 10.0.0.0/8 ,')).toEqual(['a.example', '10.0.0.0/8']);
    for (const wrong of ['http://a', 'a b', '10.0.0.0/33', '10.0.0.0/x', '*.a', '::1/129'])
      expect(allowedHostsSetting.schema.safeParse(wrong).success, wrong).toBe(false);
  });
});

describe('a guarded call', () => {
  test('when a host is allowed, then it gets method, headers, body and Host as they were', async () => {
    let came: IncomingMessage | undefined;
    let body = '';
    await using server = await startServer((request, response) => {
      came = request;
      request.setEncoding('utf8').on('data', (text: string) => (body += text));
      request.on('end', () => response.writeHead(201, { 'x-said': 'yes', 'set-cookie': 'no' }).end('made'));
    });
    const call = createGuardedFetch({ allowed_hosts: ['a.test'], resolve: async () => here });
    const answer = await call(
      new Request(`http://a.test:${server.port}/p?q=1`, {
        method: 'PUT',
        headers: { 'x-key': 'k' },
        body: 'sent',
      }),
    );
    expect([answer.status, answer.headers.get('x-said'), await answer.text()]).toEqual([201, 'yes', 'made']);
    expect(answer.headers.get('set-cookie')).toBeNull();
    expect([came?.method, came?.url, came?.headers['x-key'], body]).toEqual(['PUT', '/p?q=1', 'k', 'sent']);
    expect(came?.headers.host).toBe(`a.test:${server.port}`);
  });

  test.each([
    'http://127.0.0.1:1/',
    'http://localhost:1/',
    'http://2130706433:1/',
    'http://0x7f.1:1/',
    'http://0177.0.0.1:1/',
    'http://127.1:1/',
    'http://[::1]:1/',
    'http://[::ffff:127.0.0.1]:1/',
    'http://[::ffff:7f00:1]:1/',
    'http://169.254.169.254/latest/meta-data',
    'http://0.0.0.0:1/',
    'http://[fe80::1]/',
  ])('when it calls %s, then it is refused before a connection', async (url) => {
    await expect(createGuardedFetch()(new Request(url))).rejects.toMatchObject(notPublic);
  });

  test.each(['ftp://example.com/', 'file:///etc/passwd', 'data:text/plain,a'])(
    'when it calls %s, then it is refused',
    async (url) => {
      await expect(createGuardedFetch()(new Request(url))).rejects.toMatchObject({ kind: 'invalid' });
    },
  );

  test.each([
    ['http://10.0.0.1/', false],
    ['http://2130706433/', false],
    ['http://[::ffff:169.254.169.254]/', false],
    ['http://localhost:8080/', false],
    ['http://a.localhost./', false],
    ['https://me@a.example/', false],
    ['https://a.example/', true],
    ['http://192.168.7.7/', true],
  ])('when %s is checked before it is called, then whether it may be is told: %s', (url, isFine) => {
    const { check } = createGuardedFetch({ allowed_hosts: ['192.168.7.0/24'] });
    const isRefused = () => {
      try {
        check(url);
        return false;
      } catch (error) {
        return (error as Problem).kind === 'invalid';
      }
    };
    expect(isRefused()).toBe(!isFine);
  });

  test('when a name has one private address among others, then it is refused', async () => {
    const call = createGuardedFetch({ resolve: async () => ['8.8.8.8', '10.0.0.1'] });
    await expect(call(new Request('http://a.test/'))).rejects.toMatchObject(notPublic);
  });

  test('when a name means another address a moment later, then the one that was checked is called', async () => {
    await using server = await startServer((request, response) =>
      request.url === '/away' ? response.writeHead(302, { location: '/' }).end() : response.end('there'),
    );
    const asked: string[] = [];
    const call = createGuardedFetch({
      allowed_hosts: ['127.0.0.1'],
      resolve: async (host) => (asked.push(host) === 1 ? here : ['169.254.169.254']),
    });
    expect(await (await call(new Request(`http://a.test:${server.port}/`))).text()).toBe('there');
    expect(asked).toEqual(['a.test']);
    asked.length = 0;
    await expect(call(new Request(`http://a.test:${server.port}/away`))).rejects.toMatchObject(notPublic);
    expect(asked).toEqual(['a.test', 'a.test']);
  });

  test('when a redirect is private, endless or unwanted, then it is not followed', async () => {
    await using server = await startServer((request, response) => {
      const location = request.url === '/private' ? 'http://169.254.169.254/latest' : '/again';
      response.writeHead(307, { location }).end();
    });
    const call = createGuardedFetch({ allowed_hosts: [`127.0.0.1:${server.port}`] });
    await expect(call(new Request(`${server.url}/private`))).rejects.toMatchObject(notPublic);
    await expect(call(new Request(`${server.url}/again`))).rejects.toMatchObject({ kind: 'invalid' });
    await expect(call(new Request(server.url, { redirect: 'error' }))).rejects.toMatchObject({
      kind: 'invalid',
    });
    expect((await call(new Request(server.url, { redirect: 'manual' }))).status).toBe(307);
  });

  test('when nobody answers, or the answer never ends, then the call ends in time', async () => {
    await using server = await startServer((request, response) => {
      if (request.url === '/drips') response.write('drop');
    });
    const call = createGuardedFetch({ allowed_hosts: here, timeout_ms: 100 });
    for (const path of ['/', '/drips'])
      await expect(call(new Request(server.url + path))).rejects.toMatchObject({
        kind: 'unavailable',
        message: expect.stringContaining('did not answer within 0.1 s'),
      });
    const never = createGuardedFetch({ timeout_ms: 100, resolve: () => new Promise<never>(() => undefined) });
    await expect(never(new Request('http://a.test/'))).rejects.toMatchObject({ kind: 'unavailable' });
    const abort = new AbortController();
    const asked = call(new Request(server.url, { signal: abort.signal }));
    abort.abort(new Error('we stop'));
    await expect(asked).rejects.toThrow('we stop');
  });

  test('when an answer is larger than it may be, or nobody is there, then the call fails', async () => {
    await using server = await startServer((_request, response) => response.end(Buffer.alloc(2000)));
    const call = (max_bytes: number) => createGuardedFetch({ allowed_hosts: here, max_bytes });
    await expect(call(1999)(new Request(server.url))).rejects.toMatchObject({ kind: 'invalid' });
    expect((await (await call(2000)(new Request(server.url))).arrayBuffer()).byteLength).toBe(2000);
    await expect(call(1)(new Request('http://127.0.0.1:1/'))).rejects.toMatchObject({ kind: 'unavailable' });
  });
});

describe('a guarded stream', () => {
  const dripping = async () => {
    const left = Promise.withResolvers<void>();
    const server = await startServer((request, response) => {
      response.on('close', () => left.resolve());
      if (request.url === '/break') response.write('drop', () => response.destroy());
      else response.write('drop');
    });
    return Object.assign(server, { left: left.promise });
  };

  test('when an answer goes on, then its bytes come at once, and who cancels ends the connection', async () => {
    await using server = await dripping();
    const answer = await createGuardedStream({ allowed_hosts: here })(new Request(server.url));
    const reader = answer.body?.getReader();
    expect(Buffer.from((await reader?.read())?.value ?? []).toString()).toBe('drop');
    await reader?.cancel();
    await server.left;
  });

  test('when an answer breaks off, takes too long or is too large, then reading it fails', async () => {
    await using server = await dripping();
    const read = async (path: string, options: object) => {
      const call = createGuardedStream({ allowed_hosts: here, ...options });
      return (await call(new Request(server.url + path))).text();
    };
    const broken = { kind: 'unavailable', message: expect.stringContaining('broke off') };
    await expect(read('/break', {})).rejects.toMatchObject(broken);
    await expect(read('/', { timeout_ms: 100 })).rejects.toMatchObject(broken);
    await expect(read('/', { max_bytes: 3 })).rejects.toMatchObject({ kind: 'invalid' });
    await expect(createGuardedStream()(new Request(server.url))).rejects.toMatchObject(notPublic);
  });
});

describe('a redirect', () => {
  const hop = {
    url: new URL('https://a.test/one'),
    method: 'POST',
    headers: { authorization: 'key', 'x-api-key': 'key', 'content-type': 'application/json', accept: '*/*' },
    body: new Uint8Array([1]),
  };

  test.each([
    [301, 'GET'],
    [302, 'GET'],
    [303, 'GET'],
    [307, 'POST'],
    [308, 'POST'],
  ])('when a POST is redirected by %i, then it becomes a %s', (status, method) => {
    const next = nextHop(hop, { status, location: 'two' });
    expect([next?.url.href, next?.method, next?.body.length]).toEqual([
      'https://a.test/two',
      method,
      method === 'GET' ? 0 : 1,
    ]);
    expect(next?.headers['authorization']).toBe('key');
  });

  test('when a redirect leaves the origin, then no credentials go along, and https is never left', () => {
    expect(nextHop(hop, { status: 308, location: 'https://b.test/' })?.headers).toEqual({
      'content-type': 'application/json',
      accept: '*/*',
    });
    expect(() => nextHop(hop, { status: 308, location: 'http://a.test/' })).toThrow(/may not be called/);
    expect(() => nextHop(hop, { status: 308, location: 'http://[' })).toThrow(/may not be called/);
    expect(nextHop(hop, { status: 200, location: '/' })).toBeUndefined();
    expect(nextHop(hop, { status: 302, location: undefined })).toBeUndefined();
  });
});
