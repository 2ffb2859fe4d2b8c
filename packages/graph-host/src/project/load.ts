import { existsSync, realpathSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { dirname, join, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import type { CardWords, GraphDescription, Manifest } from '@roadstead/contracts/host';
import type { ProjectGraphs } from '@roadstead/contracts/langgraph-json';
import { createAuth, type LoadedAuth } from './auth.ts';
import { storesDeltas } from '../checkpoints/deltas.ts';
import { type Embed, loadEmbedder } from './embedder.ts';
import { createUserApp, type UserApp } from '../http/user-app.ts';
import type {
  CheckpointModule,
  CompiledGraph,
  LangGraphModule,
  RunnableConfig,
} from '../values/langgraph-types.ts';
import { failLoading } from '../modules/load-error.ts';
import type { DeployedFolder } from '../modules/missing-build.ts';
import { copyLean } from '../modules/lean-tracing.ts';
import { streamMessagesInStep } from '../tracing/messages-in-step.ts';
import { nearest } from '../modules/nearest.ts';
import { askedQuietly } from '../tracing/quiet-store.ts';
import { importAsUser, prepareModules } from '../modules/user-modules.ts';

/** The purpose for which a graph is made: a factory may leave out what only a run needs. */
export type AccessContext = 'threads.create_run' | 'threads.read' | 'threads.update' | 'assistants.read';

interface GraphAccess {
  readonly accessContext: AccessContext;
  /** Null where it is made for anything but a run. */
  readonly executionRuntime: { readonly context: unknown } | null;
}

/** A graph of `langgraph.json`, loaded. */
export interface LoadedGraph {
  readonly graph_id: string;
  readonly description: string | null;
  /** The words of `langgraph.json` for its agent card. */
  readonly a2a: CardWords | undefined;
  /** The compiled graph for one run or question: each calls its factory again. */
  open(config: RunnableConfig, access: GraphAccess): Promise<CompiledGraph>;
  readonly langgraph: LangGraphModule;
  readonly checkpoint: CheckpointModule;
  /** A file of the user's LangGraph, by its real path: their copies of other packages of LangChain are resolved from it. */
  readonly langgraph_file: string;
  /** The version of the user's LangGraph; null where it is not known. */
  readonly langgraph_version: string | null;
  /** Where the graph was exported. */
  readonly source: { readonly file: string; readonly export_name: string; readonly tsconfig?: string };
}

export interface LoadedProject {
  readonly graphs: ReadonlyMap<string, LoadedGraph>;
  /** The deployment's own rules of access, where it has some. */
  readonly auth: LoadedAuth | undefined;
  readonly app: UserApp | undefined;
  readonly embed: Embed | undefined;
  readonly manifest: Manifest;
}

export interface Project extends ProjectGraphs {
  /** The revision's folder. */
  readonly root: string;
  /** Packages may come from here. */
  readonly fence: string;
}

/** Loads every graph that the configuration names. Throws a sentence that says which one is wrong, and how. */
export async function loadProject(project: Project): Promise<LoadedProject> {
  const { root, fence, config_path, http, store, auth, node_loader } = project;
  const entries = Object.entries(project.graphs);
  const index = store?.index ?? undefined;
  const named = [...entries.map(([, { path }]) => path), http.app, auth?.path, index?.embed];
  const config = join(root, config_path);
  const files = named.flatMap((path) =>
    path === null || path === undefined ? [] : resolve(dirname(config), path.split(':')[0] ?? ''),
  );
  await prepareModules({ root: fence, folder: root }, { config, files, loader: node_loader });
  const graphs = new Map<string, LoadedGraph>();
  for (const [graph_id, entry] of entries) graphs.set(graph_id, await loadGraph(project, graph_id, entry));
  const exported = (key: string) => (module: string) => exportAt(project, module, `${key} (${module})`);
  const rules = auth && createAuth(await exported('auth')(auth.path), `auth (${auth.path})`);
  const app = http.app === null ? undefined : createUserApp(await exported('http.app')(http.app), 'http.app');
  const embed =
    index && (await loadEmbedder(index, { exported: exported('store.index.embed'), file: config }));
  const deployed = { root, beside: dirname(config) };
  const described = await Promise.all([...graphs.values()].map((graph) => describeGraph(graph, deployed)));
  return {
    graphs,
    auth: rules ?? undefined,
    app,
    embed,
    manifest: {
      graphs: described.map(({ description }) => description),
      ...(rules === null ? {} : { auth: rules.facts }),
      ...(app === undefined ? {} : { app: app.description }),
      langgraph_version: [...graphs.values()][0]?.langgraph_version ?? null,
      stores_deltas: described.some(({ graph }) => storesDeltas(graph)),
    },
  };
}

async function loadGraph(
  { root, fence, config_path }: Project,
  graph_id: string,
  { path, description, a2a }: Project['graphs'][string],
): Promise<LoadedGraph> {
  const [file_path = '', export_name = 'default'] = path.split(':');
  const file = resolve(dirname(join(root, config_path)), file_path);
  const beside = dirname(join(root, config_path));
  const exported = await exportOf(file, {
    name: export_name,
    who: `Graph "${graph_id}" (${path})`,
    deployed: { root, beside },
  });
  const open = opener(exported, `Graph "${graph_id}" (${path}): the export "${export_name}"`);
  const langgraph_file = findLangGraph(file, fence) ?? file;
  const tsconfig = nearest('tsconfig.json', { from: dirname(file), up_to: fence });
  const langgraph = await importAsUser<LangGraphModule>('@langchain/langgraph', langgraph_file);
  const checkpoint = await importAsUser<CheckpointModule>(
    '@langchain/langgraph-checkpoint',
    langgraph_file,
  ).catch((error: unknown) => fail(`Graph "${graph_id}" needs @langchain/langgraph 0.2 or newer`, error));
  askedQuietly(checkpoint.AsyncBatchedStore);
  await leanCallbacks(langgraph_file);
  return {
    graph_id,
    description,
    a2a,
    open,
    langgraph,
    checkpoint,
    langgraph_file,
    langgraph_version: await versionIn(langgraph_file),
    source: { file, export_name, ...(tsconfig === undefined ? {} : { tsconfig }) },
  };
}

/** Versions that have their manager elsewhere are left as they are. */
async function leanCallbacks(langgraph_file: string): Promise<void> {
  type Manager = Parameters<typeof copyLean>[0] & Parameters<typeof streamMessagesInStep>[0];
  const module = await importAsUser<{ readonly CallbackManager?: Manager }>(
    '@langchain/core/callbacks/manager',
    langgraph_file,
  ).catch(() => undefined);
  if (module?.CallbackManager === undefined) return;
  copyLean(module.CallbackManager);
  streamMessagesInStep(module.CallbackManager);
}

/** Loads an export that the configuration names, such as `./app.ts:app`. */
// oxlint-disable-next-line roadstead/two-positional -- which project, which of its modules, and who asks
async function exportAt({ root, config_path }: Project, module: string, who: string): Promise<unknown> {
  const [path = '', name = 'default'] = module.split(':');
  const beside = dirname(join(root, config_path));
  return exportOf(resolve(beside, path), { name, who, deployed: { root, beside } });
}

async function exportOf(
  file: string,
  { name, who, deployed }: { name: string; who: string; deployed: DeployedFolder },
): Promise<unknown> {
  if (!existsSync(file)) throw new Error(`${who}: there is no such file in the deployed folder.`);
  const module = await import(pathToFileURL(file).href).catch((error: unknown) =>
    failLoading(`${who} could not be loaded`, { cause: error, ...deployed, file }),
  );
  const names = module as Record<string, unknown>;
  // CommonJS puts its exports below `default`.
  const inner = (names['default'] ?? {}) as Record<string, unknown>;
  const found = name in names ? names[name] : typeof inner === 'object' ? inner[name] : undefined;
  // CommonJS that a compiler made of ESM has the default export below `default`.
  const unwrapped =
    name === 'default' && isGraphLike(found) && '__esModule' in found ? inner['default'] : found;
  if (unwrapped === undefined) {
    throw new Error(
      `${who} has no export "${name}"; there are: ${[...new Set([...Object.keys(names), ...Object.keys(inner)])].join(', ')}.`,
    );
  }
  // Some make their graph asynchronously, and export the promise of it.
  return await Promise.resolve(unwrapped).catch((error: unknown) =>
    failLoading(`${who} could not be made`, { cause: error, ...deployed }),
  );
}

function fail(what: string, cause: unknown): never {
  throw new Error(`${what}: ${cause instanceof Error ? cause.message : String(cause)}`, { cause });
}

/** A compiled graph, a builder, an object with a graph (createAgent), or a factory of any of these. */
function opener(exported: unknown, who: string): LoadedGraph['open'] {
  const graph = compiledOf(exported, who);
  if (graph !== undefined) return async () => graph;
  if (typeof exported !== 'function')
    throw new Error(`${who} is not a graph: neither compiled, nor a builder, nor a function that makes one.`);
  const make = exported as (config: RunnableConfig, access: GraphAccess) => unknown;
  return async (config, access) => {
    const made = compiledOf(await make(config, access), who);
    if (made === undefined) throw new Error(`${who} is a function that returned no graph.`);
    return made;
  };
}

function compiledOf(value: unknown, who: string): CompiledGraph | undefined {
  if (!isGraphLike(value)) return undefined;
  const { stream, compile, graph } = value as {
    stream?: unknown;
    compile?: () => CompiledGraph;
    graph?: unknown;
  };
  if (typeof stream === 'function' && (value as { channels?: unknown }).channels !== undefined)
    return value as unknown as CompiledGraph;
  if (typeof compile === 'function') {
    try {
      return compile.call(value);
    } catch (error) {
      return fail(`${who} does not compile`, error);
    }
  }
  return compiledOf(graph, who);
}

const isGraphLike = (value: unknown): value is object => typeof value === 'object' && value !== null;

async function describeGraph(
  loaded: LoadedGraph,
  deployed: DeployedFolder,
): Promise<{ readonly graph: CompiledGraph; readonly description: GraphDescription }> {
  const graph = await loaded
    .open({ configurable: {}, metadata: {} }, { accessContext: 'assistants.read', executionRuntime: null })
    .catch((error: unknown) =>
      failLoading(`Graph "${loaded.graph_id}" could not be made`, { cause: error, ...deployed }),
    );
  // LangGraph's own channels: of its start, of edges and of joins.
  const channels = Object.keys(graph.channels ?? {}).filter(
    (name) => !/^(__|branch:|join:|start:)/.test(name),
  );
  const description = {
    graph_id: loaded.graph_id,
    description: loaded.description ?? graph.description ?? null,
    channels,
    has_messages: channels.includes('messages'),
    ...cardOf(loaded, graph),
  };
  return { graph, description };
}

/** Words in `langgraph.json` go before those in the graph's metadata, which are checked by who reads this. */
function cardOf({ a2a }: LoadedGraph, { config }: CompiledGraph): Pick<GraphDescription, 'card'> {
  const own = config?.metadata?.['a2a'] as CardWords | undefined;
  if (own === undefined) return a2a === undefined ? {} : { card: a2a };
  return { card: typeof own === 'object' ? { ...own, ...a2a } : own };
}

const MANIFEST = join('@langchain', 'langgraph', 'package.json');

/**
 * The manifest of the LangGraph that the graph uses, by its real path: pnpm links packages, and puts what they depend on
 * beside the link's target. There a project may also have LangGraph through another package only.
 */
function findLangGraph(file: string, fence: string): string | undefined {
  const found = ['node_modules', join('node_modules', '.pnpm', 'node_modules')].flatMap(
    (folder) => nearest(join(folder, MANIFEST), { from: dirname(file), up_to: fence }) ?? [],
  );
  return found[0] === undefined ? undefined : realpathSync(found[0]);
}

async function versionIn(langgraph_file: string): Promise<string | null> {
  if (!langgraph_file.endsWith(MANIFEST)) return null;
  const manifest = JSON.parse(await readFile(langgraph_file, 'utf8')) as { version?: string };
  return manifest.version ?? null;
}
