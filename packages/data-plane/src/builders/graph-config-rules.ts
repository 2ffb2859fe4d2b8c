import type { AssignedRevision } from '@roadstead/contracts/control-plane';
import { z } from 'zod';

/** What a build and a start need of `langgraph.json` (reference/agent-server.md A1). */
interface GraphConfig {
  /** Graph id → `path:export`, paths relative to the configuration's folder. */
  readonly graphs: Readonly<Record<string, string>>;
  /** A file below the project's root, variables, or the names of variables that must be there. */
  readonly env: string | readonly string[] | Readonly<Record<string, string>> | undefined;
  readonly warnings: readonly string[];
}

export type ParsedConfig =
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
  dependencies: z.array(z.string(), { error: 'must be a list of texts' }).optional(),
  http: z
    .looseObject(
      { disable_a2a: z.boolean({ error: 'must be true or false' }).optional() },
      { error: 'must be an object' },
    )
    .optional(),
});

/** Keys of the original whose meaning is not built; what they ask for would silently be missing. */
const NOT_BUILT = ['store', 'checkpointer', 'encryption', 'webhooks', 'ui', 'ui_config'];

/** Keys of the original that mean something here or are harmless; others may be mistyped. */
const KNOWN = new Set(
  `$schema graphs dependencies env node_version node_loader python_version api_version base_image image_distro
   _INTERNAL_docker_tag dockerfile_lines docker_compose_file pip_config_file pip_installer keep_pkg_tools source store
   checkpointer auth encryption http webhooks ui ui_config`.split(/\s+/),
);

/** Reads the text of a graph configuration; `path` is where it lies, below the project's root. */
export function parseGraphConfig(text: string | undefined, path: string): ParsedConfig {
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
      typeof entry === 'string' ? entry : entry.path,
    ]),
  );
  // Whoever asks for rules of access must not be served without them.
  if (parsed.data['auth'] !== undefined)
    return refused(
      `${path}: auth is not built yet; callers need an API key of this workspace.`,
      'Remove it to deploy with API keys alone.',
    );
  const refusal = refusalOf(graphs, parsed.data.env, path);
  if (refusal !== undefined) return refusal;
  return {
    kind: 'config',
    config: { graphs, env: parsed.data.env, warnings: warningsOf(parsed.data, path) },
  };
}

function refusalOf(
  graphs: GraphConfig['graphs'],
  env: GraphConfig['env'],
  path: string,
): ParsedConfig | undefined {
  const entries = Object.entries(graphs);
  if (entries.length === 0)
    return refused(`${path} names no graphs.`, 'Name at least one under "graphs", as "path:export".');
  for (const [id, entry] of entries) {
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
  return undefined;
}

/** A `.py` file, or a dotted module name. */
function isPython(file: string): boolean {
  return file.endsWith('.py') || (/^\w+(\.\w+)+$/.test(file) && !/\.[cm]?[jt]sx?$/.test(file));
}

function warningsOf(config: z.output<typeof Config>, path: string): string[] {
  const unknown = Object.keys(config).filter((key) => !KNOWN.has(key));
  return [
    ...unknown.map((key) => `${path}: the key "${key}" is not known and is ignored`),
    ...NOT_BUILT.filter((key) => config[key] !== undefined).map(
      (key) => `${path}: "${key}" is not built yet and is ignored`,
    ),
    ...Object.keys(config.http ?? {})
      .filter((key) => key !== 'disable_a2a')
      .map((key) => `${path}: "http.${key}" is not built yet and is ignored`),
    ...(config.node_version === undefined || config.node_version === '24'
      ? []
      : [`${path}: node_version ${config.node_version} is asked for; agents run on Node 24 here`]),
  ];
}

/** The folder of a path, `.` for the root. */
export function folderOf(path: string): string {
  return path.split('/').slice(0, -1).join('/') || '.';
}

/** Whether a relative path, seen from a folder below the root, stays below the root. */
export function staysInside(folder: string, path: string): boolean {
  if (path.startsWith('/') || path.includes('\\') || path.includes('\0')) return false;
  let depth = folder.split('/').filter((part) => part !== '' && part !== '.').length;
  for (const part of path.split('/')) {
    if (part === '' || part === '.') continue;
    depth += part === '..' ? -1 : 1;
    if (depth < 0) return false;
  }
  return true;
}

function sentenceOf(error: z.ZodError): string {
  const [issue] = error.issues;
  const where = issue?.path.join('.') ?? '';
  return where === '' ? 'an object was expected' : `${where}: ${issue?.message ?? 'is wrong'}`;
}

function refused(message: string, hint?: string): ParsedConfig {
  return { kind: 'refused', message, ...(hint === undefined ? {} : { hint }) };
}

function jsonOf(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return undefined;
  }
}

/** A folder says what it holds in the file that the revision names. */
export function configPathOf({ langgraph_config_path }: AssignedRevision['config']): string {
  return langgraph_config_path ?? 'langgraph.json';
}
