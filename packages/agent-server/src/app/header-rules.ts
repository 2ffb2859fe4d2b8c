import { headersForCode } from '@roadstead/contracts';
import type { HeaderPatterns, HttpSettings } from '@roadstead/contracts/langgraph-json';

/** Which headers of a call runs and logs see. Pure. */

/** Where keys of the platform stand, whatever their form, and what it says itself of who calls: shown to nobody. */
const OURS = [
  'langsmith-api-key',
  'service-api-key',
  'x-api-key',
  'x-roadstead-*',
  'x-service-key',
  'x-tenant-id',
];
/** What the server itself says to runs under these names is not for clients to say. */
const RESERVED = [
  '__*',
  'assistant_id',
  'checkpoint_*',
  'graph_id',
  'langgraph_auth_*',
  'run_id',
  'thread_id',
];
/** Not for logs, whatever a project says. */
const SECRETS = ['authorization', 'cookie', 'proxy-authorization'];
/** What runs see where nothing is said. */
const USUAL: HeaderPatterns = { includes: ['x-*', 'user-agent'], excludes: null };
const MAX_HEADERS = 100;

/** For `config.configurable` of a run. */
export function configurableHeaders(
  headers: Headers,
  { configurable_headers }: Pick<HttpSettings, 'configurable_headers'>,
): Record<string, string> {
  return matching(headers, pickerOf(configurable_headers ?? USUAL, HIDDEN_FROM_RUNS));
}

/** For the deployment's log. */
export function loggedHeaders(headers: Headers, patterns: HeaderPatterns): Record<string, string> {
  return matching(headers, pickerOf(patterns, HIDDEN_FROM_LOGS));
}

type IsPicked = (name: string) => boolean;

interface Hidden {
  readonly names: readonly string[];
  /** By the patterns of a project, what they pick beside. */
  readonly pickers: WeakMap<HeaderPatterns, IsPicked>;
}
const HIDDEN_FROM_RUNS: Hidden = { names: [...OURS, ...RESERVED], pickers: new WeakMap() };
const HIDDEN_FROM_LOGS: Hidden = { names: [...OURS, ...SECRETS], pickers: new WeakMap() };

/** What is excluded is not included. */
function pickerOf(patterns: HeaderPatterns, { names, pickers }: Hidden): IsPicked {
  const known = pickers.get(patterns);
  if (known !== undefined) return known;
  const isIncluded = matcher(patterns.includes ?? USUAL.includes ?? []);
  const isExcluded = matcher([...names, ...(patterns.excludes ?? [])]);
  const isPicked: IsPicked = (name) => isIncluded(name) && !isExcluded(name);
  pickers.set(patterns, isPicked);
  return isPicked;
}

function matching(headers: Headers, isPicked: IsPicked): Record<string, string> {
  const picked = [...headersForCode(headers)].filter(([name]) => isPicked(name));
  return Object.fromEntries(picked.slice(0, MAX_HEADERS));
}

function matcher(patterns: readonly string[]): (name: string) => boolean {
  const parts = patterns.map((pattern) => pattern.toLowerCase().split('*'));
  return (name) => parts.some((texts) => fits(texts, name));
}

/** Whether a name is made of these texts, with anything between them. It takes no longer than both are long. */
function fits(texts: readonly string[], name: string): boolean {
  const [first = '', ...others] = texts;
  const last = others.pop();
  if (last === undefined) return name === first;
  if (!name.startsWith(first) || !name.endsWith(last)) return false;
  let at = first.length;
  for (const text of others) {
    const found = name.indexOf(text, at);
    if (found < 0) return false;
    at = found + text.length;
  }
  return at <= name.length - last.length;
}
