import { createReadStream } from 'node:fs';
import { mkdir, readdir, readFile, rm, stat } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { Readable } from 'node:stream';
import type { AssignedRevision, Phase } from '@roadstead/contracts';
import { Problem } from '@roadstead/kit';
import { type Artifacts, download, packArtifact } from './artifacts.ts';
import { type BuildPlan, planBuild } from './build-plan.ts';
import { registryEnvironment, runCommand } from './commands.ts';
import { unpackSource } from './unpack.ts';

export interface BuildOptions {
  readonly revision: AssignedRevision;
  readonly artifacts: Artifacts;
  /** Shared by all builds. */
  readonly npm_cache: string;
  readonly prefix: readonly string[];
  readonly environment: Readonly<Record<string, string | undefined>>;
  readonly onPhase: (phase: Phase) => Promise<void>;
  readonly onLine: (line: string, level: 'INFO' | 'WARNING' | 'ERROR') => void;
  readonly signal: AbortSignal;
}

/** Builds a revision's source into an artifact that is kept here and in the control plane's blobs; answers its digest. */
export async function buildRevision(options: BuildOptions): Promise<string> {
  const { revision, artifacts, onPhase, onLine, signal } = options;
  if (revision.source_url === null || revision.artifact_put_url === null)
    throw new Problem('invalid', 'This revision has neither source nor artifact.');
  await onPhase('source');
  const work = await artifacts.workFolder();
  const archive = `${work}.source.tgz`;
  const home = `${work}.home`;
  try {
    await download(revision.source_url, archive, signal);
    await unpackSource(archive, work);
    const plan = planBuild(await factsOf(work, revision));
    await runPlan(plan, work, home, options);
    onLine('packing the artifact', 'INFO');
    const packed = `${work}.artifact.tgz`;
    await packArtifact(work, packed);
    const digest = await upload(packed, revision.artifact_put_url, signal);
    await artifacts.keep(digest, work);
    return digest;
  } finally {
    for (const path of [archive, home, work, `${work}.artifact.tgz`])
      await rm(path, { recursive: true, force: true });
  }
}

async function runPlan(plan: BuildPlan, work: string, home: string, options: BuildOptions): Promise<void> {
  if (plan.kind === 'refused')
    throw new Problem('invalid', plan.message, plan.hint === undefined ? {} : { hint: plan.hint });
  await mkdir(home, { recursive: true });
  await mkdir(options.npm_cache, { recursive: true });
  for (const step of plan.steps) {
    await options.onPhase(step.phase);
    options.onLine(`$ ${step.command}`, 'INFO');
    await runCommand({
      command: step.command,
      cwd: join(work, step.folder),
      environment: environmentOf(home, options),
      prefix: options.prefix,
      onLine: options.onLine,
      signal: options.signal,
    });
  }
}

/** Only what any build needs: no variable of ours, an empty HOME, and the operator's way to the package registry. */
function environmentOf(home: string, { npm_cache, environment }: BuildOptions): Record<string, string> {
  return {
    ...registryEnvironment(environment),
    PATH: `${dirname(process.execPath)}:${environment['PATH'] ?? '/usr/local/bin:/usr/bin:/bin'}`,
    HOME: home,
    TMPDIR: home,
    LANG: 'C.UTF-8',
    CI: 'true',
    npm_config_cache: npm_cache,
    npm_config_update_notifier: 'false',
    npm_config_loglevel: 'warn',
  };
}

async function factsOf(work: string, { config }: AssignedRevision) {
  const path = join(work, config.langgraph_config_path);
  const found = await stat(path).catch(() => undefined);
  return {
    config_text: found?.isFile() === true ? await readFile(path, 'utf8') : undefined,
    config_path: config.langgraph_config_path.replace(/^\.\//, ''),
    root_files: await readdir(work),
    install_command: config.install_command,
    build_command: config.build_command,
  };
}

async function upload(file: string, url: string, signal: AbortSignal): Promise<string> {
  const { size } = await stat(file);
  const body = Readable.toWeb(createReadStream(file)) as ReadableStream<Uint8Array>;
  const response = await fetch(url, {
    method: 'PUT',
    body,
    duplex: 'half',
    headers: { 'content-length': String(size), 'content-type': 'application/gzip' },
    signal,
    redirect: 'error',
  });
  if (!response.ok)
    throw new Problem('unavailable', `The control plane answered ${response.status} to the artifact.`);
  return ((await response.json()) as { digest: string }).digest;
}
