import type { AssignedRevision } from '@roadstead/contracts/control-plane';
import {
  type GraphConfig,
  type ReadConfig,
  readLangGraphJson,
  staysInside,
} from '@roadstead/contracts/langgraph-json';
import { type Log, Problem } from '@roadstead/kit';
import type { Artifacts } from '../artifacts/artifacts.ts';
import { beginningOf, projectFile } from '../folders/project-files.ts';

/** The path of a revision's `langgraph.json`, below the project's root. */
export function configPathOf({ langgraph_config_path }: AssignedRevision['config']): string {
  return (langgraph_config_path ?? 'langgraph.json').replace(/^(\.\/)+/, '');
}

/** A `langgraph.json` that was read, with its text: the same text is not parsed again. */
export interface ConfigFile {
  readonly text: string | undefined;
  readonly read: ReadConfig;
}

/**
 * Reads the `langgraph.json` of a project.
 * @param before the file as it was read before commands that may have changed it
 */
export async function readConfigFile(
  project: string,
  config_path: string,
  before?: ConfigFile,
): Promise<ConfigFile> {
  if (!staysInside('.', config_path)) return { text: undefined, read: outside };
  const file = await projectFile(project, config_path);
  const text = file === undefined ? undefined : await beginningOf(file.path);
  if (before !== undefined && before.text === text) return before;
  return { text, read: readLangGraphJson(text, config_path) };
}

/**
 * Keeps the configuration of what was built; commands of the build may have written another one. One that can't be kept
 * is read again by the one who starts the build.
 */
export async function keepBuiltConfig(
  { artifacts, log }: { readonly artifacts: Artifacts; readonly log: Log },
  {
    digest,
    config_path,
    config_file,
  }: { readonly digest: string; readonly config_path: string; readonly config_file: ConfigFile },
): Promise<void> {
  try {
    const { read } = await readConfigFile(artifacts.pathOf(digest), config_path, config_file);
    // A refused one is a reason for not starting it: who starts it reads it again, and says so.
    if (read.kind === 'config') await artifacts.keepConfig(digest, config_path, read.config);
  } catch (error) {
    log.warn('the configuration of a build was not kept', { digest, error });
  }
}

/**
 * The graph configuration of an artifact: as it is kept beside it, else read now, and kept.
 * @throws Problem that describes what is wrong with it.
 */
export async function readArtifactConfig(
  artifacts: Artifacts,
  { digest, config_path }: { readonly digest: string; readonly config_path: string },
): Promise<GraphConfig> {
  const kept = await artifacts.config(digest, config_path);
  if (kept !== undefined) return kept;
  const { read } = await readConfigFile(artifacts.pathOf(digest), config_path);
  if (read.kind === 'refused')
    throw new Problem('invalid', read.message, read.hint === undefined ? {} : { hint: read.hint });
  // A configuration that could not be kept is read again.
  await artifacts.keepConfig(digest, config_path, read.config).catch(() => undefined);
  return read.config;
}

const outside: ReadConfig = {
  kind: 'refused',
  message: 'langgraph_config_path must be a path inside the project.',
};
