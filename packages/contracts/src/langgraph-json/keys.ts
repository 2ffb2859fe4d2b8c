import { parts } from './settings.ts';

/** The fate of each key of `langgraph.json`; a key that is missing here and in the settings may be mistyped. */
type Fate =
  /** It works as in the original, or asks for nothing that a JavaScript project would miss. */
  | 'fine'
  /** It is not built: its effect is missing, and a warning says so. */
  | 'not built'
  /** It is about the image that the original builds. */
  | 'of an image'
  /** It orders what does not meet here: middleware of the app, and who calls the API. */
  | 'of middleware';

const fates: Readonly<Record<string, Fate>> = {
  $schema: 'fine',
  _INTERNAL_docker_tag: 'fine',
  api_version: 'of an image',
  auth: 'fine',
  'auth.path': 'fine',
  'auth.disable_studio_auth': 'fine',
  'auth.openapi': 'fine',
  'auth.cache': 'fine',
  'auth.allow_langsmith_api_keys': 'fine',
  base_image: 'of an image',
  checkpointer: 'fine',
  'checkpointer.backend': 'fine',
  'checkpointer.path': 'fine',
  'checkpointer.serde': 'fine',
  'checkpointer.ttl': 'fine',
  dependencies: 'fine',
  docker_compose_file: 'of an image',
  dockerfile_lines: 'of an image',
  encryption: 'fine',
  env: 'fine',
  graphs: 'fine',
  http: 'fine',
  'http.middleware_order': 'of middleware',
  image_distro: 'of an image',
  keep_pkg_tools: 'of an image',
  node_loader: 'fine',
  node_version: 'fine',
  pip_config_file: 'fine',
  pip_installer: 'fine',
  python_version: 'fine',
  source: 'fine',
  store: 'fine',
  ui: 'not built',
  ui_config: 'not built',
  webhooks: 'fine',
};

const sentences: Readonly<Record<Exclude<Fate, 'fine'>, string>> = {
  'not built': 'is not built and is ignored',
  'of an image': 'is about a container image and is ignored: no image is built here',
  'of middleware': 'is ignored: middleware of http.app runs for the addresses of the app alone',
};

/** The warnings about the keys of a file, for the build log. */
export function warningsOfKeys(config: object): string[] {
  const found = keysOf(config);
  return found.flatMap((key) => warningOf(key) ?? []);
}

function warningOf(key: string): string | undefined {
  const [, part = '', name = ''] = /^(?:(.*)\.)?([^.]*)$/.exec(key) ?? [];
  const fate = fates[key] ?? (parts[part]?.[name] === undefined ? undefined : 'fine');
  if (fate === 'fine') return undefined;
  return fate === undefined ? `the key "${key}" is not known and is ignored` : `"${key}" ${sentences[fate]}`;
}

/** Its keys, and those of its parts, by their path. */
function keysOf(config: object, part?: string): string[] {
  return Object.entries(config).flatMap(([name, value]) => {
    const key = part === undefined ? name : `${part}.${name}`;
    const isPart = key in parts || key === 'auth' || key === 'checkpointer';
    return isPart && typeof value === 'object' && value !== null ? [key, ...keysOf(value, key)] : [key];
  });
}
