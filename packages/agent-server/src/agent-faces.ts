import { agentServer } from '@roadstead/contracts/agent-server';
import { type CallerContext, serve, toResponse } from '@roadstead/http';
import { Problem } from '@roadstead/kit';
import type { CardKey } from './a2a/cards/card-signing.ts';
import { Access, type OwnAuth } from './access/access.ts';
import { agentFaces } from './agent-handlers.ts';
import type { AgentServerOptions } from './agent-server-options.ts';
import { AppDocuments, withApp } from './app/app-document.ts';
import { AppFace } from './app/app-face.ts';
import type { DueWork } from './due-work.ts';
import type { AgentMetrics } from './info/agent-metrics.ts';
import { checkDatabase, countUnfinished } from './info/figures-store.ts';
import type { LangGraph } from './langgraph/langgraph-api.ts';
import type { Engine } from './engine/engine.ts';
import type { Revision, Revisions } from './revisions.ts';
import { createUpgrades, type AcceptUpgrade } from './upgrades.ts';
import type { AppSockets } from './app/app-sockets.ts';
import type { WebSockets } from './sockets/web-sockets.ts';
import type { Tasks } from './tasks/tasks.ts';

interface FacesOptions {
  readonly options: AgentServerOptions;
  readonly engine: Engine;
  readonly tasks: Tasks;
  readonly due: DueWork;
  readonly metrics: AgentMetrics;
  readonly langgraph: LangGraph;
  readonly sockets: WebSockets;
  readonly app_sockets: AppSockets;
  readonly card_key: () => Promise<CardKey>;
  readonly revisions: Revisions;
}

type AnswerCall = (request: Request, inward: CallerContext) => Promise<Response>;

export interface Faces {
  readonly fetch: AnswerCall;
  /** The project's own app alone. */
  readonly app: AnswerCall;
  readonly upgrade: AcceptUpgrade;
}

/** Opens all that answers below the address of a deployment: the project's own app, and what is served regardless. */
export function openFaces({ options, engine, metrics, revisions, ...own }: FacesOptions): Faces {
  const active = () => revisions.active;
  const { workspace_id, verify, name, public_url, log, config } = options;
  const access = new Access({
    workspace_id,
    verify,
    own: () => ownAuthOf(active()),
    ask: (method, params) => engine.ask(method, params),
  });
  const documents = new AppDocuments();
  const { handlers, publicCards } = agentFaces({
    describeApp: async (document) => {
      const served = servedAppOf(active());
      const app = served && (await documents.find(served));
      return app === undefined ? document : withApp(document, app);
    },
    engine: own.tasks,
    push: own.due.push,
    crons: own.due.cronHandlers(access),
    access,
    runs: engine,
    name,
    public_url,
    max_body_bytes: config.a2a_body_bytes,
    log,
    card_key: own.card_key,
    langgraph: own.langgraph,
    active: () => {
      const revision = active();
      return revision && { ...revision.spec, manifest: revision.manifest };
    },
    checkDatabase: () => checkDatabase(engine.db),
    areHostsWell: () => active()?.hosts.well ?? true,
    metrics: async () =>
      metrics.read({
        unfinished: await countUnfinished(engine.db),
        room: active()?.hosts.load.room ?? 0,
        running: revisions.runs,
        hosts: revisions.hosts,
        pool: engine.db.pool(),
      }),
  });
  const { onAnswer } = metrics;
  const served = serve(agentServer, handlers, { service: 'agent-server', verify, log, onAnswer });
  const builtIn: AnswerCall = async (request, inward) => {
    try {
      const admitted = await access.admit(request, inward);
      const open = admitted.assertion === undefined ? await publicCards(request, admitted) : undefined;
      return open ?? (await served.fetch(request, admitted));
    } catch (error) {
      if (error instanceof Problem) return toResponse(error, 'detail');
      throw error;
    }
  };
  const admit: typeof access.admit = (request, inward) => access.admit(request, inward);
  const edge = { active: () => servedAppOf(active()), admit, verify, public_url };
  const face = new AppFace({ ...edge, builtIn, logLine: (line) => revisions.logLine(line) });
  const events = own.langgraph.eventStream(access);
  return {
    fetch: (request, inward) => face.fetch(request, inward),
    app: (request, inward) => face.askOwn(request, inward),
    upgrade: createUpgrades({ ...edge, sockets: own.sockets, app_sockets: own.app_sockets, events, log }),
  };
}

const servedAppOf = (revision: Revision | undefined) =>
  revision && {
    http: revision.spec.project.http,
    app: revision.manifest?.app,
    borrow: () => revision.hosts.borrowApp(),
  };

/** The `auth` of the revision that serves. */
function ownAuthOf(revision: Revision | undefined): OwnAuth | undefined {
  const settings = revision?.spec.project.auth ?? null;
  // Where the handlers are unknown, each event is asked for.
  return settings === null ? undefined : { settings, handlers: revision?.manifest?.auth?.handlers ?? ['*'] };
}
