import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { createServer as createNetServer, type AddressInfo } from 'node:net';
import { constants, tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Duplex, Readable } from 'node:stream';
import { json } from 'node:stream/consumers';
import type { Container } from '@roadstead/containers';

/** An image that the engine has, or that its registry gives out. */
export interface FakeImage {
  readonly id: string;
  readonly repository_digests?: readonly string[];
  readonly architecture?: string;
  readonly environment?: Readonly<Record<string, string>>;
  readonly labels?: Readonly<Record<string, string>>;
  readonly folder?: string;
  readonly ports?: readonly number[];
}

interface FakeContainer {
  readonly body: Container;
  readonly port: number;
  process: ChildProcess | undefined;
  end: { readonly code: number } | undefined;
  readonly outputs: Duplex[];
}

/**
 * A container engine that speaks the API of Docker over a socket: its containers are processes of this machine that run one program of
 * Node, whatever their image, and its registry is a table.
 */
export class FakeEngine implements AsyncDisposable {
  readonly images = new Map<string, FakeImage>();
  /** What the registry gives out, or the words in which it refuses. */
  readonly registry = new Map<string, FakeImage | string>();
  readonly pulled: string[] = [];
  /** The logins that came with these. */
  readonly logins: unknown[] = [];
  readonly #containers = new Map<string, FakeContainer>();
  readonly #program: string;
  readonly #folder: string;
  readonly #server = createServer((request, response) => void this.#answer(request, response));
  /** Set where its storage bounds no container: what it says to that. */
  storage_refusal: string | undefined;

