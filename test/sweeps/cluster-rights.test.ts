import { readdirSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';

/** The Roles of the chart give the data plane what its source asks of the Kubernetes API, and nothing else. */

const root = fileURLToPath(new URL('../../', import.meta.url));
const pods = `${root}packages/data-plane/src/pods/`;
const rules = readFileSync(`${root}deploy/chart/templates/_rules.tpl`, 'utf8');

/** What the API server asks for each call of our client. Server-side apply may make the object as well. */
const verbs: Readonly<Record<string, readonly string[]>> = {
  find: ['get'],
  list: ['list'],
  watch: ['list', 'watch'],
  create: ['create'],
  apply: ['create', 'patch'],
  patch: ['patch'],
  delete: ['delete'],
  openLog: ['get'],
};
type Place = 'agents' | 'builds' | 'databases';

/** Files whose calls are made in the namespace of builds alone, and in both; all others are for agents. */
const of_builds = new Set(['pod-commands.ts']);
/** Files whose calls are made in the namespace of agents, where these have database servers of their own. */
const of_databases = new Set(['cluster-databases.ts']);
const of_both = new Set(['cluster-pods.ts', 'print-pod.ts', 'trouble-watch.ts']);
/** What stands in variables, by their names. */
const variables: Readonly<Record<string, Readonly<Record<Place, readonly string[]>>>> = {
  'this.#owners': { agents: ['configmaps'], builds: ['jobs'], databases: [] },
  resource: { agents: ['deployments', 'poddisruptionbudgets'], builds: [], databases: [] },
};
const CALL =
  /\b(?:cluster|secrets)\.(find|list|watch|create|apply|patch|delete|openLog)\(\s*(?:'(\w+)'|([\w.#]+)|\{)/g;

function placesOf(file: string): readonly Place[] {
  if (of_databases.has(file)) return ['databases'];
  if (of_both.has(file)) return ['agents', 'builds'];
  return of_builds.has(file) ? ['builds'] : ['agents'];
}

interface Use {
  readonly file: string;
  readonly place: Place;
  readonly right: string;
}

function usesOf(file: string): readonly Use[] {
  const calls = [...readFileSync(pods + file, 'utf8').matchAll(CALL)];
  return calls.flatMap(([, method = '', literal, variable]) =>
    placesOf(file).flatMap((place) => {
      const named = literal === undefined ? variables[variable ?? '']?.[place] : [literal];
      const resources = method === 'openLog' ? ['pods/log'] : (named ?? [`unknown ${variable}`]);
      const asked = verbs[method] ?? [];
      return resources.flatMap((resource) =>
        asked.map((verb) => ({ file, place, right: `${verb} ${resource}` })),
      );
    }),
  );
}

function rightsOf(name: string): readonly string[] {
  const [, block = ''] = new RegExp(`define "roadstead\\.${name}" -}}([^]*?){{- end }}`).exec(rules) ?? [];
  const each = block.matchAll(/resources: \[([^\]]*)\]\s+verbs: \[([^\]]*)\]/g);
  return [...each].flatMap(([, resources = '', verbs_of = '']) =>
    resources.split(', ').flatMap((resource) => verbs_of.split(', ').map((verb) => `${verb} ${resource}`)),
  );
}

const usesIn = (place: Place): ReadonlySet<string> => {
  const files = readdirSync(pods).filter((file) => file.endsWith('.ts') && !file.includes('.test.'));
  const uses = files.flatMap(usesOf).filter((use) => use.place === place);
  return new Set(uses.map(({ right }) => right));
};

test.each<[Place, string, number]>([
  ['agents', 'agentRules', 20],
  ['builds', 'buildRules', 9],
])(
  'when rights for %s are compared with calls, then each is used, and no other is needed',
  (place, name, count) => {
    const granted = rightsOf(name);
    expect([...usesIn(place)].toSorted()).toEqual(granted.toSorted());
    expect(granted).toHaveLength(count);
  },
);

test('when agents have database servers, then there are rights for these beside the others', () => {
  const all = new Set(rightsOf('agentRules'));
  const granted = rightsOf('databaseRules');
  const used = [...usesIn('databases')];
  expect(used.filter((right) => !all.has(right)).toSorted()).toEqual(granted.toSorted());
  expect(granted).toHaveLength(4);
  expect(used.filter((right) => all.has(right)).toSorted()).toEqual(['get secrets', 'list pods']);
});
