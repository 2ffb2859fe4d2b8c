import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { type AgentServerOptions, type Launcher, openAgentServer } from '@roadstead/agent-server';
import type { Verifier } from '@roadstead/http';
import { createSecretBox, type Log } from '@roadstead/kit';
import type { Databases } from '../databases/databases.ts';
import { removeTree } from '../folders/remove-tree.ts';
import type { Runtime } from '../ports/runtime.ts';

export interface ProcessRuntimeOptions {
  readonly databases: Databases;
  readonly verify: Verifier;
  readonly config: AgentServerOptions['config'];
  readonly launcher: Launcher;
  readonly outbound: AgentServerOptions['outbound'];
  /** Each deployment has a folder below it that its code may write to. */
  readonly scratch_folder: string;
  readonly log: Log;
}

/** Runs agent servers in this process, their graph hosts as its children. */
export function createProcessRuntime(options: ProcessRuntimeOptions): Runtime {
  const folderOf = (deployment_id: string) => join(options.scratch_folder, deployment_id);
  return {
    open: async ({
      deployment_id,
      workspace_id,
      name,
      sealing_keys,
      signal,
      public_url,
      onHosts,
      onTrouble,
      onLog,
    }) => {
      signal.throwIfAborted();
      const writable_folder = folderOf(deployment_id);
      await mkdir(writable_folder, { recursive: true });
      return openAgentServer({
        signal,
        deployment_id,
        workspace_id,
        name,
        database_url: await options.databases.ensure(deployment_id),
        verify: options.verify,
        public_url,
        log: options.log.with({ deployment_id }),
        onHosts,
        onTrouble,
        onLog,
        config: options.config,
        launcher: options.launcher,
        outbound: options.outbound,
        secret_box: createSecretBox(sealing_keys),
        writable_folder,
      });
    },
    forget: (deployment_id) => removeTree(folderOf(deployment_id)),
    removeOrphans: () => options.launcher.removeOrphans(),
  };
}
