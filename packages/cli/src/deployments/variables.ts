import { readFile } from 'node:fs/promises';
import { basename } from 'node:path';
import { parseEnv } from 'node:util';
import { type Deployment, isReservedVariable } from '@roadstead/contracts/control-plane';
import { Problem } from '@roadstead/kit';
import { type CommandCall, textOf } from '../command-line/command.ts';
import type { Target } from '../target/target.ts';

/** The secrets of a deployment: named values that become environment variables, and that no answer shows. */
export type Secrets = readonly { readonly name: string; readonly value: string }[];

/**
 * Parses `NAME=VALUE`.
 * @param option the option to name in an error.
 */
export function variableOf(given: string, option: string): Record<string, string> {
  const at = given.indexOf('=');
  if (at < 1) throw new Problem('invalid', `${option} must look like NAME=VALUE.`);
  return { [given.slice(0, at).trim()]: given.slice(at + 1) };
}

/** The variables of a file, without those that only the platform sets. */
async function variablesIn(
  file: string,
  onProgress: (line: string) => void,
): Promise<Record<string, string>> {
  const text = await readFile(file, 'utf8').catch(() => {
    throw new Problem('invalid', `${file} can't be read.`);
  });
  const all = Object.entries(parseEnv(text) as Record<string, string>);
  const ours = all.filter(([name]) => isReservedVariable(name)).map(([name]) => name);
  const kept = all.filter(([name]) => !isReservedVariable(name));
  if (kept.length > 0)
    onProgress(`${basename(file)}: ${kept.map(([name]) => name).join(', ')} go along as secrets`);
  if (ours.length > 0) onProgress(`${basename(file)}: ${ours.join(', ')} left out, the platform sets them`);
  return Object.fromEntries(kept);
}

export const secretsOf = (variables: Readonly<Record<string, string>>): Secrets =>
  Object.entries(variables).map(([name, value]) => ({ name, value }));

/** The secrets with these values set; the others stay, since the mask stands for their value. */
export function withSecrets({ secrets }: Pick<Deployment, 'secrets'>, given: Secrets): Secrets {
  return [...secrets.filter((one) => !given.some(({ name }) => name === one.name)), ...given];
}

/** Sets secrets, which makes a revision; answers the resulting deployment. */
export async function setSecrets(
  { control }: Target,
  { deployment, given }: { readonly deployment: Deployment; readonly given: Secrets },
): Promise<Deployment> {
  return await control.patchDeployment({
    params: { deployment_id: deployment.id },
    body: { secrets: [...withSecrets(deployment, given)] },
  });
}

interface Removal {
  readonly deployment: Deployment;
  readonly names: readonly string[];
}

/** Removes secrets, which makes a revision, or two where none stays; answers the resulting deployment. */
export async function unsetSecrets({ control }: Target, { deployment, names }: Removal): Promise<Deployment> {
  const params = { deployment_id: deployment.id };
  const missing = names.find((name) => !deployment.secrets.some((one) => one.name === name));
  if (missing !== undefined) throw new Problem('not_found', `${deployment.name} has no variable ${missing}.`);
  const left = deployment.secrets.filter(({ name }) => !names.includes(name));
  // An empty list would mean "unchanged": the last secret is removed by itself.
  const secrets = left.length > 0 ? left : deployment.secrets.slice(0, 1);
  const patched =
    secrets.length < deployment.secrets.length
      ? await control.patchDeployment({ params, body: { secrets } })
      : deployment;
  const [last] = secrets;
  if (left.length > 0 || last === undefined) return patched;
  await control.deleteSecret({ params: { ...params, name: last.name } });
  return await control.readDeployment({ params });
}

interface SecretOptions extends Pick<CommandCall, 'values'> {
  readonly onProgress?: (line: string) => void;
}

/** Variables of the project's own env file, then of `--env-file`, then each `--secret`: later ones override. */
export async function givenSecrets(
  env_file: string | undefined,
  { values, onProgress = () => undefined }: SecretOptions,
): Promise<Secrets> {
  const files = [env_file, textOf(values['env-file'])].flatMap((file) => file ?? []);
  const read = await Promise.all(files.map((file) => variablesIn(file, onProgress)));
  const given = Array.isArray(values['secret']) ? (values['secret'] as string[]) : [];
  const variables = Object.assign({}, ...read, ...given.map((one) => variableOf(one, '--secret')));
  return secretsOf(variables as Record<string, string>);
}
