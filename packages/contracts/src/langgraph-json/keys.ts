/** What becomes of each key of `langgraph.json` and of its `http`; what is not named here may be mistyped. */
type Fate =
  /** It does what it does in the original, or asks for nothing that a JavaScript project would miss. */
  | 'fine'
  /** Its meaning is not built: what it asks for is missing, which is said. */
  | 'not built'
  /** It is about the image that the original builds. */
  | 'of an image';

const fates: Readonly<Record<string, Fate>> = {
  $schema: 'fine',
  _INTERNAL_docker_tag: 'fine',
  api_version: 'of an image',
  auth: 'fine',
  base_image: 'of an image',
  checkpointer: 'not built',
  dependencies: 'fine',
  docker_compose_file: 'of an image',
  dockerfile_lines: 'of an image',
  encryption: 'not built',
  env: 'fine',
  graphs: 'fine',
  http: 'fine',
  'http.disable_a2a': 'fine',
  image_distro: 'of an image',
  keep_pkg_tools: 'fine',
  node_loader: 'fine',
  node_version: 'fine',
  pip_config_file: 'fine',
  pip_installer: 'fine',
  python_version: 'fine',
  source: 'fine',
  store: 'not built',
  ui: 'not built',
  ui_config: 'not built',
  webhooks: 'not built',
};

const sentences: Readonly<Record<Exclude<Fate, 'fine'>, string>> = {
  'not built': 'is not built yet and is ignored',
  'of an image': 'is about a container image and is ignored: no image is built here',
};

/** What is said of a key, for the build log; undefined when there is nothing to say. */
export function warningOf(key: string): string | undefined {
  const fate = fates[key] ?? (key.startsWith('http.') ? 'not built' : undefined);
  if (fate === 'fine') return undefined;
  return fate === undefined ? `the key "${key}" is not known and is ignored` : `"${key}" ${sentences[fate]}`;
}
