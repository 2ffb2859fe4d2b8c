import { readFile } from 'node:fs/promises';
import type { Launcher } from '@roadstead/agent-server';
import { type Log, Problem, registryLogins } from '@roadstead/kit';
import { findCluster, KubernetesClient } from '@roadstead/kubernetes';
import { TlsDoor } from '../doors/tls-door.ts';
import type { ImageSource } from '../images/images.ts';
import { imageReferenceOf } from '../images/image-reference-rules.ts';
import type { OwnImages } from '../images/own-images.ts';
import { openRegistries } from '../images/registry-client.ts';
import { RegistryImages } from '../images/registry-images.ts';
import type { CommandPlace, CommandProgram } from '../ports/command-place.ts';
import type { ServerPlace } from '../ports/server-place.ts';
import { ownerOf } from '../ports/owner.ts';
import { AgentPlaces } from './agent-places.ts';
import { ClusterPods } from './cluster-pods.ts';
import { podCommands } from './pod-commands.ts';
import { PodLauncher } from './pod-launcher.ts';
import { podServers } from './pod-servers.ts';
import { readPullLogins } from './pull-logins.ts';

export interface ClusterSettings {
  readonly allowed_hosts: readonly string[];
  readonly host_image: string | undefined;
  readonly host_disk_mb: number;
  readonly hosts_port: number;
  readonly hosts_address: string | undefined;
  readonly hosts_certificate: string | undefined;
  readonly hosts_key: string | undefined;
  readonly data_claim: string | undefined;
  readonly agents_namespace: readonly string[];
  readonly agents_owner: string | undefined;
  readonly image_pull_secrets: readonly string[];
  readonly node_name: string | undefined;
  readonly listener_id: string;
  readonly instance: string | undefined;
  readonly data_folder: string;
}

export interface ClusterOptions {
  readonly config: ClusterSettings;
  readonly environment: Readonly<Record<string, string | undefined>>;
  /** The user that pods run as. */
  readonly user: number;
  /** Makes what a command of a build writes its user's. */
  readonly give: (program: CommandProgram) => Promise<void>;
  /** The images of the platform's own registry. */
  readonly own_images: OwnImages;
  readonly log: Log;
}

export interface OpenCluster extends AsyncDisposable {
  readonly launcher: Launcher;
  readonly commands: CommandPlace;
  readonly images: ImageSource | undefined;
  readonly servers: ServerPlace | undefined;
  readonly places: AgentPlaces;
}

/** @throws Problem `invalid` where the settings can't do it, `unavailable` where the cluster is away */
export async function openCluster({
  config,
  environment,
  user,
  give,
  own_images,
  log,
}: ClusterOptions): Promise<OpenCluster> {
  const settings = needed(config);
  const { host_image, hosts_address, hosts_certificate, hosts_key, data_claim } = settings;
  const { data_folder, hosts_port, node_name, agents_namespace: namespaces } = config;
  await using stack = new AsyncDisposableStack();
  const access = await findCluster({ environment });
  const here = stack.use(new KubernetesClient(access));
  checkNamespaces(namespaces, here.namespace);
  const { version } = await here.describe();
  checkVersion(version);
  const [certificate, key] = await Promise.all([hosts_certificate, hosts_key].map(fileOf));
  const door = stack.use(
    await TlsDoor.open({ port: hosts_port, certificate: certificate ?? '', key: key ?? '', log }),
  );
  const of_us = { owner: ownerOf(config), log };
  const places = stack.use(new AgentPlaces({ ...of_us, access, namespaces, release: config.agents_owner }));
  // Builds mount our volume, which pods of agents must not.
  const builds = stack.use(new ClusterPods({ ...of_us, cluster: here, owners: 'jobs' }));
  const address = hosts_address.includes(':') ? hosts_address : `${hosts_address}:${door.port}`;
  const loginFor = (reference: string) => own_images.loginFor(imageReferenceOf(reference));
  const { image_pull_secrets: pull_secrets, host_disk_mb: disk_mb } = config;
  const common = { places, loginFor, image: host_image, pull_secrets, disk_mb, user, data_folder, log };
  const launcher = new PodLauncher({ ...common, builds, door, address, certificate: certificate ?? '' });
  const commands = podCommands({ ...common, pods: builds, claim: data_claim, node: node_name, give });
  const images = new RegistryImages({
    registries: openRegistries({
      allowed_hosts: config.allowed_hosts,
      loginAt: registryLogins(environment),
      own: own_images,
    }),
    own: own_images,
    pullLogins: readPullLogins((deployment_id) => places.of(deployment_id).pods.cluster),
    platform: `linux/${process.arch === 'x64' ? 'amd64' : process.arch}`,
    log,
  });
  log.info('graph hosts run in pods', { version, namespaces, image: host_image });
  const opened = stack.move();
  return {
    launcher,
    commands,
    images,
    servers: podServers(common),
    places,
    [Symbol.asyncDispose]: () => opened.disposeAsync(),
  };
}

/** What each setting is for, where a cluster can do nothing without it. */
const NEEDED = {
  host_image: 'the image that this data plane runs in',
  hosts_address: 'the address of this data plane among the pods',
  hosts_certificate: 'the file of the certificate that pods find there',
  hosts_key: 'the file of its key',
  data_claim: 'the volume claim that has the data folder',
} as const;

type NeededSettings = { readonly [Name in keyof typeof NEEDED]: string };

function needed(config: ClusterSettings): NeededSettings {
  for (const [name, what] of Object.entries(NEEDED))
    if (config[name as keyof NeededSettings] === undefined)
      throw new Problem(
        'invalid',
        `ROADSTEAD_COMPUTE is cluster, and ROADSTEAD_${name.toUpperCase()} is not set.`,
        {
          hint: `It names ${what}; the Helm chart sets it.`,
        },
      );
  return config as NeededSettings;
}

/** What an agent names in its namespace, such as secrets and volumes, it gets. */
function checkNamespaces(agents: readonly string[], own: string): void {
  if (agents.length > 0 && !agents.includes(own)) return;
  throw new Problem(
    'invalid',
    agents.length === 0
      ? 'ROADSTEAD_COMPUTE is cluster, and ROADSTEAD_AGENTS_NAMESPACE is not set.'
      : `ROADSTEAD_AGENTS_NAMESPACE names ${own}, the namespace of the data plane itself.`,
    {
      hint:
        agents.length === 0
          ? 'It names the namespaces in which agents run; the Helm chart sets it.'
          : 'Agents can name secrets and volumes of their namespace: give them another one.',
    },
  );
}

/** The first version in which a sidecar can stand beside a container. */
const LEAST_MINOR = 29;

function checkVersion(version: string): void {
  const [, minor] = /^v1\.(\d+)/.exec(version) ?? [];
  if (minor === undefined || Number(minor) >= LEAST_MINOR) return;
  throw new Problem(
    'invalid',
    `The cluster is ${version}, and Kubernetes 1.${LEAST_MINOR} or newer is needed.`,
  );
}

async function fileOf(path: string): Promise<string> {
  try {
    return await readFile(path, 'utf8');
  } catch (cause) {
    throw new Problem('invalid', `The file ${path} can't be read.`, {
      cause,
      hint: 'ROADSTEAD_HOSTS_CERTIFICATE and ROADSTEAD_HOSTS_KEY name files in PEM.',
    });
  }
}
