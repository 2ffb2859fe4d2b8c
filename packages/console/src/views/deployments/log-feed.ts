import { ApiError } from '@roadstead/contracts/client';
import { useEffect, useState, useSyncExternalStore } from 'react';
import { control } from '../../api/clients.ts';
import { eventsOf } from '../../api/server-sent-events.ts';
import { LogBuffer, type LogLine, type LogSnapshot, MOST_LINES } from './log-buffer.ts';
import type { LogSearch } from './log-search.ts';

/** Follows a log, and asks for what was before. */

const PAGE = 1000;
const AGAIN_MS = 1000;
const OPENED_MS = 1000;

export interface LogFeed extends LogSnapshot {
  readonly state: 'opening' | 'following' | 'away';
  readonly error: Error | undefined;
  /** Opens a log again that was refused. */
  readonly reopen: () => void;
  /** Whether the first line of the log is there. */
  readonly isWhole: boolean;
  /** Asks for older lines; undefined while it is asked, and where there are none. */
  readonly more: (() => void) | undefined;
  /** The same for all of them, as many as are kept. */
  readonly all: (() => void) | undefined;
  /** Why older lines could not be read, until they are asked for again. */
  readonly fault: Error | undefined;
}

type Query = Pick<LogSearch, 'type' | 'level' | 'query' | 'revision'>;

export function useLogFeed(deployment: string, { type, level, query, revision }: Query): LogFeed {
  const [state, setState] = useState<LogFeed['state']>('opening');
  const [error, setError] = useState<Error>();
  const [tries, setTries] = useState(1);
  const [opened, setOpened] = useState<OpenLog>(() => ({
    buffer: new LogBuffer(),
    source: { deployment, asked: {} },
    signal: new AbortController().signal,
  }));
  useEffect(() => {
    const stop = new AbortController();
    const source = { deployment, asked: { type, level, query, revision } };
    const buffer = new LogBuffer();
    setOpened({ buffer, source, signal: stop.signal });
    setState('opening');
    setError(undefined);
    follow(buffer, { ...source, signal: stop.signal, onState: setState }).catch((fault: unknown) => {
      if (!stop.signal.aborted) setError(fault instanceof Error ? fault : new Error(String(fault)));
    });
    return () => stop.abort();
  }, [deployment, type, level, query, revision, tries]);
  const snapshot = useSyncExternalStore(opened.buffer.subscribe, opened.buffer.snapshot);
  const older = useOlderLines(opened);
  return { ...snapshot, ...older, state, error, reopen: () => setTries((count) => count + 1) };
}

interface Source {
  readonly deployment: string;
  readonly asked: Query;
}

interface OpenLog {
  readonly buffer: LogBuffer;
  readonly source: Source;
  /** Ends with the looking at it. */
  readonly signal: AbortSignal;
}

interface FollowedSource extends Source {
  readonly signal: AbortSignal;
  readonly onState: (state: LogFeed['state']) => void;
}

/** Goes on from the last line when a connection ends; ends itself when the log is refused. */
async function follow(
  buffer: LogBuffer,
  { deployment, asked, signal, onState }: FollowedSource,
): Promise<void> {
  const path = addressOf(deployment, asked);
  let last_event_id: string | undefined;
  while (!signal.aborted) {
    // A log may be silent: what was not refused until then is open.
    const opened = setTimeout(() => onState('following'), OPENED_MS);
    try {
      for await (const { data } of eventsOf(path, { signal, last_event_id })) {
        const line = JSON.parse(data) as LogLine;
        if (last_event_id === undefined) onState('following');
        last_event_id = line.id;
        buffer.append(line);
      }
    } catch (error) {
      if (signal.aborted) return;
      if (error instanceof ApiError && error.status >= 400 && error.status < 500) throw error;
      onState('away');
    } finally {
      clearTimeout(opened);
    }
    await new Promise((done) => setTimeout(done, AGAIN_MS));
  }
}

function addressOf(deployment: string, { type = 'deploy', level, query, revision }: Query): string {
  const of = revision === undefined ? '' : `/revisions/${encodeURIComponent(revision)}`;
  const parameters = new URLSearchParams({
    type,
    limit: String(PAGE),
    follow: 'true',
    ...(level !== undefined && { level }),
    ...(query !== undefined && { query }),
  });
  return `/v2/deployments/${encodeURIComponent(deployment)}${of}/logs?${parameters.toString()}`;
}

/** Where the next older page begins; null at the beginning of the log. */
type Place = string | null | undefined;

/** Each render of the page costs a layout: a whole log is rendered so often while it is read. */
const RENDER_MS = 300;

type OlderLines = Pick<LogFeed, 'isWhole' | 'more' | 'all' | 'fault'>;

function useOlderLines({ buffer, source, signal }: OpenLog): OlderLines {
  const [places] = useState(() => new WeakMap<LogBuffer, Place>());
  const [busy, setBusy] = useState<LogBuffer>();
  const [failed, setFailed] = useState<{ readonly buffer: LogBuffer; readonly error: Error }>();
  const { lines } = buffer.snapshot();
  const place = places.get(buffer);
  const first = lines[0]?.id;
  const isWhole = place === null;
  const fault = failed?.buffer === buffer ? failed.error : undefined;
  if (busy === buffer || isWhole || first === undefined || lines.length >= MOST_LINES)
    return { isWhole, more: undefined, all: undefined, fault };
  const read = async (render_ms: number, isEnough: (count: number) => boolean) => {
    setBusy(buffer);
    setFailed(undefined);
    try {
      for await (const { older, next } of olderLines(
        { ...source, signal },
        { from: place ?? first, render_ms },
      )) {
        places.set(buffer, next);
        buffer.prepend(older);
        if (isEnough(older.length)) return;
      }
    } catch (error) {
      if (!signal.aborted)
        setFailed({ buffer, error: error instanceof Error ? error : new Error(String(error)) });
    } finally {
      setBusy((one) => (one === buffer ? undefined : one));
    }
  };
  return {
    isWhole,
    // Where lines are sifted out, a page may be empty though there is more.
    more: () => void read(0, (count) => count > 0),
    all: () => void read(RENDER_MS, () => buffer.snapshot().lines.length >= MOST_LINES),
    fault,
  };
}

/** Reads back from a line, and tells what it read after so many milliseconds each. */
async function* olderLines(
  source: Source & { readonly signal: AbortSignal },
  { from, render_ms }: { readonly from: string; readonly render_ms: number },
): AsyncGenerator<{ readonly older: LogLine[]; readonly next: string | null }> {
  let pages: LogLine[][] = [];
  let rendered = performance.now();
  for (let offset: string | null = from; offset !== null;) {
    const { logs, next_offset } = await readOlder(source, offset);
    pages.push(logs.toReversed());
    offset = next_offset;
    const isEnough = pages.length >= MOST_LINES / PAGE;
    if (offset !== null && !isEnough && performance.now() - rendered < render_ms) continue;
    yield { older: pages.toReversed().flat(), next: offset };
    pages = [];
    rendered = performance.now();
  }
}

function readOlder(
  {
    deployment,
    asked: { revision, type = 'deploy', level, query },
    signal,
  }: Source & { readonly signal: AbortSignal },
  offset: string,
) {
  const filter = {
    type,
    order: 'desc' as const,
    limit: PAGE,
    offset,
    ...(level !== undefined && { level }),
    ...(query !== undefined && { query }),
  };
  const deployment_id = deployment;
  return revision === undefined
    ? control.readDeploymentLogs({ params: { deployment_id }, query: filter, signal })
    : control.readRevisionLogs({ params: { deployment_id, revision_id: revision }, query: filter, signal });
}
