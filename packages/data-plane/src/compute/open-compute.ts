import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { fencedLauncher, type Launcher } from '@roadstead/agent-server';
import { ContainerEngine, type EngineFacts, findEngineSocket } from '@roadstead/containers';
import type { ComputeType } from '@roadstead/contracts/control-plane';
import type { Fence } from '@roadstead/fence';
import { OWN_IMAGE } from '@roadstead/contracts';
import { type Log, Problem, registryLogins } from '@roadstead/kit';
import { createAddressGuard } from '@roadstead/outbound';
import { openRegistries } from '../images/registry-client.ts';
import { Images, type ImageSource } from '../images/images.ts';
import type { OwnImages } from '../images/own-images.ts';
import { containerCommands } from '../launchers/container-commands.ts';
import { ContainerLauncher } from '../launchers/container-launcher.ts';
import { containerUser, giveFolder } from '../launchers/host-files.ts';
import type { AgentPlaces } from '../pods/agent-places.ts';
import { openCluster, type ClusterSettings } from '../pods/open-cluster.ts';
import { type CommandPlace, type CommandProgram, fencedCommands } from '../ports/command-place.ts';
import { ownerOf } from '../ports/owner.ts';
import type { ServerPlace } from '../ports/server-place.ts';
import { containerServers } from '../servers/container-servers.ts';

/** The path of a socket has 107 bytes at most, of which the folder and the name of one take 35. */
const MAX_PLACE_BYTES = 70;

/** The network of servers, unless the operator names one. */
const SERVERS = 'roadstead-servers';

interface ComputeOptions {
  readonly config: ClusterSettings & {
    readonly compute: ComputeType;
    readonly engine: string | undefined;
    readonly engine_network: string;
    readonly allowed_hosts: readonly string[];
    readonly build_timeout_s: number;
  };
  readonly fence: Fence;
  /** The images of the platform's own registry. */
  readonly own_images: OwnImages;
  readonly environment: Readonly<Record<string, string | undefined>>;
  readonly log: Log;
}

/** Where the code of deployments runs: on this machine, or in containers or a cluster where the operator wants that. */
export interface Compute extends AsyncDisposable {
  readonly launcher: Launcher;
  /** Where the commands of builds run. */
  readonly commands: CommandPlace;
  /** The images that deployments bring; undefined where none is run. */
  readonly images: ImageSource | undefined;
  /** Where images that are servers run. */
  readonly servers: ServerPlace | undefined;
  /** The namespaces in which agents run; undefined without a cluster. */
  readonly places?: AgentPlaces | undefined;
}

/** @throws Problem `invalid` where the settings or the engine can't do it, `unavailable` where the engine is away */
export async function openCompute(options: ComputeOptions): Promise<Compute> {
  const { config, fence, environment, log } = options;
  if (config.compute === 'process')
    return {
      launcher: fencedLauncher(fence),
      commands: fencedCommands(fence),
      images: undefined,
      servers: undefined,
      ...kept,
    };
  if (config.compute === 'cluster') {
    const { given, uid } = containerUser();
    const give = ({ writes }: CommandProgram) => giveAll(writes, given);
    return await openCluster({ config, environment, user: uid, give, own_images: options.own_images, log });
  }
  return { ...(await openContainers(options)), ...kept };
}

async function openContainers(options: ComputeOptions): Promise<Omit<Compute, keyof AsyncDisposable>> {
  const { config, environment, log } = options;
  const { engine, image, kind } = await openEngine(options);
  const { allowed_hosts } = config;
  const of_registries = { own: options.own_images, loginAt: registryLogins(environment) };
  const images = new Images({
    ...of_registries,
    engine,
    guard: createAddressGuard({ allowed_hosts }),
    registries: openRegistries({ ...of_registries, allowed_hosts }),
    limit_ms: config.build_timeout_s * 1000,
    log,
  });
  const network = config.engine_network;
  const doors = await doorsIn(config.data_folder);
  const ensureImage = (reference: string, signal: AbortSignal) => images.ensure(reference, signal);
  const of_all = { engine, image, ensureImage, network, hidden: config.data_folder, doors, log };
  const launcher = new ContainerLauncher({ ...of_all, owner: ownerOf(config) });
  const { labels } = launcher;
  const commands = containerCommands({ ...of_all, labels });
  const servers = containerServers({
    ...of_all,
    labels,
    runs_checks: kind === 'docker',
    disk_mb: config.host_disk_mb,
    network: await networkOfServers({ engine, kind }, network),
  });
  return { launcher, commands, images, servers };
}

/** Nothing of it has to be closed. */
const kept = { [Symbol.asyncDispose]: async () => undefined };

async function giveAll(paths: readonly string[], user: number | undefined): Promise<void> {
  for (const path of paths) await giveFolder(path, user, { is_partly_given: true });
}

/**
 * The network of servers that images bring. On that of the machine they would take each other's ports; on one of their own
 * they don't reach each other, where the engine can do that.
 */
async function networkOfServers(
  { engine, kind }: { readonly engine: ContainerEngine; readonly kind: EngineFacts['kind'] },
  network: string,
): Promise<string> {
  if (network !== 'host') return network;
  await engine.ensureNetwork(
    SERVERS,
    kind === 'docker' ? { 'com.docker.network.bridge.enable_icc': 'false' } : {},
  );
  return SERVERS;
}

/** Where the doors of hosts are: below our data, as an engine may have temporary files of its own; undefined where the path is too long. */
async function doorsIn(data_folder: string): Promise<string | undefined> {
  const place = join(data_folder, 'doors');
  if (Buffer.byteLength(place) > MAX_PLACE_BYTES) return undefined;
  await mkdir(place, { recursive: true, mode: 0o711 });
  return place;
}

async function openEngine({ config, environment, log }: ComputeOptions) {
  // An engine makes the places of mounts there, as root.
  if (process.getuid?.() !== 0 && /^\/tmp(?:\/|$)/.test(config.data_folder))
    throw new Problem('invalid', 'The data folder lies below /tmp, which containers have in another place.', {
      hint: 'Name another one in ROADSTEAD_DATA_DIR.',
    });
  const { host_image: image = OWN_IMAGE } = config;
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
      hint:
        image === OWN_IMAGE
          ? 'Make it (`roadstead image build`), or name another one in ROADSTEAD_HOST_IMAGE: a Linux with glibc, certificates and npm, such as node:24-bookworm.'
          : `Fetch it (${kind} pull ${image}), or name another one in ROADSTEAD_HOST_IMAGE.`,
    });
  log.info('graph hosts run in containers', { engine: `${kind} ${version}`, image });
  return { engine, image, kind };
}
