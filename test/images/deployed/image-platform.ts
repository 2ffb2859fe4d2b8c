import type {
  Deployment,
  DeploymentPatchRequest,
  Revision,
  SourceConfig,
} from '@roadstead/contracts/control-plane';
import { eventually } from '@roadstead/testing';
import { expect } from 'vitest';
import {
  type CommandResult,
  dataHome,
  runCommand,
  type RunningPlatform,
  startPlatform,
} from '../../support/platform.ts';
import { base, docker, socket } from '../engine.ts';
import { type EngineProxy, openEngineProxy } from './engine-proxy.ts';

/** The platform beside an engine whose socket can be cut, and how its users deploy images there: by HTTP. */
export interface ImagePlatform extends AsyncDisposable {
  readonly running: RunningPlatform;
  readonly engine: EngineProxy;
}

/** What a server of a bad image may take to answer. */
const START_S = 20;
/** How long a revision is waited for on a machine that has much to do. */
const REVISION_MS = 120_000;

export async function openImagePlatform(): Promise<ImagePlatform> {
  await using stack = new AsyncDisposableStack();
  const home = stack.use(await dataHome());
  const engine = stack.use(await openEngineProxy(socket));
  const running = stack.use(
    await startPlatform(home.path, {
      env: {
        ROADSTEAD_COMPUTE: 'container',
        ROADSTEAD_ENGINE: engine.socket,
        ROADSTEAD_HOST_IMAGE: base,
        ROADSTEAD_ALLOWED_HOSTS: '127.0.0.1',
        ROADSTEAD_START_S: String(START_S),
      },
    }),
  );
  const opened = stack.move();
  return { running, engine, [Symbol.asyncDispose]: () => opened.disposeAsync() };
}

/** Runs `roadstead` as a user who has the engine. */
export const runBesideEngine = (
  { url, key }: RunningPlatform,
  ...args: readonly string[]
): Promise<CommandResult> =>
  runCommand(args, {
    ...process.env,
    NO_COLOR: '1',
    DOCKER_HOST: `unix://${socket}`,
    ROADSTEAD_URL: url,
    ROADSTEAD_API_KEY: key,
  });

/** A platform as its users reach it. */
export type ReachedPlatform = Pick<RunningPlatform, 'url' | 'fetch'>;

export interface Answer<T> {
  readonly status: number;
  readonly body: T;
}

/** A call of the control plane. */
export async function ask<T>(
  { url, fetch: send }: ReachedPlatform,
  [method, path, body]: readonly [string, string, unknown?],
): Promise<Answer<T>> {
  const headers = { 'content-type': 'application/json' };
  const asked = body === undefined ? {} : { headers, body: JSON.stringify(body) };
  const answer = await send(`${url}${path}`, { method, ...asked });
  const text = await answer.text();
  return { status: answer.status, body: (text === '' ? undefined : JSON.parse(text)) as T };
}

export const pathOf = ({ id }: Pick<Deployment, 'id'>) => `/v2/deployments/${id}`;

export interface NewDeployment {
  readonly name: string;
  readonly image_uri: string;
  readonly secrets?: Readonly<Record<string, string>>;
  readonly source_config?: SourceConfig;
}

export const secretsOf = (secrets: Readonly<Record<string, string>>) =>
  Object.entries(secrets).map(([name, value]) => ({ name, value }));

async function create(
  running: ReachedPlatform,
  { name, image_uri, secrets = {}, source_config = {} }: NewDeployment,
): Promise<Deployment> {
  const { status, body } = await ask<Deployment>(running, [
    'POST',
    '/v2/deployments',
    {
      name,
      source: 'external_image',
      source_config,
      source_revision_config: { image_uri },
      secrets: secretsOf(secrets),
    },
  ]);
  expect(status, JSON.stringify(body)).toBe(201);
  return body;
}

/** Polls the latest revision until it needs nothing more, as the specification has its clients do. */
export async function latestSettled(
  running: ReachedPlatform,
  deployment: Pick<Deployment, 'id'>,
): Promise<Revision> {
  return await eventually(
    async () => {
      const { body } = await ask<Deployment>(running, ['GET', pathOf(deployment)]);
      const path = `${pathOf(deployment)}/revisions/${body.latest_revision_id}`;
      const { body: revision } = await ask<Revision>(running, ['GET', path]);
      expect(revision.status, JSON.stringify(revision.status_reason)).toMatch(/^DEPLOYED$|FAILED/);
      return revision;
    },
    { within_ms: REVISION_MS },
  );
}

/** Creates a deployment of an image, and answers it once it serves. */
export async function deploy(running: ReachedPlatform, asked: NewDeployment) {
  const deployment = await create(running, asked);
  const revision = await latestSettled(running, deployment);
  expect(revision, JSON.stringify(revision.status_reason)).toMatchObject({ status: 'DEPLOYED' });
  return { deployment, revision };
}

/** Changes a deployment, and answers its latest revision once that needs nothing more. */
export async function change(
  running: ReachedPlatform,
  { deployment, patch }: { readonly deployment: Deployment; readonly patch: DeploymentPatchRequest },
): Promise<Revision> {
  const { status, body } = await ask<unknown>(running, ['PATCH', pathOf(deployment), patch]);
  expect(status, JSON.stringify(body)).toBe(200);
  return await latestSettled(running, deployment);
}

export interface RunningContainer {
  readonly Image: string;
  readonly Config: { readonly Labels: Readonly<Record<string, string>>; readonly Env: readonly string[] };
  readonly HostConfig: {
    readonly Memory: number;
    readonly NanoCpus: number;
    readonly LogConfig: { readonly Type: string };
  };
}

/** The containers of these images, as the engine has them. */
export function containersOf(...images: readonly string[]): readonly RunningContainer[] {
  const ids = docker('ps', '--all', '--quiet', '--no-trunc', '--filter', 'name=^roadstead-').split('\n');
  const all = ids.filter(Boolean).flatMap((id) => {
    try {
      return JSON.parse(docker('inspect', id)) as RunningContainer[];
    } catch {
      // It has gone meanwhile.
      return [];
    }
  });
  return all.filter(({ Image }) => images.includes(Image));
}
