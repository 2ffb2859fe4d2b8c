import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Trouble } from '@roadstead/agent-server';
import { type CallerContext, createSigner, createSigningKey, createVerifier } from '@roadstead/http';
import { uuidv7 } from '@roadstead/kit';
import { eventually } from '@roadstead/testing';
import { describe, expect, test } from 'vitest';
import { WebSocket } from 'ws';
import type { ServerRevision } from '../../ports/runtime.ts';
import type { ServerPlace } from '../../ports/server-place.ts';
import { ServerDeployment } from '../../servers/server-deployment.ts';

/** The behaviour of servers that images bring: the same tests wherever they run, for what is played and for what is real. */
interface OpenedServers extends AsyncDisposable {
  /** Where servers run, with this label. */
  readonly placeFor: (label: string) => ServerPlace;
  /** An image that starts `test-server.mjs`, and listens on 8000. */
  readonly image: string;
  /** Ends the program of each container that this label marks. */
  readonly killAll: (label: string) => Promise<void>;
  /** The number of containers that this label marks. */
  readonly count: (label: string) => Promise<number>;
}

type Open = () => Promise<OpenedServers>;

const WORKSPACE = '11111111-1111-4111-8111-111111111111';
const signer = createSigner(createSigningKey());
const calm = () => new AbortController().signal;

const callerOf = (workspace_id: string): CallerContext => ({
  assertion: signer.sign({ workspace_id, actor: 'key:test', scopes: ['agents:invoke'] }, 'agent-server'),
});

interface StartTimes {
  readonly start_ms?: number;
  readonly idle_ms?: number;
}

async function opened(open: Open, { start_ms = 60_000, idle_ms = 600_000 }: StartTimes = {}) {
  await using stack = new AsyncDisposableStack();
  const engine = stack.use(await open());
  const label = uuidv7();
  const lines: string[] = [];
  const troubles: (Trouble | undefined)[] = [];
  const deployment = stack.use(
    new ServerDeployment(
      {
        deployment_id: uuidv7(),
        workspace_id: WORKSPACE,
        name: 'server',
        sealing_keys: [],
        signal: calm(),
        public_url: () => 'http://roadstead.test/agents/server',
        onHosts: () => undefined,
        onTrouble: (trouble) => troubles.push(trouble),
        onLog: ({ message }) => lines.push(message),
      },
      {
        place: engine.placeFor(label),
        start_ms,
        unresponsive_ms: 60_000,
        idle_ms,
        defaults: { memory_mb: 256, cpus: undefined, min_hosts: 0 },
        verify: createVerifier(signer.public_keys, { audience: 'agent-server' }),
      },
    ),
  );
  const running = stack.move();
  return {
    deployment,
    lines,
    troubles,
    count: () => engine.count(label),
    killAll: () => engine.killAll(label),
    revision: (
      environment: Readonly<Record<string, string>> = {},
      { min_hosts = 0, max_hosts = 1 } = {},
    ): ServerRevision => ({
      revision_id: uuidv7(),
      server: { reference: engine.image, port: 8000, labels: {} },
      environment,
      resources: { min_hosts, max_hosts },
    }),
    serve: async (revision: ServerRevision) => {
      await deployment.prepare(revision, calm());
      await deployment.activate(revision.revision_id, calm());
    },
    call: async (path: string, init: RequestInit & { readonly caller?: CallerContext } = {}) => {
      const { caller = callerOf(WORKSPACE), ...rest } = init;
      const request = new Request(`http://roadstead.test/agents/server${path}`, rest);
      return deployment.fetch(request, { ...caller, path: path.split('?')[0] ?? '' });
    },
    [Symbol.asyncDispose]: () => running.disposeAsync(),
  };
}

interface SuiteOptions {
  readonly name: string;
  /** Whether the engine ends what takes more memory than it may have, and whether it reports that; Podman 4 does not. */
  readonly limits_memory: false | { readonly reports: boolean };
}

export function serverSuite({ name, limits_memory }: SuiteOptions, open: Open): void {
  describe(`servers: ${name}`, () => {
    if (limits_memory !== false) limits(open, limits_memory);
    serving(open);
    starting(open);
    ending(open);
    scaling(open);
    switching(open);
  });
}

