import { mkdir, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { unpackSource } from '@roadstead/archives';
import { createMask } from '@roadstead/agent-server';
import type { AssignedRevision, Phase } from '@roadstead/contracts/control-plane';
import type { Fence } from '@roadstead/fence';
import { Problem } from '@roadstead/kit';
import { isFolder } from './artifact-files.ts';
import type { Artifacts } from './artifacts.ts';
import { type BuildFacts, type BuildPlan, planBuild } from './build-plan.ts';
import { runCommand } from './commands.ts';
import { configPathOf, staysInside } from './graph-config-rules.ts';
import type { OperatorNpm } from './operator-npm.ts';
import { download } from './transfer.ts';

const MAX_SOURCE_BYTES = 209_715_200;

export interface BuildOptions {
  readonly deployment_id: string;
  readonly revision: AssignedRevision;
  readonly artifacts: Artifacts;
  /** Where each deployment has a cache of packages: what a build writes, no other deployment's build reads. */
  readonly npm_cache: string;
  readonly fence: Fence;
  readonly operator: OperatorNpm;
  readonly onPhase: (phase: Phase) => Promise<void>;
  readonly onLine: (line: string, level: 'INFO' | 'WARNING' | 'ERROR') => void;
  readonly signal: AbortSignal;
}

/** Builds a revision's source into an artifact that is kept here, to be sent to the control plane; answers its digest. */
export async function buildRevision(options: BuildOptions): Promise<string> {
  const { deployment_id, revision, artifacts, onPhase, onLine, signal } = options;
  const source = archiveOf(revision);
  await onPhase('source');
  const work = await artifacts.workFolder();
  const archive = `${work}.source.tgz`;
  const home = `${work}.home`;
  try {
    const { url, digest } = source;
    await download(url, archive, { digest, max_bytes: MAX_SOURCE_BYTES }, signal);
    await unpackSource(archive, work, { signal });
    const plan = planBuild(await factsOf(work, revision));
    await runPlan(plan, work, home, options);
    onLine('packing the artifact', 'INFO');
    return await artifacts.finish(work, { deployment_id, revision_id: revision.id, signal });
  } finally {
    for (const path of [archive, home, work, `${work}.artifact.tgz`])
      // What was begun before a refusal may still be written.
      await rm(path, { recursive: true, force: true, maxRetries: 10, retryDelay: 50 });
  }
}

function archiveOf({ source }: AssignedRevision) {
  if (source?.kind === 'archive') return source;
  const what = source === null ? 'there is no source to build' : `its source is of kind ${source.kind}`;
  throw new Problem('invalid', `This listener builds source archives, and ${what}.`);
}

async function runPlan(plan: BuildPlan, work: string, home: string, options: BuildOptions): Promise<void> {
  if (plan.kind === 'refused')
    throw new Problem('invalid', plan.message, plan.hint === undefined ? {} : { hint: plan.hint });
  await mkdir(home, { recursive: true });
  const npm_cache = join(options.npm_cache, options.deployment_id);
  await mkdir(npm_cache, { recursive: true });
  for (const warning of plan.warnings) options.onLine(warning, 'WARNING');
  const { variables, paths, npmrc, secrets } = await options.operator.read();
  await writeFile(join(home, '.npmrc'), npmrc, { mode: 0o600 });
  const mask = createMask(() => [secrets]);
  for (const step of plan.steps) {
    await options.onPhase(step.phase);
    options.onLine(`$ ${step.command}`, 'INFO');
    const cwd = join(work, step.folder);
    if (!(await isFolder(cwd)))
      throw new Problem(
        'invalid',
        `\`${step.command}\` can't run: the command before it removed its folder.`,
      );
    await runCommand({
      command: step.command,
      cwd,
      environment: { ...variables, ...ownVariables(home, npm_cache) },
      reads: paths,
      writes: [work, home, npm_cache],
      home,
      fence: options.fence,
      onLine: options.onLine,
      mask,
      signal: options.signal,
    });
    if (!(await isFolder(work)))
      throw new Problem('invalid', `\`${step.command}\` removed the folder that is to be deployed.`);
  }
}

/** Beside the operator's way to the package registry, only what any build needs: no variable of ours, and a HOME of its own. */
function ownVariables(home: string, npm_cache: string): Readonly<Record<string, string>> {
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

async function factsOf(work: string, { config }: AssignedRevision): Promise<BuildFacts> {
  const config_path = configPathOf(config).replace(/^\.\//, '');
  const path = join(work, config_path);
  const found = staysInside('.', config_path) ? await stat(path).catch(() => undefined) : undefined;
  return {
    config_text: found?.isFile() === true ? await readFile(path, 'utf8') : undefined,
    config_path,
    root_files: await readdir(work),
    config_files: found === undefined ? [] : await readdir(dirname(path)),
    install_command: config.install_command,
    build_command: config.build_command,
  };
}