  static async open(program: string): Promise<FakeEngine> {
    const engine = new FakeEngine(program, await mkdtemp(join(tmpdir(), 'engine-')));
    engine.#server.on('upgrade', (request, socket) => engine.#attach(request, socket));
    engine.#server.listen(engine.socket);
    await once(engine.#server, 'listening');
    return engine;
  }

  private constructor(program: string, folder: string) {
    this.#program = program;
    this.#folder = folder;
  }

  get socket(): string {
    return join(this.#folder, 's');
  }

  /** The names of its containers that have not been removed. */
  get containers(): string[] {
    return [...this.#containers.keys()];
  }

  /** What a container was made of. */
  madeOf(name: string): Container | undefined {
    return this.#containers.get(name)?.body;
  }

  /** Ends the program of a container, as an operator would. */
  killIn(name: string): void {
    this.#containers.get(name)?.process?.kill('SIGKILL');
  }

  async [Symbol.asyncDispose](): Promise<void> {
    for (const { process } of this.#containers.values()) process?.kill('SIGKILL');
    this.#server.closeAllConnections();
    await new Promise((resolve) => this.#server.close(resolve));
    await rm(this.#folder, { recursive: true, force: true });
  }

  async #answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const { pathname, searchParams } = new URL(request.url ?? '', 'http://engine');
    const [, what = '', name = '', action = ''] =
      /^\/v1\.41\/(\w+)\/?(.*?)(?:\/(start|wait|stop|json))?$/.exec(pathname) ?? [];
    const say = (status: number, body?: unknown) =>
      void response
        .writeHead(status, { 'content-type': 'application/json' })
        .end(body === undefined ? undefined : JSON.stringify(body));
    if (what === 'version') return say(200, { Version: '20.10.24', Arch: 'amd64', Components: [] });
    if (what === 'info') return say(200, { OSType: 'linux', SecurityOptions: [] });
    if (what === 'networks') return say(name === 'create' ? 201 : 404, { message: 'No such network' });
    if (what === 'images' && name === 'create') {
      const login = request.headers['x-registry-auth']?.toString();
      if (login !== undefined) this.logins.push(JSON.parse(Buffer.from(login, 'base64url').toString()));
      return this.#pull(searchParams.get('fromImage') ?? '', response);
    }
    if (what === 'images') {
      const image = this.images.get(decodeURIComponent(name));
      return image === undefined ? say(404, { message: 'No such image' }) : say(200, inspectedImage(image));
    }
    if (name === 'create') {
      const body = (await json(request)) as Container;
      if (this.storage_refusal !== undefined && body.HostConfig.StorageOpt !== undefined)
        return say(500, { message: this.storage_refusal });
      const container = { body, port: await freePort(), process: undefined, end: undefined, outputs: [] };
      this.#containers.set(searchParams.get('name') ?? '', container);
      return say(201, { Id: 'x' });
    }
    const container = this.#containers.get(name);
    if (container === undefined) return say(404, { message: `No such container: ${name}` });
    if (request.method === 'DELETE') {
      this.#containers.delete(name);
      container.process?.kill('SIGKILL');
      return say(204);
    }
    if (action === 'start') {
      this.#start(container);
      return say(204);
    }
    if (action === 'stop') {
      container.process?.kill('SIGTERM');
      await Promise.race([ended(container), sleep(Number(searchParams.get('t')) * 1000)]);
      container.process?.kill('SIGKILL');
      await ended(container);
      return say(204);
    }
    if (action === 'wait') {
      await ended(container);
      return say(200, { StatusCode: container.end?.code });
    }
    return say(200, inspectedContainer(container));
  }

  #pull(reference: string, response: ServerResponse): void {
    this.pulled.push(reference);
    response.writeHead(200);
    const found = this.registry.get(reference) ?? `manifest for ${reference} not found: manifest unknown`;
    if (found === 'hangs') return response.flushHeaders();
    if (typeof found === 'string') return void response.end(`${JSON.stringify({ error: found })}\n`);
    this.images.set(reference, found);
    for (const name of found.repository_digests ?? []) this.images.set(name, found);
    this.images.set(found.id, found);
    for (const line of [{ status: 'Pulling from team/agent' }, { status: 'Pull complete', id: 'abc' }])
      response.write(`${JSON.stringify(line)}\n`);
    response.end();
  }

  #start(container: FakeContainer): void {
    const variables = container.body.Env.map((entry) => entry.split(/=(.*)/s).slice(0, 2));
    const started = spawn(process.execPath, [this.#program], {
      env: { ...Object.fromEntries(variables), PORT: String(container.port) },
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    container.process = started;
    const write = (kind: number, stream: Readable) =>
      stream.on('data', (bytes: Buffer) => {
        for (const output of container.outputs)
          output.write(Buffer.concat([headOf(kind, bytes.length), bytes]));
      });
    write(1, started.stdout);
    write(2, started.stderr);
    started.once('close', (code, signal) => {
      container.end = { code: code ?? 128 + constants.signals[signal ?? 'SIGKILL'] };
      for (const output of container.outputs) output.end();
      started.emit('ended');
    });
  }

  #attach(request: IncomingMessage, socket: Duplex): void {
    const [, name = ''] = /\/containers\/(.*)\/attach/.exec(request.url ?? '') ?? [];
    socket.on('error', () => socket.destroy());
    socket.write('HTTP/1.1 101 UPGRADED\r\nConnection: Upgrade\r\nUpgrade: tcp\r\n\r\n');
    this.#containers.get(name)?.outputs.push(socket);
  }
}

const sleep = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms));

async function ended(container: FakeContainer): Promise<void> {
  if (container.end === undefined && container.process !== undefined) await once(container.process, 'ended');
}

function headOf(kind: number, length: number): Buffer {
  const head = Buffer.alloc(8);
  head[0] = kind;
  head.writeUInt32BE(length, 4);
  return head;
}

function inspectedImage(image: FakeImage) {
  const {
    id,
    repository_digests = [],
    architecture = 'amd64',
    environment = {},
    labels = {},
    folder = '/',
    ports = [],
  } = image;
  return {
    Id: id,
    RepoDigests: repository_digests,
    Os: 'linux',
    Architecture: architecture,
    Config: {
      Env: Object.entries(environment).map(([name, value]) => `${name}=${value}`),
      Labels: labels,
      WorkingDir: folder,
      ExposedPorts: Object.fromEntries(ports.map((port) => [`${port}/tcp`, {}])),
    },
  };
}

function inspectedContainer({ body, port, process: started, end }: FakeContainer) {
  const running = started !== undefined && end === undefined;
  const [exposed = ''] = Object.keys(body.ExposedPorts ?? {});
  return {
    State: { Running: running, ExitCode: end?.code ?? 0, OOMKilled: false },
    NetworkSettings: { Ports: running ? { [exposed]: [{ HostPort: String(port) }] } : {} },
  };
}

async function freePort(): Promise<number> {
  const server = createNetServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  await new Promise((resolve) => server.close(resolve));
  return port;
}
