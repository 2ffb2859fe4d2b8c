import { realpathSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { availableParallelism, totalmem } from 'node:os';
import { dirname, join } from 'node:path';
import { type Fence, openFence } from '@roadstead/fence';
import { ownHosts } from '@roadstead/contracts';
import { createProxy, listen, type ParentChannel, takeHanded, type Verifier } from '@roadstead/http';
import { Admission, type Config, type Log } from '@roadstead/kit';
import { createGuardedFetch } from '@roadstead/outbound';
import { createCredentials, createFetchingVerifier, identityClient } from '@roadstead/service';
import { boundedBuilder, boundedDatabases, boundedRuntime, boundedSources } from './ports/bounded-ports.ts';
import { Artifacts } from './artifacts/artifacts.ts';
import { removeTree } from './folders/remove-tree.ts';
import { type Compute, openCompute } from './compute/open-compute.ts';
import { openDatabases } from './compute/open-databases.ts';
import { createProjectBuilder } from './builders/project-builder.ts';
import type { PythonTools } from './builders/python-setup.ts';
import { openPythonTools } from './builders/python-tools.ts';
import { BuildCache } from './builders/build-cache.ts';
import { openOperatorNpm } from './builders/operator-npm.ts';
import type { dataPlaneSettings } from './data-plane-config.ts';
import { ControlLink } from './listener/control-link.ts';
import { buildBound, type DeploymentContext } from './listener/deployment-context.ts';
import { Fleet } from './listener/fleet.ts';
import { HeadWatch } from './listener/head-watch.ts';
import { OwnImages } from './images/own-images.ts';
import { ClaimedHosts } from './router/claimed-hosts.ts';
import { asFromOutside, overNetwork } from './router/from-outside.ts';
import { CALLS_AT_ONCE } from './router/calls-in-flight.ts';
import { createRouter, type Router, type RouterOptions } from './router/router.ts';
import { Routes } from './router/routes.ts';
import { fetchArchive } from './sources/archive-source.ts';
import { createHeadFinder } from './sources/git-heads.ts';
import { createGitSource } from './sources/git-source.ts';
import type { FetchSource } from './ports/source.ts';
import { openGit, type OpenedGit } from './sources/open-git.ts';
import { STEP_MS } from './steps/steps.ts';
import type { ServersOptions } from './servers/server-deployment.ts';
import { createProcessRuntime, type ProcessRuntimeOptions } from './runtimes/process-runtime.ts';
import type { CommandPlace } from './ports/command-place.ts';
import type { ServerPlace } from './ports/server-place.ts';
import type { Runtime } from './ports/runtime.ts';
import { withAuthorities } from './trusted-authorities.ts';

/** Longer than all steps of an attempt together take to be given up, one after the other. */
const ATTEMPT_GRACE_MS = 60_000;

/** Others take what is here within this time, or once the lease has ended. */
const HANDOVER_MS = 30_000;

export interface DataPlaneOptions {
  readonly config: Config<typeof dataPlaneSettings>;
  readonly environment: Readonly<Record<string, string | undefined>>;
  readonly log: Log;
  /** The channel to the platform that started us. */
  readonly parent?: ParentChannel | undefined;
  /** Used instead of the process runtime. */
  readonly runtime?: Runtime;
  /** How long a step beside a build may take. */
  readonly step_ms?: number;
  /** Used instead of the archive source. */
  readonly archives?: FetchSource<'archive'>;
}

/** Listener, builders, databases, runtime and router of one machine. */
export async function startDataPlane({
  config,
  environment: given,
  log,
  parent,
  ...ports
}: DataPlaneOptions): Promise<AsyncDisposable> {
  await using stack = new AsyncDisposableStack();
  const at = (name: string) => join(config.data_folder, name);
  const routes = new Routes();
  const hosts = new ClaimedHosts(ownHosts([config.agent_url, config.control_url, ...config.own_addresses]));
  const identity = identityClient({ base_url: config.control_url, key: config.listener_key });
  const verify = createFetchingVerifier(identity, 'agent-server');
  const artifacts = await Artifacts.open(at('artifacts'));
  const fence = await fenceOf({ config, log });
  const environment = await withAuthorities(given, config);
  const git = stack.use(await openGit({ ...config, fence, folder: at('git'), environment, log }));
  const python = openPythonTools({ folder: config.data_folder, environment });
  const own_images = new OwnImages((id) => link.sourceCredentials(id));
  const compute = stack.use(await openCompute({ config, fence, own_images, environment, log }));
  const { launcher, commands, images, servers, places } = compute;
  const databases = stack.use(await openDatabases({ config, places, log }));
  const build = openBuilds({ config, environment, artifacts, place: commands, git, python, log, ...ports });
  const own = { databases, verify, config, launcher, servers, scratch_folder: at('scratch'), log };
  const runtime = ports.runtime ?? (await openRuntime(own));
  const link = new ControlLink({
    ...config,
    ...apartnessOf(config, fence),
    ...offersOf(build, compute),
    log,
    onAssignment: (assignment) => {
      for (const one of [own_images, places, fleet, heads]) one?.assign(assignment);
    },
    onSynced: (assigned) => fleet.synced(config.instance === undefined ? undefined : assigned),
    onLost: () => (config.instance === undefined ? undefined : fleet.lost()),
    onBack: () => fleet.wake(),
  });
  const heads = git && stack.use(new HeadWatch({ link, findHead: createHeadFinder(git), log }));
  const fleet = new Fleet({
    link,
    runtime: boundedRuntime(runtime, ports.step_ms),
    artifacts,
    images,
    machine: config.compute === 'cluster' ? undefined : thisMachine(),
    places: places ?? anyPlace,
    databases: boundedDatabases(databases, ports.step_ms),
    pythons: python.pythons,
    prunePython: python.prune,
    routes,
    hosts,
    agent_url: (slug) => config.agent_url.replace('{slug}', slug),
    build,
    attempt_grace_ms: Math.min(ATTEMPT_GRACE_MS, ports.step_ms ?? STEP_MS),
    log,
  });
  const credentials = createCredentials(identity);
  const router = openRouter({ routes, hosts, credentials, verify, config, log });
  if (config.instance !== undefined) stack.defer(() => leave(link, log));
  const listening = await serveAgents({ config, router, hosts, parent });
  // In parallel: calls under way end with the runs that they wait for, and within the same time.
  stack.defer(async () => {
    routes.stop();
    await Promise.all([...listening, fleet].map((one) => one[Symbol.asyncDispose]()));
  });
  fleet.start();
  stack.use(followed(link));
  if (config.instance !== undefined) stack.defer(() => handAllOver({ link, fleet, log }));
  return stack.move();
}

type AgentServing = Pick<DataPlaneOptions, 'config' | 'parent'> & {
  readonly router: Router;
  readonly hosts: ClaimedHosts;
};

const serveAgents = async (options: AgentServing): Promise<AsyncDisposable[]> => [
  await serveSocket(options),
  ...(await serveDirectly(options)),
];

/** Serves our socket, and the connections that the platform hands on. */
async function serveSocket({
  config: { socket, platform_socket, request_s },
  router,
  hosts,
  parent,
}: AgentServing): Promise<AsyncDisposable> {
  // A killed data plane leaves its socket behind; the platform starts only one of us at a time.
  await rm(socket, { force: true });
  const limits = { onUpgrade: router.onUpgrade, request_ms: request_s * 1000 };
  if (platform_socket === undefined || parent === undefined)
    return listen(router.listener, { socket }, limits);
  const back = createProxy({ name: 'platform', at: { socket: platform_socket } });
  const taken = asFromOutside({ router, hosts, back });
  const server = await listen(router.listener, { socket }, { ...limits, taken });
  const handed = takeHanded(parent, (beginning) => server.take(beginning));
  return {
    [Symbol.asyncDispose]: async () => {
      handed[Symbol.dispose]();
      await server[Symbol.asyncDispose]();
      back[Symbol.dispose]();
    },
  };
}

/** Serves agents over the network, where the operator wants that. */
async function serveDirectly({
  config: { agents_port: port, request_s },
  router,
}: AgentServing): Promise<AsyncDisposable[]> {
  if (port === undefined) return [];
  const { listener, onUpgrade } = overNetwork(router);
  // Without a host it is all addresses, of whichever kinds this machine has.
  return [await listen(listener, { host: '', port }, { onUpgrade, request_ms: request_s * 1000 })];
}

const openRouter = ({
  verify,
  config,
  ...options
}: Pick<RouterOptions, 'routes' | 'hosts' | 'credentials' | 'log'> &
  Pick<DataPlaneOptions, 'config'> & { readonly verify: Verifier }): Router =>
  createRouter({
    ...options,
    limits: { all: CALLS_AT_ONCE, per_deployment: config.agent_calls },
    isOfEdge: async (assertion) => (await verify(assertion))?.actor === 'service:edge',
  });

const leave = (link: ControlLink, log: Log): Promise<void> =>
  link.leave().catch((error: unknown) => log.warn('the lease was not ended', { error }));

/** Lets other instances take the deployments, where there are any. */
async function handAllOver({
  link,
  fleet,
  log,
}: Pick<DataPlaneOptions, 'log'> & { readonly link: ControlLink; readonly fleet: Fleet }): Promise<void> {
  try {
    if (await link.drain()) await fleet.untilEmpty(HANDOVER_MS);
  } catch (error) {
    log.warn('the deployments were not handed over', { error });
  }
}

function followed(link: ControlLink): AsyncDisposable {
  const stop = new AbortController();
  const polling = link.run(stop.signal);
  return {
    [Symbol.asyncDispose]: async () => {
      stop.abort();
      await polling;
    },
  };
}

async function fenceOf({ config, log }: Pick<DataPlaneOptions, 'config' | 'log'>): Promise<Fence> {
  const { isolation, data_folder, socket } = config;
  const { fence, why_none, why_not_kernel } = await openFence({
    isolation,
    data_folder,
    sockets: [dirname(socket)],
  });
  // In containers the engine does both.
  if (config.compute !== 'process') return fence;
  if (why_not_kernel !== undefined)
    log.info('the kernel does not limit what builds and agents take', { why: why_not_kernel });
  if (why_none !== undefined) log.warn('builds and agents run as our own user', { why: why_none });
  return fence;
}

/** How images that are servers of HTTP run. */
function serversOn(
  place: ServerPlace,
  { config, verify }: Pick<DataPlaneOptions, 'config'> & { readonly verify: Verifier },
): ServersOptions {
  const { host_memory_mb: memory_mb, host_cpus: cpus, min_hosts } = config;
  return {
    place,
    start_ms: config.start_s * 1000,
    unresponsive_ms: config.unresponsive_s * 1000,
    idle_ms: config.idle_s * 1000,
    defaults: { memory_mb, cpus, min_hosts },
    verify,
  };
}

/** Opens everything that turns sources into artifacts here. */
function openBuilds({
  config,
  environment,
  artifacts,
  place,
  git,
  python,
  log,
  archives = fetchArchive,
}: Pick<DataPlaneOptions, 'config' | 'environment' | 'log' | 'archives'> & {
  readonly artifacts: Artifacts;
  readonly place: CommandPlace;
  readonly git: OpenedGit | undefined;
  readonly python: PythonTools;
}): DeploymentContext['build'] {
  const cache = new BuildCache(join(config.data_folder, 'cache', caches[config.compute]));
  // What is fetched for another is of no use here, and nobody would remove it.
  for (const [compute, name] of Object.entries(caches))
    if (compute !== config.compute)
      void removeTree(join(config.data_folder, 'cache', name)).catch(() => undefined);
  const slots = new Admission(buildBound);
  const builder = createProjectBuilder({
    sources: boundedSources({
      archive: archives,
      ...(git === undefined ? {} : { git: createGitSource(git.context) }),
    }),
    artifacts,
    cache,
    // Programs may learn where a link leads.
    aliases: [config.data_folder, realpathSync(config.data_folder)].map((folder) => ({ folder, alias: '…' })),
    place,
    limits: { memory_mb: config.build_memory_mb, cpus: config.build_cpus },
    operator: openOperatorNpm(environment),
    python,
    development: join(config.data_folder, 'dev'),
    log,
  });
  const bounded = boundedBuilder(builder, {
    limit_s: config.build_timeout_s,
    onLate: ({ revision }) => artifacts.forgetBuilt(revision.id),
  });
  return { builder: bounded, slots, cache };
}

/** What builds fetch is their user's, and that is another one in containers. */
const caches = { process: 'builds', container: 'container-builds', cluster: 'pod-builds' } as const;

/** How what runs here is kept apart: by the fence, or by what runs containers. */
const apartnessOf = ({ compute }: DataPlaneOptions['config'], { isolation, resource_limits }: Fence) =>
  compute === 'process'
    ? { isolation, resource_limits }
    : ({ isolation: compute === 'cluster' ? 'pod' : 'container', resource_limits: 'cgroup' } as const);

/** The sources that can be run here, and the namespaces in which they can. */
const offersOf = ({ builder }: DeploymentContext['build'], { images, places }: Compute) => ({
  capabilities: [...builder.forms, ...(images === undefined ? [] : (['image'] as const))],
  served_namespaces: places?.namespaces ?? [],
});

/** Outside of clusters there is one place. */
const anyPlace = { check: () => undefined, checkServed: () => undefined };

const thisMachine = () => ({ memory_mb: totalmem() / 2 ** 20, cpus: availableParallelism() });

type OwnRuntime = Omit<ProcessRuntimeOptions, 'config' | 'outbound' | 'servers'> &
  Pick<DataPlaneOptions, 'config'> & { readonly servers: ServerPlace | undefined };

async function openRuntime({ servers, ...options }: OwnRuntime): Promise<Runtime> {
  const { allowed_hosts } = options.config;
  return createProcessRuntime({
    ...options,
    servers: servers && serversOn(servers, options),
    outbound: createGuardedFetch({ allowed_hosts }),
  });
}
