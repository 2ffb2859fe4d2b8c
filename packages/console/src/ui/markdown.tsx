import { lazy, Suspense } from 'react';

/** Text of models and people as markdown. HTML in it stays text, and pictures of other origins are links. */
const Loaded = lazy(async () => ({ default: (await import('./markdown-view.tsx')).MarkdownView }));

export const Markdown = ({ text }: { readonly text: string }) => (
  <Suspense fallback={<p className="wrap-anywhere whitespace-pre-wrap">{text}</p>}>
    <Loaded text={text} />
  </Suspense>
);
