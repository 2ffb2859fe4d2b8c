/** Matches requests to the routes that the project's own app declared. Pure. */

export interface AppRoute {
  /** The method, or `ALL` for any. */
  readonly method: string;
  /** A pattern: `:name` for a segment, `:name?` for an optional one, and `*` for anything. */
  readonly path: string;
}

/** No framework routes longer addresses. */
const MAX_PATH = 1000;

export type MatchesRoute = (method: string, path: string) => boolean;

/**
 * Regular expressions within a path are the project's code and are not run here: a segment that has one matches
 * anything, and the app itself answers 404.
 */
export function routeMatcher(routes: readonly AppRoute[]): MatchesRoute {
  const sane = routes.filter(({ path }) => path.length <= MAX_PATH);
  const compiled = sane.map(({ method, path }) => ({ method, parts: partsOf(path) }));
  return (method, path) => {
    const given = path.split('/').slice(1);
    const asked = method === 'HEAD' ? 'GET' : method;
    return compiled.some(
      (route) => (route.method === 'ALL' || route.method === asked) && fits(route.parts, given),
    );
  };
}

type Part = { readonly kind: 'text'; readonly text: string } | { readonly kind: 'any' | 'optional' | 'rest' };

function partsOf(path: string): Part[] {
  const texts = split(path);
  return texts.map((text, at): Part => {
    if (text === '*') return { kind: at === texts.length - 1 ? 'rest' : 'any' };
    if (text.startsWith(':')) return { kind: text.endsWith('?') ? 'optional' : 'any' };
    return { kind: 'text', text };
  });
}

/** Splits at slashes, except within an expression: a segment that has one may hold slashes, as `:path{.+}`. */
function split(path: string): string[] {
  const texts = [''];
  let depth = 0;
  for (const char of path.startsWith('/') ? path.slice(1) : path) {
    if (char === '/' && depth === 0) texts.push('');
    else texts.push(`${texts.pop()}${char}`);
    if (char === '{') depth += 1;
    if (char === '}') depth = Math.max(0, depth - 1);
  }
  return texts.map(withoutExpression);
}

function withoutExpression(text: string): string {
  const at = text.indexOf('{');
  if (at < 0 || !text.startsWith(':')) return text;
  return /[/.*+]/.test(text.slice(at)) ? '*' : `:x${text.endsWith('?') ? '?' : ''}`;
}

function fits(parts: readonly Part[], given: readonly string[]): boolean {
  const rest = parts.at(-1)?.kind === 'rest';
  const needed = parts.filter(({ kind }) => kind !== 'rest' && kind !== 'optional').length;
  if (given.length < needed || (!rest && given.length > parts.length)) return false;
  return parts.every((part, at) => part.kind !== 'text' || part.text === given[at]);
}
