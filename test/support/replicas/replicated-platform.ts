import { environment, runCommand } from '../run-command.ts';
import type { PlatformOptions, RunningPlatform } from '../running-platform.ts';
import type { Counts } from './replica-settings.ts';
import { type Replicas, startReplicas } from './replicas.ts';

/** Two processes of each service, as stories see a platform. */
export interface ReplicatedPlatform extends RunningPlatform {
  readonly replicas: Replicas;
}

export async function startReplicatedPlatform(
  folder: string,
  { args = [], port, env = {}, counts }: PlatformOptions & { readonly counts?: Counts } = {},
): Promise<ReplicatedPlatform> {
  if (args.length > 0) throw new Error(`Replicas take no arguments of \`up\`: ${args.join(' ')}.`);
  const replicas = await startReplicas(folder, {
    ...(port === undefined ? {} : { port }),
    ...(counts === undefined ? {} : { counts }),
    env,
    surroundings: environment({}),
  });
  const { url, key } = replicas;
  const commands = environment({ ...env, ROADSTEAD_URL: url, ROADSTEAD_DATA_DIR: folder });
  return {
    replicas,
    url,
    key,
    folder,
    pid: replicas.process('data-plane', 1).pid,
    output: replicas.output,
    fetch: (input, init) =>
      fetch(input, {
        ...init,
        headers: { ...Object.fromEntries(new Headers(init?.headers)), 'x-api-key': key },
      }),
    run: (...command) => runCommand(command, commands),
    stop: async () => {
      await replicas[Symbol.asyncDispose]();
      return 0;
    },
    kill: async () => {
      await Promise.all(replicas.processes.map((one) => one.kill()));
      await replicas[Symbol.asyncDispose]();
    },
    [Symbol.asyncDispose]: () => replicas[Symbol.asyncDispose](),
  };
}
