import { z } from 'zod';
import { type CardWords, StrictCardWords } from '../host/card-words.ts';
import { warningsOfKeys } from './keys.ts';
import { languageOf } from './languages.ts';
import { folderOf, normalPath, staysInside } from './paths.ts';
import { PythonSettings } from './python-settings.ts';
import { RULES_MARK } from './rules-mark.ts';
import { ProjectSettings } from './settings.ts';

/** The project as its `langgraph.json` describes it: graph hosts load it, and agent servers serve it. */
export interface ProjectGraphs extends ProjectSettings {
  /** The path of the file below the project's root; paths in it are relative to its folder. */
  readonly config_path: string;
  /** The graphs by their ids; a path is `file:export`. */
  readonly graphs: Readonly<Record<string, ProjectGraph>>;
}

interface ProjectGraph {
  readonly path: string;
  readonly description: string | null;
  /** The words of its agent card. */
  readonly a2a?: CardWords | undefined;
}

/** The parts of `langgraph.json` that builds and starts need. */
export interface GraphConfig extends ProjectGraphs {
  /** A file below the project's root, variables, or the names of required variables. */
  readonly env?: string | readonly string[] | Readonly<Record<string, string>> | undefined;
  /** The folders below the project's root that `dependencies` names, beside that of the file itself. */
  readonly local_dependencies: readonly string[];
  /** How its Python is installed; null where it has none. */
  readonly python: PythonSettings | null;
  readonly warnings: readonly string[];
}

type Refusal = { readonly kind: 'refused'; readonly message: string; readonly hint?: string };
export type ReadConfig = { readonly kind: 'config'; readonly config: GraphConfig } | Refusal;

const GraphPath = z.string({ error: 'must be "path:export"' }).min(1);
const Environment = z.union([z.string(), z.array(z.string()), z.record(z.string(), z.string())], {
  error: 'must be a path, an object of texts or a list of names',
});
const Config = z.object({
  graphs: z.record(
    z.string().min(1),
    z.union(
      [
        GraphPath,
        z.looseObject({ path: GraphPath, description: z.string().nullish(), a2a: z.unknown().optional() }),
      ],
      {
        error: 'must be "path:export" or {"path": …}',
      },
    ),
    { error: 'must be an object of graph ids' },
  ),
  env: Environment.optional(),
  node_version: z
    .union([z.string(), z.number().transform(String)], { error: 'must be a major version, such as "24"' })
    .refine((text) => /^\d{2,3}$/.test(text) && Number(text) >= 20, 'must be a major version of 20 or above')
    .optional(),
  dependencies: z.array(z.string(), { error: 'must be a list of texts' }).optional(),
  encryption: z.unknown().optional(),
  checkpointer: z.looseObject({ backend: z.unknown().optional(), path: z.unknown().optional() }).nullish(),
});
type Config = z.output<typeof Config>;

/** A configuration that was read by today's rules and then kept as JSON. */
export const KeptGraphConfig = z.object({
  rules: z.literal(RULES_MARK),
  config: z.object({
    ...ProjectSettings.shape,
    config_path: z.string(),
    graphs: z.record(
      z.string(),
      z.object({ path: z.string(), description: z.string().nullable(), a2a: StrictCardWords.optional() }),
    ),
    env: Environment.optional(),
    local_dependencies: z.array(z.string()),
    python: PythonSettings.nullable(),
    warnings: z.array(z.string()),
  }) satisfies z.ZodType<GraphConfig>,
});

/** Where a configuration lies. */
interface Place {
  /** Its name in refusals and warnings. */
  readonly path: string;
  /** Whether its files must lie inside the project. */
  readonly is_confined: boolean;
}

/** Reads the text of a `langgraph.json`; `path` is where it lies, below the project's root. */
export function readLangGraphJson(text: string | undefined, path: string): ReadConfig {
  if (text === undefined)
    return refused(
      `There is no ${path} in the source.`,
      'Set langgraph_config_path to the path of your langgraph.json.',
    );
  const json = jsonOf(text);
  if (json === undefined) return refused(`${path} is not JSON.`);
  return readConfig(json, { path, is_confined: true });
}

