import { headersForCode } from '@roadstead/contracts';
import type { HeaderPatterns, HttpSettings } from '@roadstead/contracts/langgraph-json';

/** Selects the headers of a call that runs and logs see. Pure. */

/** Headers that hold keys of the platform in any form, or its own statement about the caller: nobody sees them. */
const OURS = [
  'langsmith-api-key',
  'service-api-key',
  'x-api-key',
  'x-roadstead-*',
  'x-service-key',
  'x-tenant-id',
];
/** Names under which the server itself informs runs; clients may not set them. */
const RESERVED = [
  '__*',
  'assistant_id',
  'checkpoint_*',
  'graph_id',
  'langgraph_auth_*',
  'run_id',
  'thread_id',
];
/** Headers that no log shows, even if a project asks for it. */
const SECRETS = ['authorization', 'cookie', 'proxy-authorization'];
/** The patterns of a project that names none. */
const USUAL: HeaderPatterns = { includes: ['x-*', 'user-agent'], excludes: null };
const MAX_HEADERS = 100;

/** The headers that go into `config.configurable` of a run. */
export function configurableHeaders(
  headers: Headers,
  { configurable_headers }: Pick<HttpSettings, 'configurable_headers'>,
): Record<string, string> {
  return matching(headers, pickerOf(configurable_headers ?? USUAL, HIDDEN_FROM_RUNS));
}

/** The headers for the deployment's log. */
export function loggedHeaders(headers: Headers, patterns: HeaderPatterns): Record<string, string> {
  return matching(headers, pickerOf(patterns, HIDDEN_FROM_LOGS));
}

type IsPicked = (name: string) => boolean;

interface Hidden {
  readonly names: readonly string[];
  /** Compiled pickers by the patterns of a project. */
  readonly pickers: WeakMap<HeaderPatterns, IsPicked>;
}
const HIDDEN_FROM_RUNS: Hidden = { names: [...OURS, ...RESERVED], pickers: new WeakMap() };
const HIDDEN_FROM_LOGS: Hidden = { names: [...OURS, ...SECRETS], pickers: new WeakMap() };

/** Exclusion wins over inclusion. */
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

/** Whether a name consists of these texts in order, with anything between them. Takes time linear in their length. */
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
