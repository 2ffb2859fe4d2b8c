import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { type IndexSettings, mergeSettings, noSettings } from './index-settings.ts';
import { readPipConfig, readUvConfig, withLogin } from './index-files-rules.ts';

export type Environment = Readonly<Record<string, string | undefined>>;

/** Variables of uv that a build gets unchanged: how to reach indexes, and which Pythons count; none is a secret. */
const PASSED =
  /^UV_(NATIVE_TLS|SYSTEM_CERTS|HTTP_TIMEOUT|HTTP_RETRIES|CONCURRENT_DOWNLOADS|OFFLINE|EXCLUDE_NEWER|PYTHON_DOWNLOADS|PYTHON_PREFERENCE)$/;

/** Variables by which uv brings Pythons: no build does that, and their addresses may hold a login. */
const BRINGING = /^UV_PYTHON_(INSTALL_MIRROR|DOWNLOADS_JSON_URL)$/;

const only = (environment: Environment, form: RegExp): Record<string, string> =>
  Object.fromEntries(
    Object.entries(environment).flatMap(([name, value]) =>
      value !== undefined && form.test(name) ? [[name, value]] : [],
    ),
  );

export const passedVariables = (environment: Environment): Record<string, string> =>
  only(environment, PASSED);

export const bringingVariables = (environment: Environment): Record<string, string> =>
  only(environment, BRINGING);

/**
 * The settings of the operator: of uv before those of pip, and in the environment before those in files.
 */
export async function readOperatorSettings(environment: Environment): Promise<IndexSettings> {
  const [uv_files, pip_files] = await Promise.all(
    [uvFilesOf(environment), pipFilesOf(environment)].map((files) => Promise.all(files.map(textOf))),
  );
  return mergeSettings([
    ofUv(environment),
    ...(uv_files ?? []).map((text) => readUvConfig(text, environment)),
    ofPip(environment),
    ...(pip_files ?? []).map(readPipConfig),
  ]);
}

const spaced = (text = '') => text.split(/\s+/).filter((word) => word !== '');

/** The address in a text such as `boats=https://boats.test/simple`, with the login of its name. */
function addressOf(text: string, variables: Environment): string {
  const [, name, url = text] = /^([\w.-]+)=(.+)$/.exec(text) ?? [];
  return withLogin({ name, url }, variables);
}

function ofUv(variables: Environment): IndexSettings {
  return {
    ...noSettings,
    default_index:
      spaced(variables['UV_DEFAULT_INDEX']).map((one) => addressOf(one, variables))[0] ??
      variables['UV_INDEX_URL'],
    extra_indexes: [
      ...spaced(variables['UV_INDEX']).map((one) => addressOf(one, variables)),
      ...spaced(variables['UV_EXTRA_INDEX_URL']),
    ],
    find_links: (variables['UV_FIND_LINKS'] ?? '').split(',').flatMap(spaced),
    insecure_hosts: spaced(variables['UV_INSECURE_HOST']),
    uses_no_index: /^(1|true)$/i.test(variables['UV_NO_INDEX'] ?? ''),
    certificates: variables['SSL_CERT_FILE'],
    strategy: variables['UV_INDEX_STRATEGY'],
  };
}

function ofPip(variables: Environment): IndexSettings {
  return {
    ...noSettings,
    default_index: variables['PIP_INDEX_URL'],
    extra_indexes: spaced(variables['PIP_EXTRA_INDEX_URL']),
    find_links: spaced(variables['PIP_FIND_LINKS']),
    insecure_hosts: spaced(variables['PIP_TRUSTED_HOST']),
    uses_no_index: /^(1|true|yes|on)$/i.test(variables['PIP_NO_INDEX'] ?? ''),
    certificates: variables['PIP_CERT'] ?? variables['REQUESTS_CA_BUNDLE'],
  };
}

/** Files of the user come before those of the machine. */
function uvFilesOf({ UV_CONFIG_FILE, UV_NO_CONFIG, XDG_CONFIG_HOME, HOME }: Environment): string[] {
  if (/^(1|true)$/i.test(UV_NO_CONFIG ?? '')) return [];
  if (UV_CONFIG_FILE !== undefined) return [UV_CONFIG_FILE];
  return [join(XDG_CONFIG_HOME ?? join(HOME ?? '/', '.config'), 'uv/uv.toml'), '/etc/uv/uv.toml'];
}

function pipFilesOf({ PIP_CONFIG_FILE, XDG_CONFIG_HOME, HOME = '/' }: Environment): string[] {
  return [
    ...(PIP_CONFIG_FILE === undefined ? [] : [PIP_CONFIG_FILE]),
    join(XDG_CONFIG_HOME ?? join(HOME, '.config'), 'pip/pip.conf'),
    join(HOME, 'Library/Application Support/pip/pip.conf'),
    join(HOME, '.pip/pip.conf'),
    '/etc/pip.conf',
  ];
}

const textOf = (path: string) => readFile(path, 'utf8').catch(() => '');
