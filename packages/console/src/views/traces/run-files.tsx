import { useQuery } from '@tanstack/react-query';
import { useEffect, useState } from 'react';
import { Answer } from '../../ui/answers.tsx';
import { Button } from '../../ui/button.tsx';
import { bytes } from '../../words/number-rules.ts';
import { download } from './large-json.tsx';
import { payloadQuery, requireAnswer, type RunFacts, type TraceSource } from './trace-source.ts';

interface RunPartProps {
  readonly source: TraceSource;
  readonly facts: RunFacts;
}

const MOST_ERROR = 20_000;

/** Why a run failed, or how it left without a failure. */
export function RunError({ source, facts }: RunPartProps) {
  const { id: run = '', status, error_preview } = facts;
  const hasText = error_preview != null && error_preview !== '';
  const error = useQuery({ ...payloadQuery(source, { run, kind: 'error', status }), enabled: hasText });
  if (!hasText) return null;
  const whole =
    error.data?.kind === 'small' && typeof error.data.value === 'string' ? error.data.value : error_preview;
  const isFailure = status === 'ERROR';
  return (
    <section
      aria-label={isFailure ? 'Error' : 'Interrupt'}
      className={`rounded-md border-l-4 px-3 py-2 ${isFailure ? 'border-bad bg-bad-soft text-bad' : 'border-warn bg-warn-soft text-warn'}`}
    >
      <h2 className="pb-1 font-semibold">{isFailure ? 'Error' : 'Left without a failure'}</h2>
      <pre
        tabIndex={0}
        aria-label="Text"
        className="max-h-80 overflow-auto font-mono text-xs wrap-anywhere whitespace-pre-wrap"
      >
        {whole.slice(0, MOST_ERROR)}
      </pre>
    </section>
  );
}

/** The files of a run: pictures and sounds are shown, all else can be saved. */
export function RunFiles({ source, facts }: RunPartProps) {
  const files = Object.entries(facts.attachments ?? {});
  if (files.length === 0) return null;
  return (
    <section aria-label="Attachments" className="flex flex-col gap-2">
      <h2 className="font-semibold">Attachments</h2>
      <ul className="flex flex-col gap-3">
        {files.map(([name, url], index) => (
          <li key={name}>
            <File source={source} name={name.replace(/^attachment\./, '')} url={url} isOpen={index < SHOWN} />
          </li>
        ))}
      </ul>
    </section>
  );
}

/** So many files are loaded by themselves. */
const SHOWN = 8;

interface FileProps {
  readonly source: TraceSource;
  readonly name: string;
  readonly url: string;
  readonly isOpen: boolean;
}

function File({ source, name, url, isOpen }: FileProps) {
  const [isWanted, setWanted] = useState(isOpen);
  const file = useQuery({
    queryKey: ['attachment', ...source.key, url.split('?')[0]],
    queryFn: async ({ signal }) => (await requireAnswer(await source.file(url, signal))).blob(),
    enabled: isWanted,
    staleTime: Infinity,
    structuralSharing: false,
  });
  if (!isWanted) return <Button small onClick={() => setWanted(true)}>{`Show ${name}`}</Button>;
  return (
    <Answer of={file}>
      {(blob) => (
        <figure className="flex flex-col items-start gap-1">
          <Preview blob={blob} name={name} />
          <figcaption className="flex items-center gap-2 text-xs text-quiet">
            {name}, {blob.type === '' ? 'a file' : blob.type}, {bytes(blob.size)}
            <Button small look="quiet" onClick={() => download(blob, name)}>
              Save {name}
            </Button>
          </figcaption>
        </figure>
      )}
    </Answer>
  );
}

const kinds: readonly (readonly [pattern: RegExp, kind: 'image' | 'audio' | 'video'])[] = [
  [/^image\/(?:png|jpe?g|gif|webp|avif|bmp)$/, 'image'],
  [/^audio\//, 'audio'],
  [/^video\//, 'video'],
];

function Preview({ blob, name }: { readonly blob: Blob; readonly name: string }) {
  const kind = kinds.find(([pattern]) => pattern.test(blob.type))?.[1];
  const [url, setUrl] = useState<string>();
  useEffect(() => {
    if (kind === undefined) return undefined;
    const made = URL.createObjectURL(blob);
    setUrl(made);
    return () => URL.revokeObjectURL(made);
  }, [blob, kind]);
  if (url === undefined) return null;
  if (kind === 'image')
    return <img src={url} alt={name} className="max-h-80 max-w-full rounded border border-line" />;
  if (kind === 'audio')
    // oxlint-disable-next-line jsx-a11y/media-has-caption -- nobody wrote captions for it
    return <audio controls src={url} aria-label={name} />;
  // oxlint-disable-next-line jsx-a11y/media-has-caption -- nor for this
  return <video controls src={url} aria-label={name} className="max-h-80 max-w-full" />;
}
