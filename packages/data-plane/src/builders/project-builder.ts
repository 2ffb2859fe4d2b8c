import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import type { SourceForm } from '@roadstead/contracts/control-plane';
import { folderOf, normalPath } from '@roadstead/contracts/langgraph-json';
import { type Log, Problem } from '@roadstead/kit';
import { removeTree } from '../folders/remove-tree.ts';
import { fetchSource, type Sources } from '../ports/source.ts';
import { isFolder } from '../artifacts/artifact-files.ts';
import type { Artifacts } from '../artifacts/artifacts.ts';
import type { BuildCache } from './build-cache.ts';
import { BuildCommands, type CommandsOptions } from './build-commands.ts';
import { type BuildFacts, type BuildSteps, planBuild } from './build-plan.ts';
import { configPathOf, keepBuiltConfig } from './config-file.ts';
import type { Builder, BuildOrder } from '../ports/builder.ts';
import { linkPackages, findDevelopment } from './development.ts';
import { KeptPython, pythonInputs } from './kept-python.ts';
import { addNode } from './node-setup.ts';
import type { OperatorNpm } from './operator-npm.ts';
import { withoutCredentials } from './output-mask-rules.ts';
import { readBuildFacts } from './project-facts.ts';
import { namesIndex, pythonSetup, type PythonTools } from './python-setup.ts';

export interface ProjectBuilderOptions extends Pick<CommandsOptions, 'aliases' | 'place' | 'limits'> {
  readonly sources: Sources;
  readonly artifacts: Artifacts;
  readonly cache: BuildCache;
  readonly operator: OperatorNpm;
  readonly python: PythonTools;
  /** The folder where `roadstead dev` notes which deployments take their packages from a folder of this machine. */
  readonly development: string;
  readonly log: Log;
}

/**
 * Builds projects: JavaScript and TypeScript with the commands of their package manager, Python with uv, and what has
 * both with both.
 */
export function createProjectBuilder(options: ProjectBuilderOptions): Builder {
  const { artifacts, sources } = options;
  const kept = new KeptPython(artifacts);
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
        const build: Build = { ...options, ...order, work, home };
        if (development !== undefined && revision.source?.kind === 'archive') {
          const { digest } = revision.source;
          const facts = await readBuildFacts(work, revision.config);
          const inputs = await pythonInputs(work, {
            config_path: configPathOf(revision.config),
            pip_config_file: pipConfigOf(facts),
          });
          await linkPackages(development, work);
          await installPython(build, { kept, inputs });
          await artifacts.keepUnpacked(work, { digest, deployment_id, revision_id: revision.id });
          kept.note(deployment_id, { inputs, digest });
          return digest;
        }
        const facts = await readBuildFacts(work, revision.config);
        await runPlan(facts, build);
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

/** Installs the packages of Python alone, unless those of the save before are the same. */
async function installPython(
  build: Build,
  { kept, inputs }: { readonly kept: KeptPython; readonly inputs: string },
): Promise<void> {
  const { work, deployment_id, revision } = build;
  const facts = await readBuildFacts(work, revision.config);
  if (facts.python === undefined || (await kept.link(deployment_id, { inputs, work }))) return;
  await runPlan({ ...facts, chains: [] }, build);
}

async function runPlan(facts: BuildFacts, build: Build): Promise<void> {
  const plan = planBuild(facts, { has_index: await namesIndex(build.python) });
  if (plan.kind === 'refused')
    throw new Problem('invalid', plan.message, plan.hint === undefined ? {} : { hint: plan.hint });
  await runSteps(plan, { ...build, pip_config_file: pipConfigOf(facts) });
}

/** The project's own settings of pip, relative to it. */
function pipConfigOf({ graph_config }: BuildFacts): string | undefined {
  const config = graph_config.kind === 'config' ? graph_config.config : undefined;
  const file = config?.python?.pip_config_file;
  return config && file && normalPath(folderOf(config.config_path), file);
}

interface Build extends ProjectBuilderOptions, BuildOrder {
  /** The folder of the project. */
  readonly work: string;
  /** HOME and TMPDIR of its commands. */
  readonly home: string;
}

interface PlannedBuild extends Build {
  readonly pip_config_file: string | undefined;
}

async function runSteps(plan: BuildSteps, build: PlannedBuild): Promise<void> {
  const { work, onPhase, onLine } = build;
  for (const warning of plan.warnings) onLine(warning, 'WARNING');
  const [first] = plan.steps;
  if (first === undefined) return;
  await onPhase(first.phase);
  await using stack = new AsyncDisposableStack();
  const { run } = await prepareCommands(plan, build, stack);
  for (const { phase, command, folder, title } of plan.steps) {
    if (phase !== first.phase) await onPhase(phase);
    onLine(title ?? `$ ${withoutCredentials(command)}`, 'INFO');
    if (!(await isFolder(join(work, folder))))
      throw new Problem('invalid', `\`${command}\` can't run: the command before it removed its folder.`);
    await run(command, { cwd: join(work, folder), writes: work });
    if (!(await isFolder(work)))
      throw new Problem('invalid', `\`${command}\` removed the folder that is to be deployed.`);
  }
}

/** Creates a HOME with the operator's access to package registries, and nothing else of the operator. */
async function prepareCommands(
  { managers, locks, python: plan }: BuildSteps,
  build: PlannedBuild,
  stack: AsyncDisposableStack,
): Promise<BuildCommands> {
  const { home, operator, python } = build;
  await mkdir(home, { recursive: true });
  const commands = new BuildCommands(build);
  const { variables, paths, files, secrets } = await operator.read();
  const { PATH = '', ...others } = variables;
  await commands.add({
    variables: others,
    path: [PATH],
    reads: paths,
    writes: [],
    files,
    secrets: Object.values(secrets),
  });
  await addNode(commands, { ...build, managers, locks }, stack);
  if (plan !== undefined) await commands.add(await pythonSetup(python, { ...build, plan }, stack));
  return commands;
}
