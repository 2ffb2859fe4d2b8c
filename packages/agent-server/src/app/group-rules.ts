import type { HttpSettings } from '@roadstead/contracts/langgraph-json';

/** The groups of built-in addresses that a project can switch off. Pure. */

type Group = 'assistants' | 'threads' | 'runs' | 'store' | 'mcp' | 'a2a' | 'meta' | 'ui';

/** Groups by the beginning of the path; the first match counts. */
const groups: readonly (readonly [pattern: RegExp, group: Group])[] = [
  [/^\/runs(\/|$)|^\/threads\/[^/]+\/(runs|commands|stream)(\/|$)/, 'runs'],
  [/^\/threads(\/|$)/, 'threads'],
  [/^\/assistants(\/|$)/, 'assistants'],
  [/^\/store(\/|$)/, 'store'],
  [/^\/mcp(\/|$)/, 'mcp'],
  [/^\/a2a(\/|$)|^\/\.well-known\/agent/, 'a2a'],
  [/^\/(info|metrics|docs|openapi\.json)?$/, 'meta'],
  [/^\/ui(\/|$)/, 'ui'],
];

export function isSwitchedOff(http: HttpSettings, path: string): boolean {
  const group = groups.find(([pattern]) => pattern.test(path))?.[1];
  return group !== undefined && http[`disable_${group}`];
}
