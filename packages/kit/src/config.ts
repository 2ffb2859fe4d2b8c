import { readFileSync } from 'node:fs';
import { z } from 'zod';
import { Problem } from './problems/problem.ts';

/** One setting: its environment variable, what it means, and its schema with the default in it. */
export interface Setting<S extends z.ZodType = z.ZodType> {
  readonly env: string;
  /** Other names of the variable, used by other software; the first one that is set counts. */
  readonly aliases?: readonly string[];
  readonly doc: string;
  readonly schema: S;
  /** Shown in the documentation where the default is computed. */
  readonly shown_default?: string;
  /** Deleted from the process's environment once read; `{env}_FILE` may name a file that holds it. */
  readonly secret?: boolean;
}

export type Settings = Readonly<Record<string, Setting>>;
export type Config<S extends Settings> = { readonly [K in keyof S]: z.output<S[K]['schema']> };

export function setting<S extends z.ZodType>(written: Setting<S>): Setting<S> {
  return written;
}

/** A setting that every process has. */
export const logLevelSetting = setting({
  env: 'LOG_LEVEL',
  doc: 'Least severe log level: debug, info, warn or error.',
  schema: z.enum(['debug', 'info', 'warn', 'error']).default('info'),
});

/** The only reader of the environment. An unset or empty variable takes the default. */
export function readConfig<S extends Settings>(
  settings: S,
  environment: NodeJS.ProcessEnv = process.env,
): Config<S> {
  const entries = Object.entries(settings).map(([name, one]) => {
    const text = textOf(one, environment);
    const given = text === '' ? undefined : text;
    const result = one.schema.safeParse(given);
    if (!result.success) {
      if (given === undefined) throw new Problem('invalid', `${one.env} is needed: ${one.doc}`);
      throw new Problem(
        'invalid',
        `${one.env} is not usable: ${result.error.issues.map((issue) => issue.message).join('; ')}.`,
      );
    }
    if (one.secret === true) for (const env of [one.env, ...(one.aliases ?? [])]) delete environment[env];
    return [name, result.data];
  });
  return Object.fromEntries(entries) as Config<S>;
}

function textOf({ env, aliases = [], secret }: Setting, environment: NodeJS.ProcessEnv): string | undefined {
  const text = [env, ...aliases]
    .map((name) => environment[name])
    .find((one) => one !== undefined && one !== '');
  const file = secret === true ? environment[`${env}_FILE`] : undefined;
  if (file === undefined || file === '') return text;
  if (text !== undefined && text !== '')
    throw new Problem('invalid', `${env} and ${env}_FILE are both set; one of them is enough.`);
  try {
    return readFileSync(file, 'utf8').trim();
  } catch (cause) {
    throw new Problem('invalid', `The file that ${env}_FILE names can’t be read.`, { cause });
  }
}

/** The environment that a child process may have: only variables that any program needs. */
export function minimalEnvironment(environment: NodeJS.ProcessEnv = process.env): Record<string, string> {
  const names = ['PATH', 'LANG', 'LC_ALL', 'TZ', 'TMPDIR', 'TERM'];
  return Object.fromEntries(
    names.flatMap((name) => (environment[name] === undefined ? [] : [[name, environment[name]]])),
  );
}

/** The environment variables from which connections to Postgres take what their address leaves out. */
export function postgresEnvironment(environment: NodeJS.ProcessEnv = process.env): Record<string, string> {
  const isRead = (name: string) => name.startsWith('PG') || ['HOME', 'USER', 'USERNAME'].includes(name);
  return Object.fromEntries(
    Object.entries(environment).flatMap(([name, value]) =>
      isRead(name) && value !== undefined ? [[name, value]] : [],
    ),
  );
}

/** The environment variables by which a client of Amazon’s services finds the credentials of its machine. */
export function awsEnvironment(environment: NodeJS.ProcessEnv = process.env): Record<string, string> {
  return Object.fromEntries(
    Object.entries(environment).flatMap(([name, value]) =>
      name.startsWith('AWS_') && value !== undefined ? [[name, value]] : [],
    ),
  );
}

export const flag = z.enum(['true', 'false', '1', '0']).transform((text) => text === 'true' || text === '1');
