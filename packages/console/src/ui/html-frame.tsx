import { useState } from 'react';
import { Button } from './button.tsx';
import { framedPage } from '../words/html-rules.ts';
import { JsonView } from './json-view.tsx';

interface HtmlFrameProps {
  readonly html: string;
  readonly name: string;
}

/**
 * A page that an agent wrote, in a frame without rights: it is of no origin, runs nothing, sends nothing and loads nothing.
 * Its text is a press away.
 */
export function HtmlFrame({ html, name }: HtmlFrameProps) {
  const [isSource, setSource] = useState(false);
  return (
    <figure className="flex w-full min-w-0 flex-col gap-1">
      <figcaption className="flex items-center gap-2 text-xs text-quiet">
        <span className="min-w-0 truncate">{name}</span>
        <Button small look="quiet" aria-pressed={isSource} onClick={() => setSource(!isSource)}>
          Source
        </Button>
      </figcaption>
      {isSource ? (
        <JsonView value={html} label={`source of ${name}`} />
      ) : (
        <iframe
          sandbox=""
          srcDoc={framedPage(html)}
          title={name}
          referrerPolicy="no-referrer"
          className="h-80 w-full rounded-md border border-line bg-white"
        />
      )}
    </figure>
  );
}
