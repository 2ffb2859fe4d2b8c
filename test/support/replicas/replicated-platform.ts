import { environment, runCommand } from '../run-command.ts';
import type { PlatformOptions, RunningPlatform } from '../running-platform.ts';
import { type Replicas, type ReplicasOptions, startReplicas } from './replicas.ts';

/** Two processes of each service, as stories see a platform. */
export interface ReplicatedPlatform extends RunningPlatform {
  readonly replicas: Replicas;
}

type ReplicatedPlatformOptions = PlatformOptions &
  Pick<ReplicasOptions, 'counts' | 'requests_per_connection'>;

/** Each request goes to another process than the one before it, unless more share a connection. */
export async function startReplicatedPlatform(
  folder: string,
  { args = [], port, env = {}, counts, requests_per_connection = 1 }: ReplicatedPlatformOptions = {},
): Promise<ReplicatedPlatform> {
  if (args.length > 0) throw new Error(`Replicas take no arguments of \`up\`: ${args.join(' ')}.`);
  const replicas = await startReplicas(folder, {
    ...(port === undefined ? {} : { port }),
    ...(counts === undefined ? {} : { counts }),
    env,
    requests_per_connection,
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
