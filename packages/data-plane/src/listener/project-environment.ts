import { readFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { parseEnv } from 'node:util';
import { isReservedVariable } from '@roadstead/contracts/control-plane';
import type { GraphConfig } from '@roadstead/contracts/langgraph-json';
import { Problem } from '@roadstead/kit';
import { MAX_FILE_BYTES, projectFile } from '../folders/project-files.ts';

type Variables = Readonly<Record<string, string>>;

export interface ProjectEnvironment {
  readonly variables: Variables;
  /** Variables that the project sets or asks for although only the platform may set them. */
  readonly left_out: readonly string[];
}

/**
 * The environment of a revision: the variables under `env` in its `langgraph.json`, overridden by those of the
 * deployment. Reserved names are left out, as they can't be secrets either.
 * @param folder the unpacked artifact.
 * @throws Problem that names variables which `env` requires and which are not set, or that no process can get.
 */
export async function withProjectEnvironment(
  folder: string,
  config: Pick<GraphConfig, 'config_path' | 'env'>,
  given: Variables,
): Promise<ProjectEnvironment> {
  const environment = await composed(folder, config, given);
  refuseNul(environment.variables);
  return environment;
}

async function composed(
  folder: string,
  { config_path, env }: Pick<GraphConfig, 'config_path' | 'env'>,
  given: Variables,
): Promise<ProjectEnvironment> {
  if (env === undefined) return { variables: given, left_out: [] };
  if (Array.isArray(env)) return { variables: given, left_out: askedFor(env, config_path, given) };
  const brought =
    typeof env === 'string'
      ? await fileVariables(folder, join(dirname(config_path), env))
      : (env as Variables);
  const allowed = Object.entries(brought).filter(([name]) => !isReservedVariable(name));
  return {
    variables: { ...Object.fromEntries(allowed), ...given },
    left_out: Object.keys(brought).filter(isReservedVariable).toSorted(),
  };
}

/** Starting a process would fail on it too, with the value in the error. */
export function refuseNul(variables: Variables): void {
  const wrong = Object.entries(variables).filter((variable) => variable.some((text) => text.includes('\0')));
  if (wrong.length === 0) return;
  const names = wrong.map(([name]) => name.replaceAll('\0', '?')).toSorted();
  throw new Problem('invalid', `These variables hold a NUL character: ${names.join(', ')}.`, {
    hint: 'Set them again without it.',
  });
}

/** Answers the names that can't be set. */
function askedFor(names: readonly string[], config_path: string, given: Variables): string[] {
  const missing = names.filter((name) => !(name in given));
  const unset = missing.filter((name) => !isReservedVariable(name));
  if (unset.length > 0)
    throw new Problem('invalid', `${config_path} needs variables that are not set: ${unset.join(', ')}.`, {
      hint: 'Set them as secrets of the deployment.',
    });
  return missing.filter(isReservedVariable);
}

/** A missing file means no variables: it is often kept out of a deployment. */
async function fileVariables(folder: string, path: string): Promise<Variables> {
  const file = await projectFile(folder, path);
  if (file === undefined) return {};
  if (file.size > MAX_FILE_BYTES)
    throw new Problem('invalid', `The file of variables ${path} is larger than ${MAX_FILE_BYTES} bytes.`, {
      hint: 'Let `env` in langgraph.json name a file that holds variables only.',
    });
  return parseEnv(await readFile(file.path, 'utf8').catch(() => '')) as Variables;
}
