import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import {
  type AgentServer,
  type AgentServerOptions,
  type Launcher,
  openAgentServer,
} from '@roadstead/agent-server';
import type { Verifier } from '@roadstead/http';
import { createSecretBox, type Log } from '@roadstead/kit';
import type { DatabaseResources, Databases } from '../databases/databases.ts';
import { removeTree } from '../folders/remove-tree.ts';
import type { RunningDeployment, Runtime, RuntimeDeployment } from '../ports/runtime.ts';
import { ServerDeployment, type ServersOptions } from '../servers/server-deployment.ts';
import { AnyDeployment } from './any-deployment.ts';

export interface ProcessRuntimeOptions {
  readonly databases: Databases;
  readonly verify: Verifier;
  readonly config: AgentServerOptions['config'];
  readonly launcher: Launcher;
  readonly outbound: AgentServerOptions['outbound'];
  /** Each deployment has a folder below it that its code may write to. */
  readonly scratch_folder: string;
  /** How images that are servers of HTTP are run; undefined where none is. */
  readonly servers?: ServersOptions | undefined;
  readonly log: Log;
}

/** Runs agent servers in this process; what is others' code runs where the launcher and the container engine have it. */
export function createProcessRuntime(options: ProcessRuntimeOptions): Runtime {
  const folderOf = (deployment_id: string) => join(options.scratch_folder, deployment_id);
  return {
    open: async (deployment) => {
      deployment.signal.throwIfAborted();
      const writable_folder = folderOf(deployment.deployment_id);
      await mkdir(writable_folder, { recursive: true });
      return await (options.servers === undefined
        ? openGraphs(deployment, { ...options, writable_folder })
        : openAny(deployment, { ...options, servers: options.servers, writable_folder }));
    },
    forget: (deployment_id) => removeTree(folderOf(deployment_id)),
    removeOrphans: () => options.launcher.removeOrphans(),
  };
}

type GraphsOptions = Omit<ProcessRuntimeOptions, 'servers' | 'scratch_folder'> & {
  readonly writable_folder: string;
};

async function openGraphs(
  { sealing_keys, database, ...deployment }: RuntimeDeployment,
  { databases, log, ...options }: GraphsOptions,
): Promise<AgentServer> {
  const { deployment_id, name, signal } = deployment;
  const order = { name, signal, resources: {}, ...database };
  return openAgentServer({
    ...deployment,
    ...options,
    database_url: await databases.ensure(deployment_id, order),
    secret_box: createSecretBox(sealing_keys),
    log: log.with({ deployment_id }),
  });
}

async function openAny(
  deployment: RuntimeDeployment,
  { servers, ...options }: GraphsOptions & { readonly servers: ServersOptions },
): Promise<RunningDeployment> {
  // Each kind tells its own number, and what counts is that of both.
  const onHosts = () => deployment.onHosts(either.hosts());
  const graphs = await openGraphs({ ...deployment, onHosts }, options);
  const server = new ServerDeployment({ ...deployment, onHosts }, servers);
  const { deployment_id } = deployment;
  const giveDatabase = (resources: DatabaseResources) => options.databases.give(deployment_id, resources);
  const either: AnyDeployment = new AnyDeployment({ graphs, server, giveDatabase });
  return either;
}
