import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { createMask } from '@roadstead/agent-server';
import type { SourceForm } from '@roadstead/contracts/control-plane';
import type { Fence, Limits } from '@roadstead/fence';
import { type Log, Problem } from '@roadstead/kit';
import { projectFile } from '../folders/project-files.ts';
import { removeTree } from '../folders/remove-tree.ts';
import { fetchSource, type Sources } from '../ports/source.ts';
import { isFolder } from '../artifacts/artifact-files.ts';
import type { Artifacts } from '../artifacts/artifacts.ts';
import type { BuildCache } from './build-cache.ts';
import { BuildOutput } from './build-output.ts';
import { type BuildSteps, planBuild } from './build-plan.ts';
import { configPathOf, keepBuiltConfig } from './config-file.ts';
import type { Builder, BuildOrder } from '../ports/builder.ts';
import { cacheEntries, npmEntry, PROVEN } from './cache-entry-rules.ts';
import { runCommand } from './commands.ts';
import { linkPackages, findDevelopment } from './development.ts';
import type { OperatorNpm } from './operator-npm.ts';
import { type Manager, variablesOf } from './package-manager-rules.ts';
import { type Alias, createFolderMask, withoutCredentials } from './output-mask-rules.ts';
import { PackageManagers, programsIn } from './package-managers.ts';
import { readBuildFacts } from './project-facts.ts';
import { ProvenPackages } from './proven-packages.ts';

export interface NodeBuilderOptions {
  readonly sources: Sources;
  readonly artifacts: Artifacts;
  readonly cache: BuildCache;
  /** Folders of ours that must not appear in any log. */
  readonly aliases: readonly Alias[];
  readonly fence: Fence;
  /** The limits of each command. */
  readonly limits: Limits;
  readonly operator: OperatorNpm;
  /** The folder where `roadstead dev` notes which deployments take their packages from a folder of this machine. */
  readonly development: string;
  readonly log: Log;
}

/** Builds JavaScript and TypeScript projects with the commands of their package manager. */
export function createNodeBuilder(options: NodeBuilderOptions): Builder {
  const { artifacts, sources } = options;
  return {
    forms: Object.keys(sources) as SourceForm[],
    build: async (order) => {
      const { deployment_id, revision, signal } = order;
      await order.onPhase('source');
      const work = await artifacts.workFolder();
      const home = `${work}.home`;
      try {
        const { onLine, credentials, onCommit } = order;
        const into = { folder: work, onLine, credentials, onCommit, signal };
        await fetchSource(sources, { ...into, source: revision.source });
        const development = await findDevelopment(options.development, deployment_id);
        if (development !== undefined && revision.source?.kind === 'archive') {
          const { digest } = revision.source;
          await linkPackages(development, work);
          return await artifacts.keepUnpacked(work, { digest, deployment_id, revision_id: revision.id });
        }
        const facts = await readBuildFacts(work, revision.config);
        const plan = planBuild(facts);
        if (plan.kind === 'refused')
          throw new Problem('invalid', plan.message, plan.hint === undefined ? {} : { hint: plan.hint });
        await runSteps(plan, { ...options, ...order, needed: plan.managers, locks: plan.locks, work, home });
        order.onLine('packing the artifact', 'INFO');
        const digest = await artifacts.finish(work, { deployment_id, revision_id: revision.id, signal });
        const config_path = configPathOf(revision.config);
        await keepBuiltConfig(options, { digest, config_path, config_file: facts.config_file });
        return digest;
      } finally {
        for (const path of [home, work, `${work}.artifact.tgz`]) await removeTree(path);
      }
    },
  };
}

interface Build extends NodeBuilderOptions, BuildOrder {
  /** The folder of the project. */
  readonly work: string;
  /** Package managers that its commands need. */
  readonly needed: readonly Manager[];
  /** Lock files of npm, relative to the project. */
  readonly locks: readonly string[];
  /** HOME and TMPDIR of its commands. */
  readonly home: string;
}

