import { a2uiExtension } from './a2ui.ts';
import { historyScopeExtension } from './history-scope.ts';

/** The extensions of the protocol that an assistant has, and those that a call activates. Pure. */

/** The facts that decide which extensions an assistant has. */
export interface ExtensionFacts {
  /** Whether it sends user interfaces. */
  readonly a2ui: boolean;
}

/** The extensions as agent cards declare them: all optional. */
export const extensionsOf = ({ a2ui }: ExtensionFacts) => [
  historyScopeExtension,
  ...(a2ui ? [a2uiExtension] : []),
];

/**
 * The headers in which a client asks for extensions and learns which it gets, in 1.0 and in 0.3. Many clients send
 * both.
 */
const HEADERS = ['a2a-extensions', 'x-a2a-extensions'] as const;

/** The headers of an answer: the requested extensions that the assistant has, under the header that requested them. */
export function activated(asked: Headers, assistant: ExtensionFacts): [string, string][] {
  const there = new Set<string>(extensionsOf(assistant).map(({ uri }) => uri));
  return HEADERS.flatMap((name) => {
    const uris = new Set((asked.get(name) ?? '').split(',').map((uri) => uri.trim()));
    const both = [...uris].filter((uri) => there.has(uri));
    return both.length === 0 ? [] : [[name, both.join(', ')] as [string, string]];
  });
}
