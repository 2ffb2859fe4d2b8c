import { readFile, realpath } from 'node:fs/promises';
import { dirname, join, sep } from 'node:path';
import { parseEnv } from 'node:util';
import { Problem } from '@roadstead/kit';
import { parseGraphConfig } from '../builders/graph-config-rules.ts';

type Variables = Readonly<Record<string, string>>;

/**
 * The environment of a revision: what its `langgraph.json` brings under `env`, below what the deployment sets. Names
 * of ours can't be brought.
 * @param folder the unpacked artifact.
 * @throws Problem that names variables which `env` asks for and nobody sets.
 */
export async function withProjectEnvironment(
  folder: string,
  config_path: string,
  given: Variables,
): Promise<Variables> {
  const text = await readFile(join(folder, config_path), 'utf8').catch(() => undefined);
  const parsed = parseGraphConfig(text, config_path);
  // The graph host says better what is wrong with it.
  if (parsed.kind === 'refused') return given;
  const { env } = parsed.config;
  if (env === undefined) return given;
  if (typeof env === 'string')
    return { ...allowed(await fileVariables(folder, join(dirname(config_path), env))), ...given };
  if (!Array.isArray(env)) return { ...allowed(env as Variables), ...given };
  const missing = env.filter((name) => !(name in given));
  if (missing.length > 0)
    throw new Problem('invalid', `${config_path} needs variables that are not set: ${missing.join(', ')}.`, {
      hint: 'Set them as secrets of the deployment.',
    });
  return given;
}

/** No file is no variables: it is often kept out of what is deployed. A link that leaves the folder is no file. */
async function fileVariables(folder: string, path: string): Promise<Variables> {
  const [root, file] = await Promise.all([
    realpath(folder),
    realpath(join(folder, path)).catch(() => undefined),
  ]);
  if (file === undefined || !file.startsWith(root + sep)) return {};
  const text = await readFile(file, 'utf8').catch(() => '');
  return parseEnv(text) as Variables;
}

function allowed(variables: Variables): Variables {
  return Object.fromEntries(Object.entries(variables).filter(([name]) => !name.startsWith('ROADSTEAD_')));
}
