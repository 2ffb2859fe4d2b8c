import { type ReadConfig, readConfig } from './read.ts';

/** The variables in which images that were built for the original keep the parts of a `langgraph.json`, each as JSON. */
const variables = {
  graphs: 'LANGSERVE_GRAPHS',
  store: 'LANGGRAPH_STORE',
  auth: 'LANGGRAPH_AUTH',
  encryption: 'LANGGRAPH_ENCRYPTION',
  http: 'LANGGRAPH_HTTP',
  webhooks: 'LANGGRAPH_WEBHOOKS',
  checkpointer: 'LANGGRAPH_CHECKPOINTER',
  ui: 'LANGGRAPH_UI',
  ui_config: 'LANGGRAPH_UI_CONFIG',
} as const;

/** The label by which an image names its graphs as `langgraph.json` does, in place of the variable. */
const GRAPHS_LABEL = 'dev.roadstead.graphs';
/** The name of an image's configuration; paths in it are relative to the folder in which the image works. */
const BAKED_CONFIG = 'langgraph.json';

/**
 * The graphs of an image, as its variables and labels name them, with the settings beside them; undefined where it has none. Files
 * may lie anywhere in it.
 */
export function readBakedConfig({
  environment,
  labels,
}: {
  readonly environment: Readonly<Record<string, string>>;
  readonly labels: Readonly<Record<string, string>>;
}): ReadConfig | undefined {
  const named = { ...environment };
  const label = labels[GRAPHS_LABEL];
  if (label !== undefined) named[variables.graphs] ??= label;
  if (named[variables.graphs] === undefined) return undefined;
  const config: Record<string, unknown> = {};
  for (const [key, variable] of Object.entries(variables)) {
    const text = named[variable];
    if (text === undefined || text === '') continue;
    try {
      config[key] = JSON.parse(text) as unknown;
    } catch {
      return { kind: 'refused', message: `The image’s ${variable} is not JSON.` };
    }
  }
  return readConfig(config, { path: BAKED_CONFIG, is_confined: false });
}

/** Whether an image was made as those for the original are, whose recipe runs commands of a shell. */
export const isMadeForOriginal = (environment: Readonly<Record<string, string>>): boolean =>
  environment[variables.graphs] !== undefined;

/** The variables that say in an image what a `langgraph.json` does, for `readBakedConfig`. */
export function bakedVariables(config: Readonly<Record<string, unknown>>): Record<string, string> {
  const said = Object.entries(variables).flatMap(([key, variable]) =>
    config[key] === undefined || config[key] === null
      ? []
      : [[variable, JSON.stringify(config[key])] as const],
  );
  return Object.fromEntries(said);
}