function serving(open: Open): void {
  test('when a server is called, then it gets the call as it came, and its variables', async () => {
    await using one = await opened(open);
    await one.serve(one.revision({ SECRET: 'canary' }));
    const answer = await one.call('/a/b?c=d', { method: 'POST', body: 'text', headers: { 'x-mine': 'yes' } });
    expect(answer.status).toBe(200);
    expect(await answer.json()).toMatchObject({
      method: 'POST',
      url: '/a/b?c=d',
      body: 'text',
      secret: 'canary',
      headers: { 'x-mine': 'yes', host: 'roadstead.test', 'x-forwarded-prefix': '/agents/server' },
    });
    await eventually(() => expect(one.lines).toContain('answers POST /a/b?c=d'));
    expect(one.lines.some((line) => line.startsWith('listens on'))).toBe(true);
    const moved = await one.call('/away');
    expect([moved.status, moved.headers.get('location')]).toEqual([302, '/agents/server/ok']);
    expect(await (await one.call('/slow?ms=1')).text()).toBe('begun and ended');
  });

  test('when somebody of no or another workspace calls a server, then it hears nothing', async () => {
    await using one = await opened(open);
    await one.serve(one.revision());
    expect((await one.call('/', { caller: {} })).status).toBe(401);
    expect((await one.call('/', { caller: callerOf(uuidv7()) })).status).toBe(404);
    expect((await one.call('/')).status).toBe(200);
    await eventually(() => expect(one.lines.filter((line) => line === 'answers GET /')).toHaveLength(1));
  });

  test('when a WebSocket is opened at a server, then its messages pass, and it may idle after it', async () => {
    await using one = await opened(open, { idle_ms: 300 });
    await one.serve(one.revision());
    await eventually(() => expect(one.deployment.hosts()).toBe(0));
    await using front = await frontOf(one.deployment);
    const socket = new WebSocket(`${front.url}/agents/server/chat`);
    await once(socket, 'open');
    socket.send('hello');
    const [said] = (await once(socket, 'message')) as [Buffer];
    expect(said.toString()).toBe('hello');
    expect(one.deployment.hosts()).toBe(1);
    socket.close();
    await once(socket, 'close');
    await eventually(async () => expect([one.deployment.hosts(), await one.count()]).toEqual([0, 0]));
  });
}

/** What passes requests for WebSockets on, as the router does. */
async function frontOf(deployment: ServerDeployment) {
  const front = createServer().on('upgrade', (request, socket, head) => {
    const inward = async () => ({ ...callerOf(WORKSPACE), path: '/chat' });
    deployment.upgrade(request, { socket, head, inward }).catch(() => socket.destroy());
  });
  await once(front.listen(0, '127.0.0.1'), 'listening');
  return {
    url: `ws://127.0.0.1:${(front.address() as AddressInfo).port}`,
    [Symbol.asyncDispose]: async () => {
      await new Promise((resolve) => front.close(resolve));
    },
  };
}

function starting(open: Open): void {
  test.each([
    ['exits', 'server_ended', 'exit code 3'],
    ['never listens', 'not_listening', 'port 8000'],
    ['fails its check', 'not_listening', 'did not answer'],
  ])(
    'when a server %s, then its revision says so, and nothing of it is left',
    async (behaves, code, words) => {
      await using one = await opened(open, { start_ms: behaves === 'exits' ? 60_000 : 3000 });
      await expect(one.deployment.prepare(one.revision({ BEHAVES: behaves }), calm())).rejects.toMatchObject({
        name: 'Problem',
        code,
        message: expect.stringContaining(words) as string,
      });
      expect(one.deployment.hosts()).toBe(0);
      await eventually(async () => expect(await one.count()).toBe(0));
      const printed = one.lines.includes('this server ends at once');
      expect(printed).toBe(behaves === 'exits');
    },
  );

  test('when a start is given up, then nothing of it is left', async () => {
    await using one = await opened(open);
    const stop = new AbortController();
    const prepared = one.deployment.prepare(one.revision({ BEHAVES: 'never listens' }), stop.signal);
    prepared.catch(() => undefined);
    await eventually(async () => expect(await one.count()).toBe(1));
    stop.abort(new Error('given up'));
    await expect(prepared).rejects.toThrow('given up');
    await eventually(async () => expect(await one.count()).toBe(0));
  });
}

function ending(open: Open): void {
  test('when a server is killed, then the next call is answered by another one', async () => {
    await using one = await opened(open);
    await one.serve(one.revision());
    await one.killAll();
    await eventually(() => expect(one.deployment.hosts()).toBe(0));
    expect((await one.call('/')).status).toBe(200);
    expect(one.deployment.hosts()).toBe(1);
  });

  test('when a server is to be kept and ends, then another one is started without a call', async () => {
    await using one = await opened(open);
    await one.serve(one.revision({}, { min_hosts: 1 }));
    await one.call('/exit?code=1').catch(() => undefined);
    await eventually(async () => {
      expect(one.deployment.hosts()).toBe(1);
      expect((await one.call('/')).status).toBe(200);
    });
  });

  test('when a server keeps ending, then calls are refused for a while, and that is its trouble', async () => {
    await using one = await opened(open);
    await one.serve(one.revision());
    for (let time = 1; time <= 5; time += 1) {
      await one.call('/exit?code=1').catch(() => undefined);
      await eventually(() => expect(one.deployment.hosts()).toBe(0));
    }
    const refused = await one.call('/');
    expect(refused.status).toBe(503);
    expect(one.troubles.at(-1)).toMatchObject({
      code: 'crash_loop',
      message: expect.stringContaining('The server ended by itself, 5 times') as string,
    });
  });

  test('when nobody calls a server for long, then it stops; a call starts it again', async () => {
    await using one = await opened(open, { idle_ms: 300 });
    await one.serve(one.revision());
    await eventually(async () => {
      expect(one.deployment.hosts()).toBe(0);
      expect(await one.count()).toBe(0);
    });
    expect((await one.call('/')).status).toBe(200);
  });
}

