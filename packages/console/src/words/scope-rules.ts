import { type Access, ACCESSES, includes, type Scope } from '@roadstead/contracts/access-rules';

/** How scopes are told. */

export type { Scope };

export const scopeWords: Readonly<Record<Scope, string>> = {
  admin: 'everything, keys and people included',
  reader: 'see everything, change nothing',
  'deployments:read': 'see deployments, logs and events',
  'deployments:write': 'deploy, change and roll back',
  'deployments:admin': 'also delete deployments, and set listeners, integrations and webhooks',
  'connections:read': 'see who is connected to which provider',
  'connections:use': 'use tokens of people at providers',
  'connections:write': 'connect people to providers',
  'connections:admin': 'also set providers',
  'traces:read': 'see traces',
  'traces:write': 'send traces',
  'traces:admin': 'also delete traces, share them and set rules',
  'datasets:read': 'see datasets and experiments',
  'datasets:write': 'make and change datasets',
  'datasets:admin': 'also delete and share datasets',
  'feedback:read': 'see feedback',
  'feedback:write': 'give feedback',
  'feedback:admin': 'also delete feedback',
  'prompts:read': 'see prompts',
  'prompts:write': 'make and change prompts',
  'prompts:admin': 'also delete prompts',
  'usage:read': 'see usage, limits and prices',
  'workspaces:read': 'see the workspace and its settings',
  'workspaces:admin': 'change the workspace, its limits, prices and retention',
  'keys:admin': 'make and revoke keys, people and applications',
  'agents:invoke': 'call agents',
  'metrics:read': 'read the metrics of the server',
  listener: 'run deployments as a listener',
};

/** What a key or a person is usually for. */
export interface ScopeSet {
  readonly id: string;
  readonly name: string;
  readonly words: string;
  readonly scopes: readonly Scope[];
}

export const keySets: readonly ScopeSet[] = [
  {
    id: 'trace',
    name: 'Trace an agent',
    words: 'Sends traces and feedback, and reads prompts. It sees no traces.',
    scopes: ['traces:write', 'feedback:write', 'prompts:read'],
  },
  {
    id: 'call',
    name: 'Call agents',
    words: 'Calls the agents that are deployed here, and nothing else.',
    scopes: ['agents:invoke'],
  },
  {
    id: 'deploy',
    name: 'Deploy',
    words: 'Deploys, changes and rolls back, such as from CI. It deletes nothing.',
    scopes: ['deployments:read', 'deployments:write'],
  },
  {
    id: 'evaluate',
    name: 'Evaluate',
    words: 'Reads and writes traces, datasets, experiments, feedback and prompts, and calls agents.',
    scopes: [
      'traces:read',
      'traces:write',
      'datasets:read',
      'datasets:write',
      'feedback:read',
      'feedback:write',
      'prompts:read',
      'prompts:write',
      'agents:invoke',
    ],
  },
  {
    id: 'read',
    name: 'Read everything',
    words: 'Sees everything in the workspace, such as for an MCP client. It changes nothing.',
    scopes: ['reader'],
  },
  {
    id: 'all',
    name: 'Everything',
    words: 'Does all that can be done here: deletes, shares, and makes keys and people.',
    scopes: ['admin'],
  },
];

export const peopleSets: readonly ScopeSet[] = [
  { id: 'viewer', name: 'Viewer', words: 'Sees everything, changes nothing.', scopes: ['reader'] },
  {
    id: 'member',
    name: 'Member',
    words: 'Also deploys, talks to agents, and works on datasets, prompts and feedback.',
    scopes: [
      'reader',
      'deployments:write',
      'connections:write',
      'traces:write',
      'datasets:write',
      'feedback:write',
      'prompts:write',
      'agents:invoke',
    ],
  },
  {
    id: 'admin',
    name: 'Admin',
    words: 'Does all that can be done here: deletes, shares, and makes keys and people.',
    scopes: ['admin'],
  },
];

const isSame = (some: readonly Scope[], others: readonly Scope[]) =>
  some.length === others.length && some.every((one) => others.includes(one));

/** The set that has these scopes and no others. */
export const setOf = (scopes: readonly Scope[], sets: readonly ScopeSet[]): ScopeSet | undefined =>
  sets.find((set) => isSame(set.scopes, scopes));

/** Scopes in a few words: the name of their set, or what each is good for. */
export function scopesInWords(scopes: readonly Scope[], sets: readonly ScopeSet[]): string {
  return setOf(scopes, sets)?.name ?? scopes.map((scope) => scopeWords[scope] ?? scope).join('; ');
}

/** The scopes that somebody may hand on: those that give nothing that they don't have. */
export function scopesToGive(mayDo: (access: Access) => boolean): readonly Scope[] {
  const all: readonly Scope[] = ['admin', 'reader', ...ACCESSES];
  return all.filter(
    (scope) =>
      scope !== 'listener' && ACCESSES.filter((access) => includes(scope, access)).every((one) => mayDo(one)),
  );
}
