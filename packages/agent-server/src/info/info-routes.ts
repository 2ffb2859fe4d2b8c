import { type Contract, openapiOf, ROADSTEAD_VERSION } from '@roadstead/contracts';
import { agentServer, type infoEndpoints } from '@roadstead/contracts/agent-server';
import type { Manifest } from '@roadstead/contracts/host';
import { languageOf, type ProjectGraphs } from '@roadstead/contracts/langgraph-json';
import type { Handlers } from '@roadstead/http';
import { isSwitchedOff } from '../app/group-rules.ts';
import { docsPage } from './docs-page.ts';
import { type Metric, metricsAsJson, prometheusText } from './metric-rules.ts';

/** The oldest version of the original whose A2A endpoint clients rely on. */
const COMPATIBLE_WITH = '0.4.21';

export interface InfoOptions {
  /** The deployment's name. */
  readonly name: string;
  readonly public_url: () => string;
  /** The revision that serves; undefined before there is one. */
  readonly active: () =>
    | {
        readonly revision_id: string;
        readonly project: ProjectGraphs;
        readonly manifest: Manifest | undefined;
        readonly environment: Readonly<Record<string, string>>;
      }
    | undefined;
  /** Rejects when the database does not answer. */
  readonly checkDatabase: () => Promise<void>;
  /** False while graph hosts keep exiting, so that no run can begin. */
  readonly areHostsWell: () => boolean;
  readonly metrics: () => Promise<readonly Metric[]>;
  /** A document with what the project's own app says of its addresses. */
  readonly describeApp: (document: Fields) => Promise<Fields>;
}

type Fields = Readonly<Record<string, unknown>>;

function versionsOf(manifest: Manifest | undefined) {
  const { langgraph_version = null, langgraph_py_version } = manifest ?? {};
  return {
    langgraph_js_version: langgraph_version,
    ...(langgraph_py_version === undefined ? {} : { langgraph_py_version }),
  };
}

function contextOf(project: ProjectGraphs | undefined): 'js' | 'python' {
  const [first] = Object.values(project?.graphs ?? {});
  return first !== undefined && languageOf(first.path) === 'python' ? 'python' : 'js';
}

/** The handlers with which an agent server describes itself. */
export function createInfoHandlers(options: InfoOptions): Handlers<typeof infoEndpoints> {
  const { active, checkDatabase, metrics, name } = options;
  return {
    readOk: async ({ query: { check_db } }) => {
      const http = active()?.project.http;
      if (http?.disable_meta === true || (check_db !== '1' && check_db !== 'true')) return { ok: true };
      const database = await checkDatabase().then(
        () => true,
        () => false,
      );
      return healthAnswer({ database, graph_hosts: options.areHostsWell() });
    },
    readInfo: async () => {
      const serving = active();
      const has = (path: string) => serving === undefined || !isSwitchedOff(serving.project.http, path);
      return {
        version: ROADSTEAD_VERSION,
        compatible_with: COMPATIBLE_WITH,
        ...versionsOf(serving?.manifest),
        context: contextOf(serving?.project),
        flags: {
          a2a: has('/a2a'),
          assistants: has('/assistants'),
          crons: has('/runs/crons'),
          langsmith: serving?.environment['LANGSMITH_TRACING'] === 'true',
          langsmith_tracing_replicas: serving?.environment['LANGSMITH_TRACING'] === 'true',
          mcp: has('/mcp'),
        },
        metadata: {},
        revision_id: serving?.revision_id ?? null,
      };
    },
    readMetrics: async ({ query: { format } }) => {
      const read = await metrics();
      return format === 'json'
        ? Response.json(metricsAsJson(read))
        : new Response(prometheusText(read), {
            headers: { 'content-type': 'text/plain; version=0.0.4; charset=utf-8' },
          });
    },
    readOpenapi: async () => options.describeApp(documentOf(options)),
    readDocs: async () =>
      new Response(docsPage(await options.describeApp(documentOf(options)), { name }), {
        headers: { 'content-type': 'text/html; charset=utf-8' },
      }),
  };
}

/** An answer that names the failing parts. */
function healthAnswer(works: Readonly<Record<string, boolean>>): { ok: true; services: Health } | Response {
  const services = Object.fromEntries(
    Object.entries(works).map(([name, one]) => [name, one ? ('ok' as const) : ('failing' as const)]),
  );
  const failing = Object.keys(works).filter((name) => works[name] === false);
  if (failing.length === 0) return { ok: true, services };
  const detail = `Does not work here: ${failing.join(', ')}.`;
  return Response.json({ ok: false, detail, services }, { status: 503, headers: { 'retry-after': '2' } });
}
type Health = Record<string, 'ok' | 'failing'>;

const documents = new WeakMap<ProjectGraphs, Record<string, unknown>>();

/**
 * The API document of the revision that serves, made once: it lists what the project has not switched off, and how its
 * own `auth` is used.
 */
function documentOf({ active, name, public_url }: InfoOptions): Record<string, unknown> {
  const project = active()?.project;
  const known = project && documents.get(project);
  const document = known ?? describe(project);
  if (project !== undefined) documents.set(project, document);
  return {
    ...document,
    info: { ...(document['info'] as object), title: name },
    servers: [{ url: public_url() }],
  };
}

function describe(project: ProjectGraphs | undefined): Record<string, unknown> {
  const contract: Contract = Object.fromEntries(
    Object.entries<Contract[string]>(agentServer).filter(
      ([, { path }]) => project === undefined || !isSwitchedOff(project.http, path),
    ),
  );
  const document = openapiOf('agent-server', contract) as {
    readonly components: { readonly securitySchemes: object };
  } & Record<string, unknown>;
  const own = project?.auth?.openapi;
  if (own === undefined || own === null) return document;
  const { components } = document;
  return {
    ...document,
    components: {
      ...components,
      securitySchemes: { ...components.securitySchemes, ...own.securitySchemes },
    },
    ...(own.security.length === 0 ? {} : { security: own.security }),
  };
}
