import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { fencedLauncher, type Launcher } from '@roadstead/agent-server';
import { ContainerEngine, type EngineFacts, findEngineSocket } from '@roadstead/containers';
import type { Fence } from '@roadstead/fence';
import { type Log, Problem } from '@roadstead/kit';
import { ContainerLauncher } from './container-launcher.ts';

/** The path of a socket has 107 bytes at most, of which the folder and the name of one take 35. */
const MAX_PLACE_BYTES = 70;

interface ComputeOptions {
  readonly config: {
    readonly compute: 'process' | 'container';
    readonly engine: string | undefined;
    readonly engine_network: string;
    readonly host_image: string | undefined;
    readonly listener_id: string;
    readonly data_folder: string;
  };
  readonly fence: Fence;
  readonly environment: Readonly<Record<string, string | undefined>>;
  readonly log: Log;
}

/** Where the code of deployments runs. */
export interface Compute {
  readonly launcher: Launcher;
  /** How other containers are started; undefined where none is. */
  readonly containers: Containers | undefined;
}

/** A container engine, and what every container on it gets of this data plane. */
export interface Containers {
  readonly engine: ContainerEngine;
  readonly kind: EngineFacts['kind'];
  readonly network: string;
  readonly labels: Readonly<Record<string, string>>;
}

/**
 * Starts hosts where the operator wants them.
 * @throws Problem `invalid` where the settings or the engine can't do it, `unavailable` where the engine is away
 */
export async function openCompute(options: ComputeOptions): Promise<Compute> {
  const { config, fence, log } = options;
  if (config.compute === 'process') return { launcher: fencedLauncher(fence), containers: undefined };
  const { engine, image, kind } = await openEngine(options);
  const network = config.engine_network;
  const launcher = new ContainerLauncher({
    engine,
    image,
    network,
    owner: config.listener_id,
    hidden: config.data_folder,
    doors: await doorsIn(config.data_folder),
    log,
  });
  return { launcher, containers: { engine, kind, network, labels: launcher.labels } };
}

/** Where the doors of hosts are: below our data, as an engine may have temporary files of its own; undefined where the path is too long. */
async function doorsIn(data_folder: string): Promise<string | undefined> {
  const place = join(data_folder, 'doors');
  if (Buffer.byteLength(place) > MAX_PLACE_BYTES) return undefined;
  await mkdir(place, { recursive: true, mode: 0o711 });
  return place;
}

async function openEngine({ config, environment, log }: ComputeOptions) {
  const { host_image: image } = config;
  if (image === undefined)
    throw new Problem('invalid', 'ROADSTEAD_COMPUTE is container, and no image is named for graph hosts.', {
      hint: 'Name one in ROADSTEAD_HOST_IMAGE: a Linux with glibc and certificates, such as buildpack-deps:bookworm-curl.',
    });
  const engine = new ContainerEngine(await findEngineSocket(config.engine, environment));
  const { kind, version, os, maps_users } = await engine.describe();
  // Its programs are those of this machine, and its files those of one user of it.
  if (process.platform !== 'linux' || os !== 'linux')
    throw new Problem(
      'invalid',
      'Graph hosts run in containers on Linux alone, beside their container engine.',
    );
  if (maps_users)
    throw new Problem(
      'invalid',
      `${kind} maps the users of containers to others, who may not read artifacts.`,
      {
        hint: 'Use an engine that is neither rootless nor has userns-remap.',
      },
    );
  if ((await engine.inspectImage(image)) === undefined)
    throw new Problem('invalid', `The container engine has no image ${image}.`, {
      hint: `Fetch it (${kind} pull ${image}), or name another one in ROADSTEAD_HOST_IMAGE.`,
    });
  log.info('graph hosts run in containers', { engine: `${kind} ${version}`, image });
  return { engine, image, kind };
}
