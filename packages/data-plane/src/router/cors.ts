import type { CorsSettings } from '@roadstead/contracts/langgraph-json';
import { answerHeaders, openCors, preflightHeaders } from './cors-rules.ts';
import { OriginPattern } from './origin-pattern.ts';

/** The origin pattern of each revision's settings: its expression, and the known results. */
const patterns = new WeakMap<CorsSettings, OriginPattern>();

/** The answer to a browser that asks whether it may call. It needs no key. */
export function preflightAnswer(headers: Headers, cors: CorsSettings | null): Response {
  const said = preflightHeaders(cors ?? openCors, { headers, matches: matcherOf(cors) });
  return new Response(null, { status: 204, headers: said });
}

/** Lets the pages that may call read an answer. CORS headers of the deployment's own code are left as they are. */
export function allowReading(
  answer: Headers,
  { headers, cors }: { readonly headers: Headers; readonly cors: CorsSettings | null },
): void {
  if (answer.has('access-control-allow-origin')) return;
  const { vary, ...said } = answerHeaders(cors ?? openCors, { headers, matches: matcherOf(cors) });
  if (vary !== undefined) answer.append('vary', vary);
  for (const [name, value] of Object.entries(said)) answer.set(name, value);
}

/**
 * Whether a page may open a WebSocket. A client that is no page sends no origin; pages of our own origin are always
 * allowed.
 */
export function mayConnect(headers: Headers, cors: CorsSettings | null): boolean {
  const origin = headers.get('origin');
  if (origin === null || (URL.canParse(origin) && new URL(origin).host === headers.get('host'))) return true;
  return (
    'access-control-allow-origin' in answerHeaders(cors ?? openCors, { headers, matches: matcherOf(cors) })
  );
}

function matcherOf(cors: CorsSettings | null): (origin: string) => boolean {
  return (origin) => {
    if (cors === null || cors.allow_origin_regex === null) return false;
    const pattern = patterns.get(cors) ?? new OriginPattern(cors.allow_origin_regex);
    patterns.set(cors, pattern);
    return pattern.matches(origin);
  };
}
