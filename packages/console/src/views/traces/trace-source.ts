import { queryOptions, type QueryClient } from '@tanstack/react-query';
import { ApiError } from '@roadstead/contracts/client';
import { authorizedFetch, traces } from '../../api/clients.ts';
import { openTraces } from '../../api/open-client.ts';
import { valueIn } from './payload-rules.ts';
import { SKELETON_SELECTS, SkeletonReader, type SkeletonRun } from './skeleton-rules.ts';

/** Where a trace is read: by whoever is signed in, or by whoever has its link. */

const FACTS = [
  'ID',
  'NAME',
  'RUN_TYPE',
  'STATUS',
  'START_TIME',
  'END_TIME',
  'LATENCY_SECONDS',
  'FIRST_TOKEN_TIME',
  'PROMPT_TOKENS',
  'COMPLETION_TOKENS',
  'TOTAL_TOKENS',
  'PROMPT_COST',
  'COMPLETION_COST',
  'TOTAL_COST',
  'PROMPT_TOKEN_DETAILS',
  'COMPLETION_TOKEN_DETAILS',
  'TAGS',
  'METADATA',
  'ATTACHMENTS',
  'PARENT_RUN_ID',
  'ERROR_PREVIEW',
];
/** What the link of a trace does not tell. */
const PRIVATE_FACTS = ['THREAD_ID', 'SHARE_URL', 'REFERENCE_EXAMPLE_ID', 'PROJECT_ID'];

export type RunFacts = Awaited<ReturnType<typeof traces.readRunV2>>;
export type Feedback = Awaited<ReturnType<typeof traces.listFeedback>>[number];
type PayloadKind = 'inputs' | 'outputs' | 'error' | 'events';

export interface TraceSource {
  /** What tells its answers from those of others. */
  readonly key: readonly string[];
  /** What only who is signed in may do or see. */
  readonly own?: { readonly project: string; readonly trace: string };
  readonly skeleton: (signal: AbortSignal) => Promise<Response>;
  readonly facts: (run: string, signal: AbortSignal) => Promise<RunFacts>;
  readonly payload: (
    asked: { readonly run: string; readonly kind: PayloadKind },
    signal: AbortSignal,
  ) => Promise<Response>;
  readonly feedback: (run: string, signal: AbortSignal) => Promise<readonly Feedback[]>;
  readonly file: (url: string, signal: AbortSignal) => Promise<Response>;
}

const query = (names: readonly string[]) => names.map((name) => `selects=${name}`).join('&');
const address = (path: string) => new URL(path, location.origin);

/** A signed address may name another origin by which the platform is known; its path is what counts. */
const fileAddress = (url: string) => {
  const { pathname, search } = new URL(url, location.origin);
  return address(pathname + search);
};

export const ownSource = (project: string, trace: string): TraceSource => ({
  key: ['trace', project, trace],
  own: { project, trace },
  skeleton: (signal) =>
    authorizedFetch(
      new Request(
        address(
          `/v2/traces/${encodeURIComponent(trace)}/runs?project_id=${encodeURIComponent(project)}&${query(SKELETON_SELECTS)}`,
        ),
        { signal },
      ),
    ),
  facts: (run, signal) =>
    traces.readRunV2({
      params: { run_id: run },
      query: { project_id: project, selects: [...FACTS, ...PRIVATE_FACTS] },
      signal,
    }),
  payload: ({ run, kind }, signal) =>
    authorizedFetch(
      new Request(address(`/v2/runs/${encodeURIComponent(run)}?selects=${kind.toUpperCase()}`), { signal }),
    ),
  feedback: (run, signal) =>
    traces.listFeedback({ query: { run: [run], include_user_names: 'true', limit: 100 }, signal }),
  file: (url, signal) => authorizedFetch(new Request(fileAddress(url), { signal })),
});

export const sharedSource = (token: string): TraceSource => ({
  key: ['shared-trace', token],
  skeleton: (signal) =>
    fetch(address(`/v2/public/${encodeURIComponent(token)}/runs/query`), {
      method: 'POST',
      headers: { 'content-type': 'application/json', accept: 'application/json' },
      body: JSON.stringify({ selects: SKELETON_SELECTS }),
      signal,
    }),
  facts: (run, signal) =>
    openTraces.readSharedRunV2({
      params: { share_token: token, run_id: run },
      query: { selects: FACTS },
      signal,
    }),
  payload: ({ run, kind }, signal) =>
    fetch(
      address(
        `/v2/public/${encodeURIComponent(token)}/run/${encodeURIComponent(run)}?selects=${kind.toUpperCase()}`,
      ),
      { signal },
    ),
  feedback: (run, signal) =>
    openTraces.listSharedRunFeedback({ params: { share_token: token }, query: { run: [run] }, signal }),
  file: (url, signal) => fetch(fileAddress(url), { signal }),
});

