/**
 * Every address of the console, in one place: views link to each other by these. Parameters are parts of the path; what a
 * view filters by, shows or has selected is in the search.
 */
export interface Target {
  readonly to: string;
  readonly params?: Readonly<Record<string, string>>;
  readonly search?: Readonly<Record<string, unknown>>;
}

/** What is open beside a conversation, and at which step one looks at it. */
export interface TalkSearch {
  readonly assistant?: string | undefined;
  readonly thread?: string | undefined;
  readonly checkpoint?: string | undefined;
  readonly side?: 'steps' | 'graph' | undefined;
  /** Breakpoints, such as `before:tools`. */
  readonly breakpoints?: readonly string[] | undefined;
}

const plain = (to: string) => (): Target => ({ to });

export const at = {
  home: plain('/'),
  deployments: (search: { readonly state?: 'trouble' } = {}): Target => ({ to: '/deployments', search }),
  newDeployment: plain('/deployments/new'),
  deployment: (deployment: string): Target => ({ to: '/deployments/$deployment', params: { deployment } }),
  deploymentPart: (
    deployment: string,
    part: 'logs' | 'environment' | 'resources' | 'settings',
    search: object = {},
  ): Target => ({ to: `/deployments/$deployment/${part}`, params: { deployment }, search: { ...search } }),
  revision: (deployment: string, revision: string, search: { readonly against?: string } = {}): Target => ({
    to: '/deployments/$deployment/revisions/$revision',
    params: { deployment, revision },
    search,
  }),
  /** The agents that one can talk to. */
  talkAgents: plain('/talk'),
  /** The conversations with a deployment's agents, by the name in its address. */
  talk: (slug: string, search: TalkSearch = {}): Target => ({
    to: '/talk/$slug',
    params: { slug },
    search: { ...search },
  }),
  talkPart: (
    slug: string,
    part: 'threads' | 'assistants' | 'store' | 'crons' | 'graph',
    search: object = {},
  ): Target => ({ to: `/talk/$slug/${part}`, params: { slug }, search: { ...search } }),
  inbox: (search: { readonly agent?: string; readonly thread?: string } = {}): Target => ({
    to: '/inbox',
    search,
  }),
  projects: plain('/projects'),
  /** Traces of a project. */
  project: (project: string, search: object = {}): Target => ({
    to: '/projects/$project',
    params: { project },
    search: { ...search },
  }),
  /** A run by its id alone, which leads to its place in its trace. */
  run: (run: string): Target => ({ to: '/runs/$run', params: { run } }),
  trace: (
    project: string,
    trace: string,
    search: { readonly run?: string; readonly part?: string } = {},
  ): Target => ({
    to: '/projects/$project/traces/$trace',
    params: { project, trace },
    search,
  }),
  conversations: (project: string): Target => ({ to: '/projects/$project/threads', params: { project } }),
  conversation: (project: string, thread: string): Target => ({
    to: '/projects/$project/threads/$thread',
    params: { project, thread },
  }),
  monitoring: (
    search: { readonly project?: string; readonly deployment?: string; readonly by?: 'model' } = {},
  ): Target => ({ to: '/monitoring', search }),
  alerts: plain('/alerts'),
  alert: (alert: string): Target => ({ to: '/alerts/$alert', params: { alert } }),
  datasets: plain('/datasets'),
  dataset: (dataset: string, search: object = {}): Target => ({
    to: '/datasets/$dataset',
    params: { dataset },
    search: { ...search },
  }),
  experiments: (dataset: string, search: { readonly experiments?: readonly string[] } = {}): Target => ({
    to: '/datasets/$dataset/compare',
    params: { dataset },
    search,
  }),
  queues: plain('/queues'),
  queue: (queue: string): Target => ({ to: '/queues/$queue', params: { queue } }),
  prompts: plain('/prompts'),
  prompt: (prompt: string, search: { readonly commit?: string } = {}): Target => ({
    to: '/prompts/$prompt',
    params: { prompt },
    search,
  }),
  playground: (search: { readonly prompt?: string; readonly commit?: string } = {}): Target => ({
    to: '/playground',
    search,
  }),
  settings: (
    part:
      | 'keys'
      | 'people'
      | 'applications'
      | 'listeners'
      | 'integrations'
      | 'webhooks'
      | 'events'
      | 'rules'
      | 'usage'
      | 'providers'
      | 'retention'
      | 'prices'
      | 'shared'
      | 'workspace',
    search: object = {},
  ): Target => ({ to: `/settings/${part}`, search: { ...search } }),
  /** The first page of the settings that the caller may see. */
  anySettings: plain('/settings'),
  webhook: (webhook: string, search: { readonly delivery?: string } = {}): Target => ({
    to: '/settings/webhooks/$webhook',
    params: { webhook },
    search,
  }),
  rule: (rule: string): Target => ({ to: '/settings/rules/$rule', params: { rule } }),
};
