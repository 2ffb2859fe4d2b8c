import ReactMarkdown, { type Components } from 'react-markdown';
import remarkGfm from 'remark-gfm';
import { Snippet } from './copy.tsx';

const components: Components = {
  a: ({ href, children }) => (
    <a href={href} target="_blank" rel="noreferrer noopener" className="text-accent underline">
      {children}
    </a>
  ),
  // A picture elsewhere would tell its server who reads this.
  img: ({ src, alt }) => (
    <a
      href={typeof src === 'string' ? src : undefined}
      target="_blank"
      rel="noreferrer noopener"
      className="text-accent underline"
    >
      {alt === undefined || alt === '' ? 'picture' : alt}
    </a>
  ),
  pre: ({ children }) => <div className="my-2">{children}</div>,
  code: ({ children, className }) => {
    const text = typeof children === 'string' ? children : '';
    return className === undefined && !text.includes('\n') ? (
      <code className="rounded bg-sunk px-1 font-mono text-[0.9em]">{children}</code>
    ) : (
      <Snippet text={text.replace(/\n$/, '')} label="Code" />
    );
  },
  table: ({ children }) => (
    <div className="my-2 overflow-x-auto">
      <table className="border-collapse text-sm [&_td]:border [&_td]:border-line [&_td]:px-2 [&_td]:py-1 [&_th]:border [&_th]:border-line [&_th]:px-2 [&_th]:py-1">
        {children}
      </table>
    </div>
  ),
};

export const MarkdownView = ({ text }: { readonly text: string }) => (
  <div className="wrap-anywhere [&_h1]:text-base [&_h1]:font-semibold [&_h2]:font-semibold [&_h3]:font-semibold [&_li]:ml-5 [&_ol]:list-decimal [&_p]:my-1.5 [&_ul]:list-disc">
    <ReactMarkdown remarkPlugins={[remarkGfm]} components={components}>
      {text}
    </ReactMarkdown>
  </div>
);
