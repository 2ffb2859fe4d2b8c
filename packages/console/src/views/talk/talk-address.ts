import { useParams, useSearch } from '@tanstack/react-router';
import { at, type TalkSearch } from '../../router/addresses.ts';
import { useGo } from '../../router/go.ts';
import { oneOf, type Search, textIn, textsIn } from '../../router/search.ts';

export const talkSearch = (search: Search): TalkSearch => ({
  assistant: textIn(search, 'assistant'),
  thread: textIn(search, 'thread'),
  checkpoint: textIn(search, 'checkpoint'),
  side: oneOf(search, { name: 'side', among: ['steps', 'graph'] }),
  breakpoints: textsIn(search, 'breakpoints'),
});

export function useSlug(): string {
  const { slug = '' } = useParams({ strict: false });
  return slug;
}

/** What the address says of a conversation, and how to change a part of it. */
export function useTalk() {
  const slug = useSlug();
  const search = useSearch({ strict: false });
  const go = useGo();
  const show = (change: TalkSearch, options?: { readonly replace?: boolean }) =>
    go(at.talk(slug, { ...search, ...change }), options);
  return { slug, search, show };
}