/** Reads what a `langgraph.json` says, or what an image says in place of one. */
export function readConfig(json: unknown, place: Place): ReadConfig {
  const { path } = place;
  const parsed = Config.safeParse(json);
  if (!parsed.success) return refused(`${path} is not a graph configuration: ${sentenceOf(parsed.error)}.`);
  const said = withoutEmptyAuth(json as object);
  const settings = ProjectSettings.safeParse(said);
  if (!settings.success) return refused(`${path}: ${sentenceOf(settings.error)}.`);
  const checked = { ...parsed.data, ...settings.data, backing: parsed.data.checkpointer };
  const python = hasPython(checked) ? PythonSettings.safeParse(json) : undefined;
  if (python?.success === false) return refused(`${path}: ${sentenceOf(python.error)}.`);
  const refusal = refusalOf(checked, place) ?? pythonRefusal(python?.data, path);
  if (refusal !== undefined) return refusal;
  const { graphs, env, dependencies = [] } = parsed.data;
  const warnings = [...warningsOfKeys(json as object), ...warningsOf(parsed.data, json as object)];
  return {
    kind: 'config',
    config: {
      config_path: path,
      ...settings.data,
      graphs: Object.fromEntries(Object.entries(graphs).map(([id, entry]) => [id, graphOf(entry)])),
      ...(env === undefined ? {} : { env }),
      local_dependencies: localFolders(dependencies, folderOf(path)),
      python: python?.data ?? null,
      warnings: warnings.map((warning) => `${path}: ${warning}`),
    },
  };
}

function graphOf(entry: Config['graphs'][string]): ProjectGraph {
  if (typeof entry === 'string') return { path: entry, description: null };
  const { path, description = null, a2a } = entry;
  const words = a2a === undefined || a2a === null ? {} : { a2a: StrictCardWords.parse(a2a) };
  return { path, description, ...words };
}

/** The refusal of wrong words for a graph's agent card. */
function cardRefusal(graphs: Config['graphs'], path: string): Refusal | undefined {
  for (const [id, entry] of Object.entries(graphs)) {
    if (typeof entry === 'string' || entry.a2a === undefined || entry.a2a === null) continue;
    const { error } = StrictCardWords.safeParse(entry.a2a);
    const [issue] = error?.issues ?? [];
    if (issue !== undefined)
      return refused(`${path}: ${['graphs', id, 'a2a', ...issue.path].join('.')}: ${issue.message}.`);
  }
  return undefined;
}

/** Drops an `auth` without a handler, which has no effect. */
function withoutEmptyAuth(json: object): object {
  const { auth, ...rest } = json as { readonly auth?: unknown };
  return isEmptyAuth(auth) ? rest : json;
}

const isEmptyAuth = (auth: unknown) =>
  typeof auth === 'object' && auth !== null && (auth as { path?: unknown }).path === undefined;

type CheckedConfig = Omit<Config, 'checkpointer'> &
  ProjectSettings & { readonly backing: Config['checkpointer'] };

function refusalOf(config: CheckedConfig, { path, is_confined }: Place): Refusal | undefined {
  const { graphs, env, dependencies = [], node_version, encryption, backing } = config;
  if (Object.keys(graphs).length === 0)
    return refused(`${path} names no graphs.`, 'Name at least one under "graphs", as "path:export".');
  for (const [key, file] of filesOf(config)) {
    if (is_confined && !staysInside(folderOf(path), file))
      return refused(`${path}: ${key}: ${file} is not a path inside the project.`);
  }
  const card = cardRefusal(graphs, path);
  if (card !== undefined) return card;
  if (typeof env === 'string' && !staysInside(folderOf(path), env))
    return refused(`${path}: env: the file must lie inside the project.`);
  const outside = dependencies.find((one) => isPath(one) && !staysInside(folderOf(path), one));
  if (outside !== undefined)
    return refused(`${path}: dependencies: ${outside} is not a path inside the project.`);
  if (Number(node_version ?? 0) > NODE_VERSION)
    return refused(
      `${path}: node_version: ${String(node_version)} is newer than ${NODE_VERSION}, which runs agents here.`,
    );
  // A project that asks for encryption must not be served without it.
  if (encryption !== undefined && encryption !== null)
    return refused(
      `${path}: encryption: handlers of the project can’t encrypt what is kept here.`,
      'Remove it, and let the disk or the database encrypt.',
    );
  if (backing?.path !== undefined || !['default', undefined, null].includes(backing?.backend as string))
    return refused(
      `${path}: checkpointer: checkpoints are kept in the deployment’s own database, and in no other place.`,
      'Remove checkpointer.backend and checkpointer.path.',
    );
  return undefined;
}

