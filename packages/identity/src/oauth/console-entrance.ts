import { Problem, problemOf } from '@roadstead/kit';
import { entering } from '../pages/console-rules.ts';
import type { Interactions } from '../pages/oauth-ports.ts';
import { goTo } from '../sign-in/answers.ts';
import type { Visitors } from '../sign-in/visitor.ts';
import type { RequestKind } from './asking-rules.ts';
import { wantsSignIn } from './console-rules.ts';
import type { SendToLibrary } from './call-provider.ts';
import { WORKSPACE } from './request-rules.ts';

interface ConsoleEntrance {
  /** The parameters of the request, as the library takes them. */
  readonly given: URLSearchParams;
  readonly address: string;
  readonly send: SendToLibrary;
  readonly visitors: Visitors;
  readonly interactions: Interactions;
  readonly count: (asking: RequestKind, address: string) => Promise<void>;
}

const SILENT = 'none';

/**
 * Answers the console: at once where somebody is signed in, so that a page may ask in the background, and otherwise by
 * the page on which people sign in.
 */
export async function openConsole(request: Request, entrance: ConsoleEntrance): Promise<Response> {
  const { given, address, send, visitors, count } = entrance;
  const prompt = given.get('prompt') ?? undefined;
  const { session, subjects } = await visitors.read(request.headers);
  const subject = wantsSignIn(prompt) ? undefined : entering(subjects, given.get(WORKSPACE) ?? undefined);
  await count(subject === undefined && prompt !== SILENT ? 'authorization' : 'console', address);
  const ask = (search: URLSearchParams) => send({ request }, { search: `?${search.toString()}` });
  if (subject === undefined || session.id === null) return ask(given);
  const asked = new URLSearchParams(given);
  asked.delete('prompt');
  const begun = await ask(asked);
  try {
    const entered = { subject: subject.id, session_id: session.id };
    return await enter(begun, { ...entrance, request, entered });
  } catch (error) {
    // Somebody signed out meanwhile, or the key was revoked.
    if (problemOf(error)?.kind !== 'unauthenticated') throw error;
    return ask(given);
  }
}

interface BegunEntrance extends ConsoleEntrance {
  readonly request: Request;
  readonly entered: { readonly subject: string; readonly session_id: string };
}

/** Takes the steps of a browser that is sent to our page and back. Its cookies for that never leave. */
async function enter(
  begun: Response,
  { request, send, interactions, entered }: BegunEntrance,
): Promise<Response> {
  const page = begun.headers.get('location') ?? '';
  const id = /^\/oauth\/interaction\/([^/?]+)$/.exec(page)?.[1];
  if (id === undefined) return begun;
  const headers = new Headers(request.headers);
  const cookies = begun.headers.getSetCookie().map((line) => line.split(';')[0] ?? '');
  headers.set('cookie', cookies.join('; '));
  const { location } = await interactions.finish({ id, headers }, entered);
  const { pathname: path } = new URL(location);
  const answer = await send({ request: new Request(request.url, { headers }) }, { path, search: '' });
  const callback = answer.headers.get('location');
  if (callback === null) throw new Problem('internal', 'The console could not be entered.');
  return goTo(callback);
}