/** @throws ApiError where the answer is none. */
export async function requireAnswer(answer: Response): Promise<Response> {
  if (answer.ok) return answer;
  const text = await answer.text();
  const sentence = /"(?:detail|title|error)"\s*:\s*"((?:[^"\\]|\\.)*)"/.exec(text)?.[1];
  throw new ApiError(sentence ?? `The server answered ${answer.status}.`, { status: answer.status });
}

export interface Skeleton {
  readonly runs: readonly SkeletonRun[];
  readonly isWhole: boolean;
}

/** What is shown grows by this factor at least, so that all its trees together cost no more than a few of the last. */
const GROWTH = 1.6;
const AGAIN_MS = 3000;
/** Larger traces are not asked for again by themselves. */
const MOST_AGAIN = 2000;

/** The runs of a trace; the first are told before the last have come. */
export const skeletonQuery = (source: TraceSource) =>
  queryOptions<Skeleton>({
    queryKey: [...source.key, 'skeleton'],
    queryFn: async ({ signal, client, queryKey }) => {
      const answer = await requireAnswer(await source.skeleton(signal));
      const isFirst = client.getQueryData<Skeleton>(queryKey)?.isWhole !== true;
      const tell = isFirst
        ? (runs: readonly SkeletonRun[]) => tellPart(client, { queryKey, runs })
        : undefined;
      return { runs: await readSkeleton(answer, tell), isWhole: true };
    },
    structuralSharing: false,
    refetchOnWindowFocus: false,
    staleTime: 30_000,
    refetchInterval: ({ state: { data } }) =>
      data?.isWhole === true &&
      data.runs.length <= MOST_AGAIN &&
      data.runs.some(({ status }) => status === 'PENDING')
        ? AGAIN_MS
        : false,
  });

const tellPart = (
  client: QueryClient,
  { queryKey, runs }: { readonly queryKey: readonly unknown[]; readonly runs: readonly SkeletonRun[] },
) => client.setQueryData<Skeleton>(queryKey, { runs, isWhole: false });

async function readSkeleton(
  answer: Response,
  tell: ((runs: readonly SkeletonRun[]) => void) | undefined,
): Promise<readonly SkeletonRun[]> {
  const runs: SkeletonRun[] = [];
  const take = new SkeletonReader();
  const reader = answer.body?.pipeThrough(new TextDecoderStream()).getReader();
  let told = 0;
  for (;;) {
    const { done, value = '' } = (await reader?.read()) ?? { done: true };
    for (const run of take.take(value)) runs.push(run);
    if (done) return runs;
    if (runs.length > told * GROWTH) {
      told = runs.length;
      tell?.([...runs]);
    }
  }
}

export const factsQuery = (source: TraceSource, run: string) =>
  queryOptions({
    queryKey: [...source.key, 'facts', run],
    queryFn: ({ signal }) => source.facts(run, signal),
    staleTime: 10_000,
    refetchInterval: ({ state: { data } }) => (data?.status === 'PENDING' ? AGAIN_MS : false),
  });

export const feedbackQuery = (source: TraceSource, run: string) =>
  queryOptions({
    queryKey: [...source.key, 'feedback', run],
    queryFn: ({ signal }) => source.feedback(run, signal),
  });

/** Values up to this size are read at once; larger ones by a worker, when somebody opens them. */
const SMALL_BYTES = 262_144;

export type Payload =
  | { readonly kind: 'none' }
  | { readonly kind: 'small'; readonly value: unknown }
  | { readonly kind: 'large'; readonly bytes: Uint8Array<ArrayBuffer> };

const WHITE = /^\s*null\s*$/;

export interface AskedPayload {
  readonly run: string;
  readonly kind: PayloadKind;
  /** How the run goes: once it has ended, it is asked for again. */
  readonly status: string | undefined;
}

/** A payload of a run as it was sent. */
export const payloadQuery = (source: TraceSource, { run, kind, status }: AskedPayload) =>
  queryOptions<Payload>({
    queryKey: [...source.key, 'payload', run, kind, status],
    queryFn: async ({ signal }) => {
      const answer = await requireAnswer(await source.payload({ run, kind }, signal));
      const whole = new Uint8Array(await answer.arrayBuffer());
      const bytes = valueIn(whole, kind);
      if (bytes === undefined) return { kind: 'none' };
      if (bytes.length > SMALL_BYTES) return { kind: 'large', bytes };
      const text = new TextDecoder().decode(bytes);
      return WHITE.test(text) ? { kind: 'none' } : { kind: 'small', value: JSON.parse(text) as unknown };
    },
    structuralSharing: false,
    refetchOnWindowFocus: false,
    staleTime: 30_000,
    gcTime: 60_000,
  });
