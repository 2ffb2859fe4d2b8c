/** The addresses that browsers open, and the view of the console that each leads to. */

interface LinkRule {
  readonly pattern: RegExp;
  /** The view below `/console`, from what the pattern found and the query. */
  readonly view: (found: readonly string[], query: URLSearchParams) => string;
}

const withQuery = (path: string, query: Readonly<Record<string, string | null>>): string => {
  const given = Object.entries(query).filter((pair): pair is [string, string] => pair[1] !== null);
  return given.length === 0 ? path : `${path}?${new URLSearchParams(given).toString()}`;
};

const ofRun = (run: string | undefined) => `/runs/${run ?? ''}`;

/** What SDKs and command lines of LangSmith print and build, first what is longer. */
const rules: readonly LinkRule[] = [
  { pattern: /^\/$/, view: () => '' },
  { pattern: /^\/o\/[^/]+\/projects\/p\/[^/]+\/r\/([^/]+)$/, view: ([run]) => ofRun(run) },
  {
    pattern: /^\/o\/[^/]+\/projects\/p\/([^/]+)(?:\/.*)?$/,
    view: ([project = ''], query) => {
      const peek = query.get('peek');
      return peek === null ? `/projects/${project}` : ofRun(peek);
    },
  },
  { pattern: /^\/o\/[^/]+\/projects$/, view: () => '/projects' },
  {
    pattern: /^\/o\/[^/]+\/datasets\/([^/]+)\/compare$/,
    view: ([dataset = ''], query) => {
      const comparison = query.get('comparativeExperiment');
      return withQuery(`/datasets/${dataset}/compare`, {
        experiments: JSON.stringify(query.get('selectedSessions')?.split(',') ?? []),
        view: comparison === null ? null : 'pairs',
        comparison,
      });
    },
  },
  {
    pattern: /^\/o\/[^/]+\/datasets\/([^/]+)\/e\/([^/]+)$/,
    view: ([dataset = '', example = '']) => withQuery(`/datasets/${dataset}`, { example }),
  },
  { pattern: /^\/o\/[^/]+\/datasets\/([^/]+)(?:\/.*)?$/, view: ([dataset = '']) => `/datasets/${dataset}` },
  { pattern: /^\/o\/[^/]+\/datasets$/, view: () => '/datasets' },
  {
    pattern: /^(?:\/o\/[^/]+)?\/prompts\/([^/]+)(?:\/([^/]+))?$/,
    view: ([prompt = '', commit]) => withQuery(`/prompts/${prompt}`, { commit: commit ?? null }),
  },
  {
    pattern: /^\/hub\/[^/]+\/([^/:]+)(?:[:/]([^/]+))?$/,
    view: ([prompt = '', commit]) => withQuery(`/prompts/${prompt}`, { commit: commit ?? null }),
  },
  {
    pattern: /^(?:\/o\/[^/]+)?\/host\/deployments(?:\/([^/]+))?$/,
    view: ([deployment]) => (deployment === undefined ? '/deployments' : `/deployments/${deployment}`),
  },
  { pattern: /^\/o\/[^/]+(?:\/.*)?$/, view: () => '' },
  {
    pattern: /^\/public\/([^/]+)\/(r|d)(?:\/.*)?$/,
    view: ([token = '', kind = '']) => `/public/${token}/${kind}`,
  },
];

/** Where a browser is led that opens an address of this origin; undefined where no view is meant. */
export function viewOf(path: string, query: URLSearchParams): string | undefined {
  for (const { pattern, view } of rules) {
    const found = pattern.exec(path);
    if (found !== null) return `/console${view(found.slice(1), query)}`;
  }
  return undefined;
}

/** Whether somebody opens a page: programs ask for JSON, or for anything. */
export const isBrowser = (method: string, accept: string | null | undefined): boolean =>
  (method === 'GET' || method === 'HEAD') && /(?:^|,)\s*text\/html/i.test(accept ?? '');
