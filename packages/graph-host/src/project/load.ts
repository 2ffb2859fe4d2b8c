import { realpathSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { dirname, join, resolve } from 'node:path';
import type { CardWords, GraphDescription, Manifest } from '@roadstead/contracts/host';
import type { ProjectGraphs } from '@roadstead/contracts/langgraph-json';
import { storesDeltas } from '../checkpoints/deltas.ts';
import { exportAt, placeOf } from './exports.ts';
import { loadOwnParts, type OwnParts } from './own-parts.ts';
import type {
  CheckpointModule,
  CompiledGraph,
  LangGraphModule,
  RunnableConfig,
} from '../values/langgraph-types.ts';
import { LoadError, loading } from '../modules/load-error.ts';
import type { DeployedFolder } from '../modules/missing-build.ts';
import { copyLean } from '../modules/lean-tracing.ts';
import { streamMessagesInStep } from '../tracing/messages-in-step.ts';
import { nearest } from '../modules/nearest.ts';
import { chosenLoader, useLoader } from '../modules/node-loader.ts';
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

export interface LoadedProject extends OwnParts {
  readonly graphs: ReadonlyMap<string, LoadedGraph>;
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
  const loader = chosenLoader(node_loader);
  const deployed = { root, beside: dirname(config) };
  await prepareModules({ root: fence, folder: root }, { config, files, by_tsx: loader === null });
  if (loader !== null)
    await loading(() => useLoader(loader, config), {
      what: `node_loader (${loader}) can’t be used`,
      ...deployed,
    });
  const graphs = new Map<string, LoadedGraph>();
  for (const [graph_id, entry] of entries)
    graphs.set(
      graph_id,
      await loading(() => loadGraph({ fence, deployed }, graph_id, entry), {
        what: `Graph "${graph_id}" (${entry.path}) could not be loaded`,
        ...deployed,
      }),
    );
  const own = await loadOwnParts(project, deployed);
  const described = await Promise.all([...graphs.values()].map((graph) => describeGraph(graph, deployed)));
  return {
    graphs,
    ...own,
    manifest: {
      graphs: described.map(({ description }) => description),
      ...(own.auth === undefined ? {} : { auth: own.auth.facts }),
      ...(own.app === undefined ? {} : { app: own.app.description }),
      langgraph_version: [...graphs.values()][0]?.langgraph_version ?? null,
      stores_deltas: described.some(({ stores_deltas }) => stores_deltas),
    },
  };
}

async function loadGraph(
  { fence, deployed }: { readonly fence: string; readonly deployed: DeployedFolder },
  graph_id: string,
  { path, description, a2a }: Project['graphs'][string],
): Promise<LoadedGraph> {
  const { file, name: export_name } = placeOf(path, deployed);
  const who = `Graph "${graph_id}" (${path})`;
  const exported = await exportAt(path, { who, deployed });
  const open = await loading(() => opener(exported, `${who}: the export "${export_name}"`), {
    what: `${who} does not compile`,
    ...deployed,
  });
  const langgraph_file = findLangGraph(file, fence) ?? file;
  const tsconfig = nearest('tsconfig.json', { from: dirname(file), up_to: fence });
  const langgraph = await loading(
    () => importAsUser<LangGraphModule>('@langchain/langgraph', langgraph_file),
    { what: `Graph "${graph_id}": its LangGraph could not be loaded`, ...deployed },
  );
  const checkpoint = await loading(
    () => importAsUser<CheckpointModule>('@langchain/langgraph-checkpoint', langgraph_file),
    { what: `Graph "${graph_id}" needs @langchain/langgraph 0.2 or newer`, ...deployed },
  );
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

/** A compiled graph, a builder, an object with a graph (createAgent), or a factory of any of these. */
function opener(exported: unknown, who: string): LoadedGraph['open'] {
  const graph = compiledOf(exported);
  if (graph !== undefined) return async () => graph;
  if (typeof exported !== 'function')
    throw new LoadError(
      `${who} is not a graph: neither compiled, nor a builder, nor a function that makes one.`,
    );
  const make = exported as (config: RunnableConfig, access: GraphAccess) => unknown;
  return async (config, access) => {
    const made = compiledOf(await make(config, access));
    if (made === undefined) throw new LoadError(`${who} is a function that returned no graph.`);
    return made;
  };
}

function compiledOf(value: unknown): CompiledGraph | undefined {
  if (typeof value !== 'object' || value === null) return undefined;
  const { stream, compile, graph } = value as {
    stream?: unknown;
    compile?: () => CompiledGraph;
    graph?: unknown;
  };
  if (typeof stream === 'function' && (value as { channels?: unknown }).channels !== undefined)
    return value as unknown as CompiledGraph;
  if (typeof compile === 'function') return compile.call(value);
  return compiledOf(graph);
}

interface DescribedGraph {
  readonly description: GraphDescription;
  readonly stores_deltas: boolean;
}

function describeGraph(loaded: LoadedGraph, deployed: DeployedFolder): Promise<DescribedGraph> {
  const access = { accessContext: 'assistants.read', executionRuntime: null } as const;
  const describe = async () => {
    const graph = await loaded.open({ configurable: {}, metadata: {} }, access);
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
    return { description, stores_deltas: storesDeltas(graph) };
  };
  return loading(describe, { what: `Graph "${loaded.graph_id}" could not be made`, ...deployed });
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
