import { useEffect, useState } from 'react';
import { Button } from '../../ui/button.tsx';
import { Icon } from '../../ui/icons.tsx';
import { bytes as inBytes } from '../../words/number-rules.ts';
import type { Outline, OutlineEntry, Path } from './json-outline-rules.ts';
import type { JsonAnswer, JsonAsk } from './json-worker.ts';

/** A large JSON value: its beginning as text; the whole is read by a worker, once somebody opens it. */

const SEEN = 2000;
const STEP = 100;
const TEXT_STEP = 20_000;

type Unsent<T> = T extends unknown ? Omit<T, 'id'> : never;

/** Asks the worker that holds a value. */
class JsonHolder {
  readonly #worker = new Worker(new URL('json-worker.ts', import.meta.url), { type: 'module' });
  readonly #waiting = new Map<number, PromiseWithResolvers<unknown>>();
  #last = 0;

  constructor() {
    this.#worker.addEventListener('message', ({ data }: MessageEvent<JsonAnswer>) => {
      const waiting = this.#waiting.get(data.id);
      this.#waiting.delete(data.id);
      if (data.fault === undefined) waiting?.resolve(data.answer);
      else waiting?.reject(new Error(data.fault));
    });
  }

  async ask<T>(ask: Unsent<JsonAsk>): Promise<T> {
    this.#last += 1;
    const waiting = Promise.withResolvers<unknown>();
    this.#waiting.set(this.#last, waiting);
    // oxlint-disable-next-line unicorn/require-post-message-target-origin -- a worker has none
    this.#worker.postMessage({ ...ask, id: this.#last });
    return (await waiting.promise) as T;
  }

  end(): void {
    this.#worker.terminate();
  }
}

interface LargeJsonProps {
  readonly bytes: Uint8Array<ArrayBuffer>;
  readonly label: string;
}

type State =
  | { readonly kind: 'closed' | 'reading' }
  | { readonly kind: 'open'; readonly holder: JsonHolder }
  | { readonly kind: 'failed'; readonly why: string };

export function LargeJson({ bytes, label }: LargeJsonProps) {
  const [state, setState] = useState<State>({ kind: 'closed' });
  const holder = state.kind === 'open' ? state.holder : undefined;
  useEffect(() => () => holder?.end(), [holder]);
  const open = async () => {
    setState({ kind: 'reading' });
    const made = new JsonHolder();
    try {
      await made.ask({ kind: 'open', bytes });
      setState({ kind: 'open', holder: made });
    } catch (error) {
      made.end();
      setState({ kind: 'failed', why: error instanceof Error ? error.message : String(error) });
    }
  };
  if (holder !== undefined)
    return (
      <section aria-label={label} className="font-mono text-xs leading-relaxed">
        <Level holder={holder} path={[]} />
      </section>
    );
  return (
    <section aria-label={label} className="flex flex-col items-start gap-2">
      <pre className="w-full font-mono text-xs wrap-anywhere whitespace-pre-wrap">
        {new TextDecoder().decode(bytes.subarray(0, SEEN))}…
      </pre>
      {state.kind === 'failed' && <p className="text-bad">{state.why}</p>}
      <div className="flex gap-2">
        <Button small disabled={state.kind === 'reading'} onClick={() => void open()}>
          {state.kind === 'reading' ? 'Reading …' : `Open all ${inBytes(bytes.length)}`}
        </Button>
        <Button small onClick={() => download(bytes, `${label}.json`)}>
          Download
        </Button>
      </div>
    </section>
  );
}

export function download(content: BlobPart, name: string): void {
  const url = URL.createObjectURL(new Blob([content], { type: 'application/octet-stream' }));
  const link = document.createElement('a');
  link.href = url;
  link.download = name;
  link.click();
  setTimeout(() => URL.revokeObjectURL(url), 10_000);
}

interface LevelProps {
  readonly holder: JsonHolder;
  readonly path: Path;
}

/** The members of one value, so many at a time. */
function Level({ holder, path }: LevelProps) {
  const [outline, setOutline] = useState<Outline>();
  const [shown, setShown] = useState(STEP);
  const place = JSON.stringify(path);
  useEffect(() => {
    let isCurrent = true;
    const ask = { kind: 'outline', path: JSON.parse(place) as Path, from: 0, length: shown } as const;
    void holder.ask<Outline>(ask).then((found) => isCurrent && setOutline(found));
    return () => {
      isCurrent = false;
    };
  }, [holder, place, shown]);
  if (outline === undefined) return <p className="pl-4 text-quiet">…</p>;
  return (
    <div className="ml-1.5 border-l border-line pl-1.5">
      {outline.entries.map((entry) => (
        <Entry key={entry.key} holder={holder} path={[...path, entry.key]} entry={entry} />
      ))}
      {outline.size > shown && (
        <button type="button" className="pl-4 text-accent underline" onClick={() => setShown(shown + STEP)}>
          {outline.size - shown} more
        </button>
      )}
    </div>
  );
}

function Entry({ holder, path, entry }: LevelProps & { readonly entry: OutlineEntry }) {
  const [isOpen, setOpen] = useState(false);
  const { key, kind, size, text } = entry;
  if (kind === 'text' || kind === 'plain')
    return (
      <div className="pl-4 wrap-anywhere whitespace-pre-wrap">
        <span className="text-accent">{key}: </span>
        <span className={kind === 'text' ? 'text-good' : 'text-busy'}>{text}</span>
        {kind === 'text' && size > text.length && <Rest holder={holder} path={path} entry={entry} />}
      </div>
    );
  return (
    <div>
      <button
        type="button"
        aria-expanded={isOpen}
        onClick={() => setOpen(!isOpen)}
        className="flex items-center text-left"
      >
        <Icon name="chevron" className={isOpen ? 'mr-1 size-3 rotate-90' : 'mr-1 size-3'} />
        <span className="text-accent">{key}: </span>
        <span className="text-quiet">{kind === 'list' ? `[${size}]` : `{${size}}`}</span>
      </button>
      {isOpen && <Level holder={holder} path={path} />}
    </div>
  );
}

/** More of a long text, a piece at a time. */
function Rest({ holder, path, entry }: LevelProps & { readonly entry: OutlineEntry }) {
  const [more, setMore] = useState('');
  const at = entry.text.length + more.length;
  const read = async () => {
    const next = await holder.ask<string>({ kind: 'text', path, from: at, length: TEXT_STEP });
    setMore(more + next);
  };
  return (
    <>
      <span className="text-good">{more}</span>
      {at < entry.size && (
        <button type="button" className="ml-1 text-accent underline" onClick={() => void read()}>
          … {(entry.size - at).toLocaleString('en')} more characters
        </button>
      )}
    </>
  );
}
