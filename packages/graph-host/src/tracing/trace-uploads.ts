/** Uploads under way beyond which runs wait. */
const MAX_UPLOADS = 8;
/** And the bytes that these may hold, as the client reckons. */
const MAX_BYTES = 32_000_000;
/** The most runs of one request: writing its text holds the event loop. */
const MAX_RUNS = 150;
/** Where traces can't be sent, runs go on all the same. */
const LONGEST_WAIT_MS = 2000;

interface TracedRun {
  readonly id?: string;
  readonly trace_id?: string;
  readonly attachments?: object;
}
interface TracedRuns {
  readonly runCreates?: readonly TracedRun[];
  readonly runUpdates?: readonly TracedRun[];
}
interface UploadOptions {
  readonly apiUrl?: string;
  readonly sizeBytes?: number;
}
type Upload = (this: TracingClient, runs: TracedRuns, options?: UploadOptions) => Promise<unknown>;

/**
 * Variables that the platform sets, or has a default for. The SDK writes nearly all that begin with `LANGSMITH_` into the
 * metadata of every run, where these say nothing of the run and would be indexed all the same.
 */
const PLATFORM_VARIABLES = [
  'LANGSMITH_API_URL',
  'LANGSMITH_DISABLE_RUN_COMPRESSION',
  'LANGSMITH_TRACING',
  'LANGSMITH_WORKSPACE_ID',
];

/** The client of the user's LangSmith SDK, by shape: two of its public methods and a field of its own; older ones lack some. */
export interface TracingClient {
  readonly apiUrl?: string;
  /** Values of the environment for the metadata of each run; older clients read the environment each time. */
  readonly cachedLSEnvVarsForMetadata?: Record<string, string>;
  multipartIngestRuns?: Upload;
  batchIngestRuns?: Upload;
}

/**
 * How the user's own tracing client sends: as JSON, which costs it a third of what parts of a form do, unless a run
 * carries files. It sends in the background and keeps what it has not sent, so that in a host that never rests runs wait
 * for it.
 */
export class TraceUploads {
  readonly #endpoint: string | undefined;
  readonly #known = new WeakSet<object>();
  readonly #waiting = new Set<() => void>();
  #count = 0;
  #bytes = 0;

  /** @param endpoint the address of ours, to which alone runs are sent as JSON. */
  constructor(endpoint: string | undefined) {
    this.#endpoint = endpoint;
  }

  /** Has all clients of this one's kind send so, and this one leave `PLATFORM_VARIABLES` out of runs. */
  adopt(client: TracingClient): void {
    for (const name of PLATFORM_VARIABLES) delete client.cachedLSEnvVarsForMetadata?.[name];
    const kind = Object.getPrototypeOf(client) as TracingClient;
    const { multipartIngestRuns: asForm, batchIngestRuns: asJson } = kind;
    if (this.#known.has(kind) || asForm === undefined || asJson === undefined) return;
    this.#known.add(kind);
    const [endpoint, under] = [this.#endpoint, this.#under.bind(this)];
    kind.multipartIngestRuns = function (runs, options) {
      const isPlain = (options?.apiUrl ?? this.apiUrl) === endpoint && !carriesMore(runs);
      return under(options?.sizeBytes ?? 0, () =>
        isPlain
          ? inParts(runs, (part) => asJson.call(this, part, options))
          : asForm.call(this, runs, options),
      );
    };
  }

  /** Until a run may begin. */
  async turn(): Promise<void> {
    const until = performance.now() + LONGEST_WAIT_MS;
    while (this.#count >= MAX_UPLOADS || this.#bytes >= MAX_BYTES) {
      const left_ms = until - performance.now();
      if (left_ms <= 0) return;
      await this.#change(left_ms);
    }
  }

  async #under(bytes: number, upload: () => Promise<unknown>): Promise<unknown> {
    this.#count += 1;
    this.#bytes += bytes;
    try {
      return await upload();
    } finally {
      this.#count -= 1;
      this.#bytes -= bytes;
      for (const wake of this.#waiting) wake();
    }
  }

  #change(within_ms: number): Promise<void> {
    return new Promise((resolve) => {
      const done = () => {
        clearTimeout(timer);
        this.#waiting.delete(done);
        resolve();
      };
      const timer = setTimeout(done, within_ms);
      this.#waiting.add(done);
    });
  }
}

/** One after the other as they are written, and all under way together: the other side takes them in at once. */
async function inParts(
  { runCreates = [], runUpdates = [] }: TracedRuns,
  send: (part: TracedRuns) => Promise<unknown>,
): Promise<void> {
  const sent: Promise<unknown>[] = [];
  for (const part of partsOf([...runCreates, ...runUpdates])) {
    const isOfPart = ({ id }: TracedRun) => part.has(id);
    const one = send({ runCreates: runCreates.filter(isOfPart), runUpdates: runUpdates.filter(isOfPart) });
    // Thrown on below, which a failure may be earlier than.
    one.catch(() => undefined);
    sent.push(one);
    await new Promise((resolve) => setImmediate(resolve));
  }
  await Promise.all(sent);
}

/**
 * The ids of the runs of each part. What a run says of its begin and of its end goes together, and becomes one. A trace is
 * cut only where it is longer than a part: its pieces would wait for each other where they are written.
 */
function partsOf(runs: readonly TracedRun[]): Set<string | undefined>[] {
  const parts: Set<string | undefined>[] = [];
  for (const trace of Map.groupBy(runs, ({ id, trace_id = id }) => trace_id).values()) {
    const ids = new Set(trace.map(({ id }) => id));
    if ((parts.at(-1)?.size ?? MAX_RUNS) + ids.size > MAX_RUNS) parts.push(new Set());
    for (const id of ids) {
      if (parts.at(-1)?.size === MAX_RUNS) parts.push(new Set());
      parts.at(-1)?.add(id);
    }
  }
  return parts;
}

/** Files, or what newer clients send along with runs, such as feedback. */
function carriesMore({ runCreates = [], runUpdates = [], ...others }: TracedRuns): boolean {
  const hasFiles = ({ attachments = {} }: TracedRun) => Object.keys(attachments).length > 0;
  return (
    [...runCreates, ...runUpdates].some(hasFiles) ||
    Object.values(others).some((one: unknown) => !Array.isArray(one) || one.length > 0)
  );
}