function scaling(open: Open): void {
  test('when a server has many calls at once, then others start beside it; idle ones stop', async () => {
    await using one = await opened(open, { idle_ms: 1000 });
    await one.serve(one.revision({}, { min_hosts: 1, max_hosts: 2 }));
    const answers = await Promise.all(Array.from({ length: 80 }, () => one.call('/slow?ms=2000')));
    expect(one.deployment.hosts()).toBe(2);
    const texts = await Promise.all(answers.map((answer) => answer.text()));
    expect(new Set(texts)).toEqual(new Set(['begun and ended']));
    await eventually(async () => expect(await one.count()).toBe(1));
    expect((await one.call('/')).status).toBe(200);
  });
}

function limits(open: Open, { reports }: { readonly reports: boolean }): void {
  test('when a server fills its memory, then it is ended, and another one answers', async () => {
    await using one = await opened(open);
    await one.serve(one.revision());
    await one.call('/fill').catch(() => undefined);
    await eventually(() => expect(one.deployment.hosts()).toBe(0));
    expect((await one.call('/')).status).toBe(200);
  });

  test.runIf(reports)(
    'when a server took more memory than it may have, then that is its trouble',
    async () => {
      await using one = await opened(open);
      await one.serve(one.revision());
      await one.call('/fill').catch(() => undefined);
      await eventually(() => expect(one.troubles.at(-1)).toMatchObject({ code: 'out_of_memory' }));
    },
  );
}

function switching(open: Open): void {
  test('when a revision takes over, then calls of the one before end whole, and so does it', async () => {
    await using one = await opened(open);
    const [before, after] = [one.revision({ NAME: 'before' }), one.revision({ NAME: 'after' })];
    await one.serve(before);
    const slow = await one.call('/slow?ms=1500');
    await one.serve(after);
    expect(await (await one.call('/')).json()).toMatchObject({ name: 'after' });
    expect(await slow.text()).toBe('begun and ended');
    await eventually(async () => expect(await one.count()).toBe(1));
    // And back, however far the end of the first has come.
    await one.serve(before);
    expect(await (await one.call('/')).json()).toMatchObject({ name: 'before' });
  });

  test('when a caller waits for a start and a revision takes over, then it is answered', async () => {
    await using one = await opened(open);
    const [before, after] = [one.revision({ NAME: 'before' }), one.revision({ NAME: 'after' })];
    one.deployment.restore(before);
    await one.deployment.activate(before.revision_id, calm());
    await one.deployment.prepare(after, calm());
    const waiting = one.call('/');
    await eventually(() => expect(one.deployment.hosts()).toBe(2));
    await one.deployment.activate(after.revision_id, calm());
    expect(await (await waiting).json()).toMatchObject({ name: 'before' });
    await eventually(async () => expect(await one.count()).toBe(1));
  });

  test('when a revision is prepared twice, then one life of it is left', async () => {
    await using one = await opened(open);
    const revision = one.revision();
    await one.deployment.prepare(revision, calm());
    await one.serve(revision);
    expect((await one.call('/')).status).toBe(200);
    await eventually(async () => expect(await one.count()).toBe(1));
  });

  test('when a caller goes away while a server starts, then that may be idle all the same', async () => {
    await using one = await opened(open, { idle_ms: 300 });
    const revision = one.revision();
    one.deployment.restore(revision);
    await one.deployment.activate(revision.revision_id, calm());
    const gone = new AbortController();
    const waiting = one.call('/', { signal: gone.signal });
    await eventually(() => expect(one.deployment.hosts()).toBe(1));
    gone.abort(new Error('gone'));
    await expect(waiting).rejects.toThrow('gone');
    await eventually(async () => expect(await one.count()).toBe(0));
  });

  test('when a former life prepared a revision, then its server starts at the first call', async () => {
    await using one = await opened(open);
    const revision = one.revision({ BEHAVES: 'ignores SIGTERM' });
    one.deployment.restore(revision);
    await one.deployment.activate(revision.revision_id, calm());
    expect(one.deployment.hosts()).toBe(0);
    expect((await one.call('/')).status).toBe(200);
    await one.deployment.retire(revision.revision_id, 0);
    expect(one.deployment.hosts()).toBe(0);
    await eventually(async () => expect(await one.count()).toBe(0));
  });
}
