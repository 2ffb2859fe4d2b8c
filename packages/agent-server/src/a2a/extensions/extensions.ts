import { a2uiExtension } from './a2ui.ts';
import { historyScopeExtension } from './history-scope.ts';

/** Which extensions of the protocol an assistant has, and which of them a call makes use of. Pure. */

/** Clients may use them; nobody is required to. As agent cards say it. */
export const extensionsOf = ({ a2ui }: { readonly a2ui: boolean }) => [
  historyScopeExtension,
  ...(a2ui ? [a2uiExtension] : []),
];

/** By which a client asks for extensions, and hears which of them it gets: since 1.0, and in 0.3. Many send both. */
const HEADERS = ['a2a-extensions', 'x-a2a-extensions'] as const;

/** Headers of an answer: of what was asked for, what there is, by whichever name it was asked for. */
export function activated(asked: Headers, assistant: { readonly a2ui: boolean }): [string, string][] {
  const there = new Set<string>(extensionsOf(assistant).map(({ uri }) => uri));
  return HEADERS.flatMap((name) => {
    const uris = new Set((asked.get(name) ?? '').split(',').map((uri) => uri.trim()));
    const both = [...uris].filter((uri) => there.has(uri));
    return both.length === 0 ? [] : [[name, both.join(', ')] as [string, string]];
  });
}
