import { z } from 'zod';
import { InstanceAddress, InstanceName, Namespace } from '@roadstead/contracts/control-plane';
import { logLevelSetting, setting } from '@roadstead/kit';
import { allowedHostsSetting } from '@roadstead/outbound';
import { listed, ownAddressesSetting } from '@roadstead/service';
import { CALLS_AT_ONCE } from './router/calls-in-flight.ts';
import { STEP_MS } from './steps/steps.ts';

/** Settings of a data plane. The platform passes them to the one that it starts. */
export const dataPlaneSettings = {
  socket: setting({
    env: 'ROADSTEAD_DATA_PLANE_SOCKET',
    doc: 'Unix socket on which the router of agents listens.',
    schema: z.string().min(1),
  }),
  agents_port: setting({
    env: 'ROADSTEAD_AGENTS_PORT',
    doc: 'Port of all addresses at which agents are called over the network, by an edge or without one, and `/ok` is answered; unset, there is none.',
    schema: z.coerce.number().int().min(0).max(65_535).optional(),
  }),
  instance: setting({
    env: 'ROADSTEAD_INSTANCE',
    doc: 'Name of this data plane among those of its listener, which share its deployments, such as that of its pod; unset, it has all of them.',
    schema: InstanceName.optional(),
  }),
  agents_address: setting({
    env: 'ROADSTEAD_AGENTS_ADDRESS',
    doc: 'Address at which an edge calls agents of this data plane, at its ROADSTEAD_AGENTS_PORT; unset, edges use its socket.',
    schema: InstanceAddress.optional(),
  }),
  platform_socket: setting({
    env: 'ROADSTEAD_PLATFORM_SOCKET',
    doc: 'Unix socket of the platform that starts this and hands connections on to it; no one else sets it.',
    schema: z.string().min(1).optional(),
  }),
  request_s: setting({
    env: 'ROADSTEAD_REQUEST_S',
    doc: 'Seconds that a request may take to come in whole.',
    schema: z.coerce.number().int().min(1).default(600),
  }),
  control_url: setting({
    env: 'ROADSTEAD_CONTROL_URL',
    doc: 'Address of the platform whose desired state is followed.',
    schema: z.url(),
  }),
  listener_id: setting({
    env: 'ROADSTEAD_LISTENER_ID',
    doc: 'Which listener this data plane is.',
    schema: z.uuid(),
  }),
  listener_key: setting({
    env: 'ROADSTEAD_LISTENER_KEY',
    doc: 'API key of the listener.',
    schema: z.string().min(1),
    secret: true,
  }),
  data_folder: setting({
    env: 'ROADSTEAD_DATA_DIR',
    doc: 'Folder for builds, artifacts and caches.',
    schema: z.string().min(1),
  }),
  agents_database_url: setting({
    env: 'ROADSTEAD_AGENTS_DATABASE_URL',
    doc: 'Postgres on which each deployment gets a database and a role of its own.',
    schema: z.string().min(1),
    secret: true,
  }),
  agents_databases: setting({
    env: 'ROADSTEAD_AGENTS_DATABASES',
    doc: 'Where new deployments get their databases: all on the server of ROADSTEAD_AGENTS_DATABASE_URL (`shared`), or each on a server of its own, a Cluster of CloudNativePG in the cluster (`cloudnativepg`, with ROADSTEAD_COMPUTE `cluster`).',
    schema: z.enum(['shared', 'cloudnativepg']).default('shared'),
  }),
  database_gi: setting({
    env: 'ROADSTEAD_AGENTS_DATABASE_GI',
    doc: 'GiB of the volume of such a server, where a deployment has no `db_storage_gi`. Volumes only grow.',
    schema: z.coerce.number().int().min(1).max(65_536).default(10),
  }),
  database_storage_class: setting({
    env: 'ROADSTEAD_AGENTS_DATABASE_STORAGE_CLASS',
    doc: 'Storage class of the volume of such a server; unset, that of the cluster.',
    schema: z.string().min(1).optional(),
  }),
  agent_url: setting({
    env: 'ROADSTEAD_AGENT_URL',
    doc: 'Public address of an agent; `{slug}` stands for its name.',
    schema: z.string().includes('{slug}'),
  }),
  own_addresses: ownAddressesSetting,
  compute: setting({
    env: 'ROADSTEAD_COMPUTE',
    doc: 'Where graph hosts and the commands of builds run: as processes of this machine (`process`), each in a container of its engine (`container`), or in pods of the cluster that this runs in (`cluster`).',
    schema: z.enum(['process', 'container', 'cluster']).default('process'),
  }),
  hosts_port: setting({
    env: 'ROADSTEAD_HOSTS_PORT',
    doc: 'Port at which graph hosts in pods dial in, over TLS.',
    schema: z.coerce.number().int().min(0).max(65_535).default(4180),
  }),
  hosts_address: setting({
    env: 'ROADSTEAD_HOSTS_ADDRESS',
    doc: 'Name or address by which pods find this data plane, with the port where it is another one: that of its Service.',
    schema: z.string().min(1).optional(),
  }),
  hosts_certificate: setting({
    env: 'ROADSTEAD_HOSTS_CERTIFICATE',
    doc: 'File (PEM) of the certificate that pods find there. They trust it and no other, so it may be signed by itself.',
    schema: z.string().min(1).optional(),
  }),
  hosts_key: setting({
    env: 'ROADSTEAD_HOSTS_KEY',
    doc: 'File (PEM) of the key of that certificate.',
    schema: z.string().min(1).optional(),
  }),
  data_claim: setting({
    env: 'ROADSTEAD_DATA_CLAIM',
    doc: 'Persistent volume claim whose root is the data folder: commands of builds in pods mount their parts of it.',
    schema: z.string().min(1).optional(),
  }),
  image_pull_secrets: setting({
    env: 'ROADSTEAD_IMAGE_PULL_SECRETS',
    doc: 'Names of secrets, separated by commas, by which nodes of a cluster fetch ROADSTEAD_HOST_IMAGE: in the namespaces of agents, and in that of builds.',
    schema: z.string().default('').transform(listed),
  }),
  agents_namespace: setting({
    env: 'ROADSTEAD_AGENTS_NAMESPACE',
    doc: 'Namespaces, separated by commas, in which graph hosts and servers run as pods: a deployment runs in the one that it names as `cluster_namespace`, and in the first where it names none. Not that of the data plane: what agents name there, such as secrets and volumes, they get.',
    schema: z.string().default('').transform(listed).pipe(z.array(Namespace)),
  }),
  agents_owner: setting({
    env: 'ROADSTEAD_AGENTS_OWNER',
    doc: 'ConfigMap in each of these namespaces that owns what this data plane writes there: where it is removed, so is that. The Helm chart makes one, so that agents end with their release.',
    schema: z.string().min(1).optional(),
  }),
  node_name: setting({
    env: 'ROADSTEAD_NODE_NAME',
    doc: 'Node of the cluster that this runs on, where no other node can mount the data folder: builds run there.',
    schema: z.string().min(1).optional(),
  }),
  engine: setting({
    env: 'ROADSTEAD_ENGINE',
    doc: 'Socket of the container engine, Docker or Podman; unset, DOCKER_HOST or the first in the usual places.',
    schema: z.string().min(1).optional(),
  }),
  engine_network: setting({
    env: 'ROADSTEAD_ENGINE_NETWORK',
    doc: 'Network of the engine that containers of graph hosts and builds join. On that of the machine (`host`) they reach this platform at its address.',
    schema: z.string().min(1).default('host'),
  }),
  host_image: setting({
    env: 'ROADSTEAD_HOST_IMAGE',
    doc: 'Image whose system graph hosts and builds run in; in a cluster the image that this runs in. Elsewhere the hosts themselves, their Node or Python and the agent come from this machine. Any Linux image with glibc, certificates and npm does, such as node:24-bookworm, which has a compiler as well.',
    schema: z.string().min(1).optional(),
    shown_default: '`roadstead/roadstead:{version}`, which `roadstead image build` makes',
  }),
  isolation: setting({
    env: 'ROADSTEAD_ISOLATION',
    doc: 'How builds and agents are kept apart from this machine: `namespace` (Linux), `none`, or `auto` for the best that it allows.',
    schema: z.enum(['auto', 'none', 'namespace']).default('auto'),
  }),
  jobs_per_host: setting({
    env: 'N_JOBS_PER_WORKER',
    doc: 'Runs that one graph host works on at a time, at most; how many it takes follows from what it does: its event loop, processor and memory.',
    schema: z.coerce.number().int().min(1).max(1000).default(1000),
  }),
  idle_s: setting({
    env: 'ROADSTEAD_IDLE_S',
    doc: 'Seconds without a run after which a graph host stops.',
    schema: z.coerce.number().int().min(1).default(900),
  }),
  start_s: setting({
    env: 'ROADSTEAD_START_S',
    doc: 'Seconds that a graph host may take until it has loaded the project, with all that this imports.',
    schema: z.coerce
      .number()
      .int()
      .min(10)
      .max(STEP_MS / 1000 - 60)
      .default(120),
  }),
  unresponsive_s: setting({
    env: 'ROADSTEAD_UNRESPONSIVE_S',
    doc: 'Seconds without an answer after which a graph host is ended, as in an endless loop. A host of Python whose event loop is held up still answers: it is ended after as many seconds where no run holds the loop up. A run goes on until it is cancelled; after ten seconds its host is ended.',
    schema: z.coerce.number().int().min(10).default(60),
  }),
  min_hosts: setting({
    env: 'ROADSTEAD_MIN_HOSTS',
    doc: 'Graph hosts that a deployment keeps while idle.',
    schema: z.coerce.number().int().min(0).default(0),
  }),
  max_hosts: setting({
    env: 'ROADSTEAD_MAX_HOSTS',
    doc: 'Graph hosts of each language that one revision may have; one more while one of them does not answer.',
    schema: z.coerce.number().int().min(1).default(2),
  }),
  host_memory_mb: setting({
    env: 'ROADSTEAD_HOST_MEMORY_MB',
    doc: 'Megabytes of memory that a graph host may take, with all that it starts; one that takes more is ended.',
    schema: z.coerce.number().int().min(128).default(1024),
  }),
  host_cpus: setting({
    env: 'ROADSTEAD_HOST_CPUS',
    doc: 'Processor cores that a graph host may use, such as 0.5, where control groups can be made (SECURITY.md); unset, all of them.',
    schema: z.coerce.number().min(0.1).max(1024).optional(),
  }),
  host_disk_mb: setting({
    env: 'ROADSTEAD_HOST_DISK_MB',
    doc: 'Megabytes that a pod of a graph host or a server may write to the disk of its node, with the copy of its artifact; one that writes more is evicted. A container of a server may write as much where its engine can bound that (docs/images.md). Processes have no such bound.',
    schema: z.coerce.number().int().min(256).default(8192),
  }),
  build_memory_mb: setting({
    env: 'ROADSTEAD_BUILD_MEMORY_MB',
    doc: 'Megabytes of memory that a command of a build may take, with all that it starts.',
    schema: z.coerce.number().int().min(256).default(4096),
  }),
  build_cpus: setting({
    env: 'ROADSTEAD_BUILD_CPUS',
    doc: 'Processor cores that a command of a build may use, as ROADSTEAD_HOST_CPUS.',
    schema: z.coerce.number().min(0.1).max(1024).optional(),
  }),
  agent_calls: setting({
    env: 'ROADSTEAD_AGENT_CALLS',
    doc: `Calls, streams and WebSockets of one deployment at once. All deployments have ${CALLS_AT_ONCE} together, those of one workspace half of them.`,
    schema: z.coerce
      .number()
      .int()
      .min(1)
      .max(CALLS_AT_ONCE / 2)
      .default(1024),
  }),
  a2a_body_bytes: setting({
    env: 'ROADSTEAD_A2A_BODY_BYTES',
    doc: 'Bytes that the body of an A2A call may have.',
    schema: z.coerce.number().int().min(1024).max(50_331_648).default(26_214_400),
  }),
  expose_errors: setting({
    env: 'ROADSTEAD_EXPOSE_ERRORS',
    doc: 'Whether callers of agents may read what a graph threw (`true`); else they get a reference to the log.',
    schema: z.stringbool().default(false),
  }),
  ca_bundle: setting({
    env: 'ROADSTEAD_CA_BUNDLE',
    doc: 'File (PEM) of authorities, such as that of a company, that git and the commands of builds trust beside those that are generally known. This process itself trusts those of NODE_EXTRA_CA_CERTS. Read at the start.',
    schema: z.string().min(1).optional(),
  }),
  allowed_hosts: allowedHostsSetting,
  log_level: logLevelSetting,
  build_timeout_s: setting({
    env: 'ROADSTEAD_BUILD_TIMEOUT_S',
    doc: 'Seconds after which a build is ended.',
    schema: z.coerce.number().int().min(10).default(900),
  }),
};
