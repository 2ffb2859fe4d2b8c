import { z } from 'zod';
import { warningOf } from './keys.ts';
import { folderOf, normalPath, staysInside } from './paths.ts';

/** The graphs of a project: what a graph host loads. */
export interface ProjectGraphs {
  /** Where the file lies, below the project's root; the paths of graphs begin beside it. */
  readonly config_path: string;
  /** By graph id; a path is `file:export`. */
  readonly graphs: Readonly<Record<string, { readonly path: string; readonly description: string | null }>>;
  readonly http: { readonly disable_a2a: boolean };
}

/** What a build and a start need of `langgraph.json`. */
export interface GraphConfig extends ProjectGraphs {
  /** A file below the project's root, variables, or the names of variables that must be there. */
  readonly env: string | readonly string[] | Readonly<Record<string, string>> | undefined;
  /** Folders below the project's root that `dependencies` names, beside that of the file itself. */
  readonly local_dependencies: readonly string[];
  readonly warnings: readonly string[];
}

type ReadConfig =
  | { readonly kind: 'config'; readonly config: GraphConfig }
  | { readonly kind: 'refused'; readonly message: string; readonly hint?: string };

const GraphPath = z.string({ error: 'must be "path:export"' }).min(1);
const Config = z.looseObject({
  graphs: z.record(
    z.string().min(1),
    z.union([GraphPath, z.looseObject({ path: GraphPath, description: z.string().optional() })], {
      error: 'must be "path:export" or {"path": …}',
    }),
    { error: 'must be an object of graph ids' },
  ),
  env: z
    .union([z.string(), z.array(z.string()), z.record(z.string(), z.string())], {
      error: 'must be a path, an object of texts or a list of names',
    })
    .optional(),
  node_version: z
    .union([z.string(), z.number().transform(String)], { error: 'must be a major version, such as "24"' })
    .refine((text) => /^\d{2,3}$/.test(text) && Number(text) >= 20, 'must be a major version of 20 or above')
    .optional(),
  node_loader: z.string({ error: 'must be a text' }).optional(),
  dependencies: z.array(z.string(), { error: 'must be a list of texts' }).optional(),
  http: z
    .looseObject(
      { disable_a2a: z.boolean({ error: 'must be true or false' }).optional() },
      { error: 'must be an object' },
    )
    .optional(),
});

/** Reads the text of a `langgraph.json`; `path` is where it lies, below the project's root. */
export function readLangGraphJson(text: string | undefined, path: string): ReadConfig {
  if (text === undefined)
    return refused(
      `There is no ${path} in the source.`,
      'Set langgraph_config_path to the path of your langgraph.json.',
    );
  const json = jsonOf(text);
  if (json === undefined) return refused(`${path} is not JSON.`);
  const parsed = Config.safeParse(json);
  if (!parsed.success) return refused(`${path} is not a graph configuration: ${sentenceOf(parsed.error)}.`);
  const graphs = Object.fromEntries(
    Object.entries(parsed.data.graphs).map(([id, entry]) => [
      id,
      typeof entry === 'string'
        ? { path: entry, description: null }
        : { path: entry.path, description: entry.description ?? null },
    ]),
  );
  // Whoever asks for rules of access must not be served without them.
  if (parsed.data['auth'] !== undefined)
    return refused(
      `${path}: auth is not built yet; callers need an API key of this workspace.`,
      'Remove it to deploy with API keys alone.',
    );
  const { env, dependencies = [] } = parsed.data;
  const refusal = refusalOf({ graphs, env, dependencies }, path);
  if (refusal !== undefined) return refusal;
  return {
    kind: 'config',
    config: {
      config_path: path,
      graphs,
      http: { disable_a2a: parsed.data.http?.disable_a2a === true },
      env,
      local_dependencies: localFolders(dependencies, folderOf(path)),
      warnings: warningsOf(parsed.data).map((warning) => `${path}: ${warning}`),
    },
  };
}

function refusalOf(
  {
    graphs,
    env,
    dependencies,
  }: Pick<GraphConfig, 'graphs' | 'env'> & { readonly dependencies: readonly string[] },
  path: string,
): ReadConfig | undefined {
  const entries = Object.entries(graphs);
  if (entries.length === 0)
    return refused(`${path} names no graphs.`, 'Name at least one under "graphs", as "path:export".');
  for (const [id, { path: entry }] of entries) {
    const [file = ''] = entry.split(':');
    if (isPython(file))
      return refused(
        `${path} names the Python graph ${entry} (graphs.${id}); only JavaScript and TypeScript graphs run here.`,
      );
    if (!staysInside(folderOf(path), file))
      return refused(`${path}: graphs.${id}: ${entry} is not a path inside the project.`);
  }
  if (typeof env === 'string' && !staysInside(folderOf(path), env))
    return refused(`${path}: env: the file must lie inside the project.`);
  const outside = dependencies.find((one) => isPath(one) && !staysInside(folderOf(path), one));
  if (outside !== undefined)
    return refused(`${path}: dependencies: ${outside} is not a path inside the project.`);
  return undefined;
}

/** What does not begin like a path is the name of a Python package. */
const isPath = (dependency: string) => /^\.{0,2}(\/|$)/.test(dependency);

function localFolders(dependencies: readonly string[], folder: string): string[] {
  const found = dependencies.filter(isPath).map((one) => normalPath(folder, one));
  return [...new Set(found)].filter((one) => one !== folder);
}

/** A `.py` file, or a dotted module name. */
function isPython(file: string): boolean {
  return file.endsWith('.py') || (/^\w+(\.\w+)+$/.test(file) && !/\.[cm]?[jt]sx?$/.test(file));
}

function warningsOf({ http = {}, node_version, node_loader, ...rest }: z.output<typeof Config>): string[] {
  const keys = [...Object.keys(rest), ...Object.keys(http).map((key) => `http.${key}`)];
  return [
    ...keys.flatMap((key) => warningOf(key) ?? []),
    ...(node_version === undefined || node_version === '24'
      ? []
      : [`node_version ${node_version} is asked for; agents run on Node 24 here`]),
    ...(node_loader === undefined || node_loader === 'tsx'
      ? []
      : ['another node_loader is asked for; TypeScript is loaded by tsx here']),
  ];
}

function sentenceOf(error: z.ZodError): string {
  const [issue] = error.issues;
  const where = issue?.path.join('.') ?? '';
  return where === '' ? 'an object was expected' : `${where}: ${issue?.message ?? 'is wrong'}`;
}

function refused(message: string, hint?: string): ReadConfig {
  return { kind: 'refused', message, ...(hint === undefined ? {} : { hint }) };
}

function jsonOf(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return undefined;
  }
}