async function runSteps(plan: BuildSteps, build: Build): Promise<void> {
  const { work, onPhase, onLine } = build;
  for (const warning of plan.warnings) onLine(warning, 'WARNING');
  const [first] = plan.steps;
  if (first === undefined) return;
  await onPhase(first.phase);
  await using stack = new AsyncDisposableStack();
  const run = await prepareCommands(build, stack);
  for (const { phase, command, folder } of plan.steps) {
    if (phase !== first.phase) await onPhase(phase);
    onLine(`$ ${withoutCredentials(command)}`, 'INFO');
    if (!(await isFolder(join(work, folder))))
      throw new Problem('invalid', `\`${command}\` can't run: the command before it removed its folder.`);
    await run(command, { cwd: join(work, folder), writes: work });
    if (!(await isFolder(work)))
      throw new Problem('invalid', `\`${command}\` removed the folder that is to be deployed.`);
  }
}

/** Runs commands of a build, in the folder that each is given. */
type Run = (command: string, place: CommandFolder) => Promise<void>;

interface CommandFolder {
  readonly cwd: string;
  /** The folder that it may write to beside its HOME. */
  readonly writes: string;
}

type Variables = Readonly<Record<string, string>>;

/** Creates a HOME with the operator's access to the package registry, and nothing else of the operator. */
async function prepareCommands(build: Build, stack: AsyncDisposableStack): Promise<Run> {
  const { home, work, operator, fence, limits, aliases, onLine, signal } = build;
  await mkdir(home, { recursive: true });
  const cached = await openCaches(build, stack);
  const proven = await openProven(build, stack);
  const { variables, paths, files, secrets } = await operator.read();
  for (const [name, text] of Object.entries(files)) await writeFile(join(home, name), text, { mode: 0o600 });
  const hide = createMask(() => [secrets]);
  const named = createFolderMask([{ folder: home, alias: '~' }, { folder: work, alias: '.' }, ...aliases]);
  const mask = (text: string) => named(withoutCredentials(hide(text)));
  const output = new BuildOutput({ onLine, mask });
  const environment = { ...variables, ...ownVariables(home), ...cached.variables };
  const run =
    (managers: ManagerSetup = { variables: {}, folders: [], path: [] }): Run =>
    async (command, { cwd, writes }) =>
      await runCommand({
        command,
        cwd,
        environment: {
          ...environment,
          ...managers.variables,
          PATH: [...managers.path, variables['PATH'] ?? ''].join(':'),
        },
        reads: [...paths, ...managers.folders, proven],
        writes: [writes, home, ...cached.folders],
        home,
        limits,
        fence,
        output,
        signal,
      });
  return run(await provideManagers(build, { run: run(), stack }));
}

interface CacheSetup {
  readonly variables: Variables;
  readonly folders: readonly string[];
}

/** Opens the caches of this build's package managers, held until its end. */
async function openCaches(build: Build, stack: AsyncDisposableStack): Promise<CacheSetup> {
  const { needed, cache, workspace_id } = build;
  const variables: Record<string, string> = {};
  const folders: string[] = [];
  for (const entry of cacheEntries(needed, build)) {
    const { path } = stack.use(cache.hold(workspace_id, entry.name));
    await mkdir(path, { recursive: true });
    folders.push(path);
    for (const name of entry.variables) variables[name] = path;
  }
  return { variables, folders };
}

/** Opens the folder of proven packages, which are lent to this build, and to which it adds at its end. */
async function openProven(build: Build, stack: AsyncDisposableStack): Promise<string> {
  const { cache, workspace_id, deployment_id, work, locks, signal } = build;
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
interface ManagerSetup extends CacheSetup {
  readonly path: readonly string[];
}

async function provideManagers(
  { needed, cache, onLine }: Build,
  { run, stack }: { readonly run: Run; readonly stack: AsyncDisposableStack },
): Promise<ManagerSetup> {
  const managers = new PackageManagers(cache);
  const folders: string[] = [];
  for (const manager of needed) {
    onLine(`using ${manager.name} ${manager.version}`, 'INFO');
    const fetch = (command: string, folder: string) => run(command, { cwd: folder, writes: folder });
    folders.push(stack.use(await managers.provide(manager, fetch)).path);
  }
  return {
    variables: Object.assign({}, ...needed.map(variablesOf)) as Variables,
    folders,
    path: folders.map(programsIn),
  };
}

/**
 * The operator's access to the package registry, and beside it only what any build needs: no variable of ours, and a
 * HOME of its own.
 */
function ownVariables(home: string): Variables {
  return {
    HOME: home,
    TMPDIR: home,
    LANG: 'C.UTF-8',
    CI: 'true',
    npm_config_update_notifier: 'false',
    npm_config_loglevel: 'warn',
    // The build log has everything; npm's own log would stay beside the cache.
    npm_config_logs_max: '0',
  };
}
