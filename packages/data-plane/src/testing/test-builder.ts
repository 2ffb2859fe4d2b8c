import { createHash } from 'node:crypto';
import { join } from 'node:path';
import type { AssignedRevision } from '@roadstead/contracts/control-plane';
import { openFence } from '@roadstead/fence';
import { fencedCommands } from '../ports/command-place.ts';
import { silentLog } from '@roadstead/kit';
import { Artifacts } from '../artifacts/artifacts.ts';
import { BuildCache } from '../builders/build-cache.ts';
import { createProjectBuilder } from '../builders/project-builder.ts';
import { openPythonTools } from '../builders/python-tools.ts';
import { openOperatorNpm } from '../builders/operator-npm.ts';
import { fetchArchive } from '../sources/archive-source.ts';

/** Enough for what tests install, and soon exceeded by a program that takes memory without end. */
const MEMORY_MB = 1024;

/** A real builder with its folders inside the test's folder. */
export async function openTestBuilder(
  folder: string,
  environment: Readonly<Record<string, string | undefined>> = process.env,
) {
  const { fence } = await openFence({ isolation: 'auto', data_folder: folder, sockets: [] });
  const artifacts = await Artifacts.open(join(folder, 'artifacts'));
  const builder = createProjectBuilder({
    sources: { archive: fetchArchive },
    artifacts,
    cache: new BuildCache(join(folder, 'cache')),
    aliases: [{ folder, alias: '…' }],
    place: fencedCommands(fence),
    limits: { memory_mb: MEMORY_MB, cpus: undefined },
    operator: openOperatorNpm(environment),
    python: openPythonTools({ folder, environment }),
    development: join(folder, 'dev'),
    log: silentLog,
  });
  return {
    isolation: fence.isolation,
    artifacts,
    /** Begins to build a source archive; its log and its phases can be read meanwhile. */
    build: (
      source: Buffer,
      config: Partial<AssignedRevision['config']> = {},
      { deployment_id = 'd', signal = new AbortController().signal } = {},
    ) => {
      const lines: string[] = [];
      const phases: string[] = [];
      const built = builder.build({
        workspace_id: 'w',
        deployment_id,
        revision: revisionOf(source, config),
        onPhase: async (phase) => void phases.push(phase),
        onLine: (line) => lines.push(line),
        credentials: async () => null,
        onCommit: async () => undefined,
        signal,
      });
      return { lines, phases, built };
    },
  };
}

function revisionOf(source: Buffer, config: Partial<AssignedRevision['config']>): AssignedRevision {
  return {
    id: 'r',
    number: 1,
    source: {
      kind: 'archive',
      url: `data:application/gzip;base64,${source.toString('base64')}`,
      digest: `sha256:${createHash('sha256').update(source).digest('hex')}`,
      artifact_put_url: '',
    },
    artifact: null,
    resources: null,
    secret_references: [],
    config: {
      langgraph_config_path: 'langgraph.json',
      install_command: null,
      build_command: null,
      ...config,
    },
    environment_version: 1,
  };
}
