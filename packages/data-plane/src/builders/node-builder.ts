import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { createMask } from '@roadstead/agent-server';
import type { SourceForm } from '@roadstead/contracts/control-plane';
import type { Fence } from '@roadstead/fence';
import { Problem } from '@roadstead/kit';
import { removeTree } from '../remove-tree.ts';
import { fetchSource, type Sources } from '../sources/source.ts';
import { isFolder } from './artifact-files.ts';
import type { Artifacts } from './artifacts.ts';
import { type BuildSteps, planBuild } from './build-plan.ts';
import type { Builder, BuildOrder } from './builder.ts';
import { runCommand } from './commands.ts';
import type { OperatorNpm } from './operator-npm.ts';
import { type Manager, variablesOf } from './package-manager-rules.ts';
import { type PackageManagers, programsIn } from './package-managers.ts';
import { readBuildFacts } from './project-facts.ts';

export interface NodeBuilderOptions {
  readonly sources: Sources;
  readonly artifacts: Artifacts;
  readonly managers: PackageManagers;
  /** Where each deployment has a cache of packages: what a build writes, no other deployment's build reads. */
  readonly npm_cache: string;
  readonly fence: Fence;
  readonly operator: OperatorNpm;
}

/** Builds JavaScript and TypeScript projects by the commands of their package manager. */
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
        await fetchSource(sources, { source: revision.source, folder: work, signal });
        const plan = planBuild(await readBuildFacts(work, revision.config));
        if (plan.kind === 'refused')
          throw new Problem('invalid', plan.message, plan.hint === undefined ? {} : { hint: plan.hint });
        await runSteps(plan, { ...options, ...order, needed: plan.managers, work, home });
        order.onLine('packing the artifact', 'INFO');
        return await artifacts.finish(work, { deployment_id, revision_id: revision.id, signal });
      } finally {
        for (const path of [home, work, `${work}.artifact.tgz`]) await removeTree(path);
      }
    },
  };
}

interface Build extends NodeBuilderOptions, BuildOrder {
  /** Holds the project. */
  readonly work: string;
  /** Package managers that its commands need. */
  readonly needed: readonly Manager[];
  /** HOME and TMPDIR of its commands. */
  readonly home: string;
}

async function runSteps(plan: BuildSteps, build: Build): Promise<void> {
  const { work, onPhase, onLine } = build;
  for (const warning of plan.warnings) onLine(warning, 'WARNING');
  const [first] = plan.steps;
  if (first === undefined) return;
  await onPhase(first.phase);
  const run = await prepareCommands(build);
  for (const { phase, command, folder } of plan.steps) {
    if (phase !== first.phase) await onPhase(phase);
    onLine(`$ ${command}`, 'INFO');
    if (!(await isFolder(join(work, folder))))
      throw new Problem('invalid', `\`${command}\` can't run: the command before it removed its folder.`);
    await run(command, { cwd: join(work, folder), writes: work });
    if (!(await isFolder(work)))
      throw new Problem('invalid', `\`${command}\` removed the folder that is to be deployed.`);
  }
}

/** Runs commands of a build, in the folder that each is given. */
type Run = (command: string, place: Place) => Promise<void>;

interface Place {
  readonly cwd: string;
  /** The folder that it may write to beside its HOME. */
  readonly writes: string;
}

type Variables = Readonly<Record<string, string>>;

/** Makes a HOME that holds the operator's way to the package registry, and nothing else of the operator. */
async function prepareCommands(build: Build): Promise<Run> {
  const { home, operator, fence, onLine, signal } = build;
  const npm_cache = join(build.npm_cache, build.deployment_id);
  for (const folder of [home, npm_cache]) await mkdir(folder, { recursive: true });
  const { variables, paths, files, secrets } = await operator.read();
  for (const [name, text] of Object.entries(files)) await writeFile(join(home, name), text, { mode: 0o600 });
  const mask = createMask(() => [secrets]);
  const environment = { ...variables, ...ownVariables(home, npm_cache) };
  const run =
    (managers: Provided = { variables: {}, folders: [], path: [] }): Run =>
    async (command, { cwd, writes }) =>
      await runCommand({
        command,
        cwd,
        environment: {
          ...environment,
          ...managers.variables,
          PATH: [...managers.path, variables['PATH'] ?? ''].join(':'),
        },
        reads: [...paths, ...managers.folders],
        writes: [writes, home, npm_cache],
        home,
        fence,
        onLine,
        mask,
        signal,
      });
  return run(await provideManagers(build, run()));
}

/** Package managers that stand before those that this machine may have. */
interface Provided {
  readonly variables: Variables;
  readonly folders: readonly string[];
  readonly path: readonly string[];
}

async function provideManagers({ needed, managers, onLine }: Build, run: Run): Promise<Provided> {
  const folders: string[] = [];
  for (const manager of needed) {
    onLine(`using ${manager.name} ${manager.version}`, 'INFO');
    const fetch = (command: string, folder: string) => run(command, { cwd: folder, writes: folder });
    folders.push(await managers.provide(manager, fetch));
  }
  return {
    variables: Object.assign({}, ...needed.map(variablesOf)) as Variables,
    folders,
    path: folders.map(programsIn),
  };
}

/** Beside the operator's way to the package registry, only what any build needs: no variable of ours, and a HOME of its own. */
function ownVariables(home: string, npm_cache: string): Variables {
  return {
    HOME: home,
    TMPDIR: home,
    LANG: 'C.UTF-8',
    CI: 'true',
    npm_config_cache: npm_cache,
    npm_config_update_notifier: 'false',
    npm_config_loglevel: 'warn',
    // The build log says it all; npm's own would stay beside the cache.
    npm_config_logs_max: '0',
  };
}