function pythonRefusal(settings: PythonSettings | undefined, path: string): Refusal | undefined {
  const { dependencies = [], source, pip_config_file } = settings ?? {};
  const paths = [['source.root', source?.root] as const, ['pip_config_file', pip_config_file] as const];
  for (const [key, one] of paths)
    if (one !== undefined && !staysInside(folderOf(path), one))
      return refused(`${path}: ${key}: ${one} is not a path inside the project.`);
  // An option of pip among them would apply to all.
  return dependencies.some((one) => one.startsWith('-') || /[\r\n]/.test(one))
    ? refused(`${path}: dependencies: an entry is neither a folder nor a requirement.`)
    : undefined;
}

const hasPython = (modules: NamedModules) =>
  filesOf(modules).some(([, module]) => languageOf(module) === 'python');

/** The settings that name modules of the project. */
type NamedModules = Pick<ProjectSettings, 'http' | 'auth' | 'store' | 'node_loader'> & {
  readonly graphs: Readonly<Record<string, string | { readonly path: string }>>;
};

/** Each file or module of the project, with the key that names it. */
export function filesOf({
  graphs,
  http,
  auth,
  store,
  node_loader,
}: NamedModules): (readonly [string, string])[] {
  const embed = store?.index?.embed ?? '';
  const named = [
    ...Object.entries(graphs).map(
      ([id, entry]) => [`graphs.${id}`, typeof entry === 'string' ? entry : entry.path] as const,
    ),
    ['http.app', http.app] as const,
    ['auth.path', auth?.path] as const,
    ['store.index.embed', isModule(embed) ? embed : null] as const,
    ['node_loader', isPath(node_loader ?? '') ? node_loader : null] as const,
  ];
  return named.flatMap(([key, module]) =>
    typeof module === 'string' && module !== '' ? [[key, module.split(':')[0] ?? ''] as const] : [],
  );
}

/** Whether an embedder is of the project, and not of a provider. */
export const isModule = (embed: string) => /[./\\]/.test(embed.split(':')[0] ?? '');

/** Whether a name is a path; else it names a package. */
export const isPath = (name: string) => /^\.{0,2}(\/|$)/.test(name);

function localFolders(dependencies: readonly string[], folder: string): string[] {
  const found = dependencies.filter(isPath).map((one) => normalPath(folder, one));
  return [...new Set(found)].filter((one) => one !== folder);
}

/** The version of Node that runs agents. */
const NODE_VERSION = 24;

function warningsOf({ node_version }: Config, json: object): string[] {
  return [
    ...(node_version === undefined || Number(node_version) === NODE_VERSION
      ? []
      : [`node_version ${node_version} is asked for; agents run on Node ${NODE_VERSION} here`]),
    ...(isEmptyAuth((json as { auth?: unknown }).auth)
      ? ['"auth" names no handler: callers need an API key of the workspace']
      : []),
  ];
}

function sentenceOf(error: z.ZodError): string {
  const [issue] = error.issues;
  const where = issue?.path.join('.') ?? '';
  return where === '' ? 'an object was expected' : `${where}: ${issue?.message ?? 'is wrong'}`;
}

function refused(message: string, hint?: string): Refusal {
  return { kind: 'refused', message, ...(hint === undefined ? {} : { hint }) };
}

function jsonOf(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return undefined;
  }
}
