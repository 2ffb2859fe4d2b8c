import { mkdir } from 'node:fs/promises';
import { projectFile } from '../folders/project-files.ts';
import type { BuildOrder } from '../ports/builder.ts';
import type { BuildCache } from './build-cache.ts';
import { type BuildCommands, type CommandSetup, emptySetup } from './build-commands.ts';
import { cacheEntries, npmEntry, PROVEN } from './cache-entry-rules.ts';
import { type Manager, variablesOf } from './package-manager-rules.ts';
import { PackageManagers, programsIn } from './package-managers.ts';
import { ProvenPackages } from './proven-packages.ts';

export interface NodeSetupOptions extends Pick<
  BuildOrder,
  'workspace_id' | 'deployment_id' | 'onLine' | 'signal'
> {
  readonly cache: BuildCache;
  /** The folder of the project. */
  readonly work: string;
  /** Package managers that its commands need. */
  readonly managers: readonly Manager[];
  /** Lock files of npm, relative to the project. */
  readonly locks: readonly string[];
}

/** Adds what npm and other package managers need: their caches, proven packages, and the managers themselves. */
export async function addNode(
  commands: BuildCommands,
  options: NodeSetupOptions,
  stack: AsyncDisposableStack,
): Promise<void> {
  const cached = await openCaches(options, stack);
  const proven = await openProven(options, stack);
  const variables = {
    npm_config_update_notifier: 'false',
    npm_config_loglevel: 'warn',
    // The build log has everything; npm's own log would stay beside the cache.
    npm_config_logs_max: '0',
    ...cached.variables,
  };
  await commands.add({ ...cached, variables, reads: [proven] });
  if (options.managers.length > 0) await commands.add(await provideManagers(options, { commands, stack }));
}

/** Opens the caches of this build's package managers, held until its end. */
async function openCaches(
  { managers, cache, workspace_id, deployment_id }: NodeSetupOptions,
  stack: AsyncDisposableStack,
): Promise<CommandSetup> {
  const variables: Record<string, string> = {};
  const writes: string[] = [];
  for (const entry of cacheEntries(managers, { deployment_id })) {
    const { path } = stack.use(cache.hold(workspace_id, entry.name));
    await mkdir(path, { recursive: true });
    writes.push(path);
    for (const name of entry.variables) variables[name] = path;
  }
  return { ...emptySetup, variables, writes };
}

/** Opens the folder of proven packages, which are lent to this build, and to which it adds at its end. */
async function openProven(options: NodeSetupOptions, stack: AsyncDisposableStack): Promise<string> {
  const { cache, workspace_id, deployment_id, work, locks, signal } = options;
  const [folder, npm_cache] = [PROVEN, npmEntry(deployment_id)].map(
    (name) => stack.use(cache.hold(workspace_id, name)).path,
  ) as [string, string];
  const found = await Promise.all(locks.map((path) => projectFile(work, path)));
  const files = found.flatMap((file) => file?.path ?? []);
  const proven = await ProvenPackages.read(files, { folder, npm_cache, signal });
  await proven.lend();
  // Packages that can't be shared only cost time.
  stack.defer(() => proven.take().catch(() => undefined));
  return folder;
}

/** Package managers that take precedence over those of this machine. */
async function provideManagers(
  { managers: needed, cache, onLine }: NodeSetupOptions,
  { commands, stack }: { readonly commands: BuildCommands; readonly stack: AsyncDisposableStack },
): Promise<CommandSetup> {
  const managers = new PackageManagers(cache);
  const reads: string[] = [];
  for (const manager of needed) {
    onLine(`using ${manager.name} ${manager.version}`, 'INFO');
    const fetch = (command: string, folder: string) => commands.run(command, { cwd: folder, writes: folder });
    reads.push(stack.use(await managers.provide(manager, fetch)).path);
  }
  const variables = Object.assign({}, ...needed.map(variablesOf)) as CommandSetup['variables'];
  return { ...emptySetup, variables, reads, path: reads.map(programsIn) };
}
