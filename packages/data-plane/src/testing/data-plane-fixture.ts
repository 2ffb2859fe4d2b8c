import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { request as httpRequest } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { inject } from 'vitest';
import { createLog, uuidv7 } from '@roadstead/kit';
import { type DataPlaneOptions, startDataPlane } from '../data-plane.ts';
import { FakeControlPlane } from './fake-control-plane.ts';
import { FakeRuntime } from './fake-runtime.ts';
import { testConfig } from './test-config.ts';

export interface Answer {
  readonly status: number;
  readonly body: unknown;
}

interface FixtureOptions extends Pick<DataPlaneOptions, 'archives' | 'step_ms'> {
  /** The operator's environment. */
  readonly environment?: Readonly<Record<string, string | undefined>>;
  /** Containers of this engine run what is others’ code, in place of the runtime in memory. */
  readonly engine?: { readonly socket: string; readonly host_image: string };
  /** Settings that are other than those of all tests. */
  readonly settings?: Partial<typeof testConfig>;
  /** Pods of a cluster do, by these settings. */
  readonly cluster?: Partial<typeof testConfig>;
}

/** A data plane on a runtime in memory, a control plane whose part a test plays, and a folder for both. */
export async function startFixture({
  environment = {},
  engine,
  cluster,
  settings = {},
  ...options
}: FixtureOptions = {}) {
  const stack = new AsyncDisposableStack();
  const folder = await mkdtemp(join(tmpdir(), 'plane-'));
  stack.defer(() => rm(folder, { recursive: true, force: true, maxRetries: 10 }));
  const control = stack.use(await FakeControlPlane.start());
  const socket = join(folder, 's');
  const logged: string[] = [];
  const config = {
    ...testConfig,
    ...(engine && { compute: 'container' as const, engine: engine.socket, host_image: engine.host_image }),
    ...cluster,
    ...settings,
    socket,
    control_url: control.url,
    listener_id: control.listener_id,
    listener_key: control.listener_key,
    data_folder: join(folder, 'data'),
    agents_database_url: inject('postgresUrl'),
    agent_url: 'http://roadstead.test/agents/{slug}',
  };
  const log = createLog({ level: 'debug', write: (line) => logged.push(line) });
  let runtime = new FakeRuntime();
  const isInMemory = engine === undefined && cluster === undefined;
  const start = () =>
    startDataPlane({ config, environment, log, ...(isInMemory ? { runtime } : {}), ...options });
  let plane = await start();
  stack.defer(() => plane[Symbol.asyncDispose]());
  const builds = join(folder, 'builds');
  return {
    control,
    config,
    logged,
    folder,
    get runtime() {
      return runtime;
    },
    /** Ends the data plane and starts another on the same folder. */
    restart: async (
      between: () => Promise<void> = async () => undefined,
      prepared: (runtime: FakeRuntime) => void = () => undefined,
    ) => {
      await plane[Symbol.asyncDispose]();
      await between();
      runtime = new FakeRuntime();
      prepared(runtime);
      plane = await start();
    },
    /** A build command that is counted by `countBuilds`, and then does this. */
    counted: (then = 'true') => `echo once >> ${builds}; ${then}`,
    countBuilds: async () => (await readFile(builds, 'utf8').catch(() => '')).split('\n').length - 1,
    call: (path: string, posted?: object) => callSocket(socket, path, control.caller_key, posted),
    [Symbol.asyncDispose]: () => stack.disposeAsync(),
  };
}

export type Fixture = Awaited<ReturnType<typeof startFixture>>;

/** A call of the router. */
export function callSocket(socket: string, path: string, key: string, posted?: object): Promise<Answer> {
  return new Promise((resolve, reject) => {
    const content = posted === undefined ? {} : { 'content-type': 'application/json' };
    const headers = { 'x-api-key': key, 'x-request-id': uuidv7(), ...content };
    const method = posted === undefined ? 'GET' : 'POST';
    httpRequest({ socketPath: socket, path, headers, method }, (response) => {
      let text = '';
      response.on('data', (bytes: Buffer) => (text += bytes.toString()));
      response.on('end', () =>
        resolve({
          status: response.statusCode ?? 0,
          body: text === '' ? null : (JSON.parse(text) as unknown),
        }),
      );
    })
      .on('error', reject)
      .end(posted === undefined ? undefined : JSON.stringify(posted));
  });
}
