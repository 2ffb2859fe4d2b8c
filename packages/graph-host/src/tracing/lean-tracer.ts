/**
 * Reduces what LangChain's own tracer does for each step. What is sent of a run stays the same. Its methods mean the same
 * since LangChain's core 0.3.62; where one of them reads otherwise, the tracer is left alone.
 */

/** What the tracer of LangChain keeps of a run: a `RunTree` of the LangSmith SDK. */
interface Tree {
  readonly extra?: { readonly metadata?: object; readonly lc_defers_inputs?: boolean };
}
interface TracedRun extends Tree {
  readonly id: string;
}

interface TracingClient {
  readonly tracingSampleRate?: number;
  readonly blockOnRootRunFinalization?: boolean;
}

/** LangChain's tracer, by shape. */
export interface Tracer {
  /** Runs that have begun, by id. A tracer that was made of another shares its map. */
  readonly runTreeMap: ReadonlyMap<string, Tree>;
  readonly client: TracingClient;
  readonly projectName?: string;
  readonly replicas?: object;
  readonly exampleId?: string;
  /** Metadata for runs that lack it; older versions add none. */
  readonly tracingMetadata?: object;
  readonly tracingTags?: readonly string[];
  _addChildRun(parent: Tree, child: TracedRun): void;
  getRunTreeWithTracingConfig(id: string): Tree | undefined;
  onRunCreate(run: TracedRun): Promise<void>;
  onRunUpdate(run: TracedRun): Promise<void>;
  /** Missing before LangChain's core 0.3. */
  stringifyError?(error: unknown): string;
}

const known = {
  _addChildRun: /^_addChildRun\((\w+), (\w+)\) \{\s*\1\.child_runs\.push\(\2\);\s*\}$/,
  getRunTreeWithTracingConfig:
    /^getRunTreeWithTracingConfig\(id\) \{\s*const runTree = this\.runTreeMap\.get\(id\);\s*if \(!runTree\)\s*return (?:undefined|void 0);\s*return new [\w.]*RunTree\(\{\s*\.\.\.runTree,\s*client: this\.client,\s*project_name: this\.projectName,\s*replicas: this\.replicas,\s*reference_example_id: this\.exampleId,\s*tracingEnabled: true,?\s*\}\);\s*\}$/,
  onRunCreate:
    /^async onRunCreate\(run\) \{\s*(?:_patchMissingTracingDefaults\(this, run\);\s*)?(?:if \(!run\.extra\?\.lc_defers_inputs\)\s*\{?\s*)?(?:(?:const runTree = )?await |const runTree = )this\.getRunTreeWithTracingConfig\(run\.id\)(?:;\s*await runTree)?\?\.postRun\(\);[\s}]*$/,
  onRunUpdate: /this\.getRunTreeWithTracingConfig\(run\.id\)[^]*\?\.patchRun\(\);[\s}]*$/,
} as const;

/** Changes the methods of all tracers of one class. @returns what of them is not told yet. */
export function traceLean({ prototype: tracer }: { readonly prototype: Tracer }): HeldRuns {
  const held = new HeldRuns();
  const isKnown = Object.entries(known).every(([method, text]) =>
    text.test(String(tracer[method as keyof typeof known])),
  );
  if (!isKnown) return held;
  forgetChildren(tracer);
  copyTrees(tracer);
  tellOnce(tracer, held);
  return held;
}

/** Nobody asks this class for the children of a run, but with each child it makes trees of all before. */
function forgetChildren(tracer: Tracer): void {
  const original = tracer._addChildRun;
  tracer._addChildRun = function (parent, child) {
    if (Object.getPrototypeOf(this) !== tracer) original.call(this, parent, child);
  };
}

/** Each step is given a copy of its tree, which need not be made from nothing. */
function copyTrees(tracer: Tracer): void {
  const original = tracer.getRunTreeWithTracingConfig;
  /** The class that the original makes copies of; trees of another copy of the SDK become such trees. */
  let kind: unknown;
  tracer.getRunTreeWithTracingConfig = function (id) {
    const tree = this.runTreeMap.get(id);
    // Replicas are read when a tree is made.
    if (tree === undefined || this.replicas !== undefined || Object.getPrototypeOf(tree) !== kind) {
      const made = original.call(this, id);
      if (made !== undefined) kind = Object.getPrototypeOf(made);
      return made;
    }
    const copy = {
      client: this.client,
      project_name: this.projectName,
      reference_example_id: this.exampleId,
      tracingEnabled: true,
      extra: { ...tree.extra, metadata: { ...tree.extra?.metadata } },
    };
    return Object.assign(Object.create(kind as object) as Tree, tree, copy);
  };
}

/** Runs that end soon are told of once, with their end: in another request, half a run is written and indexed twice. */
function tellOnce(tracer: Tracer, held: HeldRuns): void {
  const { onRunCreate: begin, onRunUpdate: end } = tracer;
  tracer.onRunCreate = async function (run) {
    const isHeld = mayWait(this, run) && held.add(this, { run, tell: begin });
    // Metadata that the tracer adds to a run is handed down to the runs within it.
    await begin.call(isHeld ? addingOnly(this) : this, run);
  };
  tracer.onRunUpdate = async function (run) {
    await (held.take(this, run.id) ? begin : end).call(this, run);
  };

  /** Some clients draw a sample when a root begins, and some wait until its end is sent. */
  function mayWait(by: Tracer, { extra }: TracedRun): boolean {
    const { tracingSampleRate, blockOnRootRunFinalization } = by.client;
    return (
      Object.getPrototypeOf(by) === tracer &&
      // Changes that a replica makes of a run are sent with its end.
      by.replicas === undefined &&
      extra?.lc_defers_inputs !== true &&
      tracingSampleRate === undefined &&
      blockOnRootRunFinalization !== true
    );
  }
}

/** As much of a tracer as adds to a run and sends nothing. */
const addingOnly = ({ tracingMetadata, tracingTags }: Tracer) =>
  ({ tracingMetadata, tracingTags, getRunTreeWithTracingConfig: () => undefined }) as unknown as Tracer;

/** As long as the SDK waits for more before it sends. */
const HELD_MS = 250;

interface HeldRun {
  readonly run: TracedRun;
  readonly tell: Tracer['onRunCreate'];
}

/** Runs that have begun and are not told of yet, from the oldest. */
export class HeldRuns {
  readonly #runs = new Map<string, HeldRun & { readonly tracer: Tracer; readonly until: number }>();
  #isTimed = false;
  #isEnding = false;

  /** @returns false where another tracer's run of this id is held, or none any more. */
  add(tracer: Tracer, { run, tell }: HeldRun): boolean {
    if (this.#isEnding || this.#runs.has(run.id)) return false;
    this.#runs.set(run.id, { tracer, run, tell, until: performance.now() + HELD_MS });
    this.#time();
    return true;
  }

  /** @returns whether the tracer's run was held, which it is no longer. */
  take({ runTreeMap }: Tracer, id: string): boolean {
    return this.#runs.get(id)?.tracer.runTreeMap === runTreeMap && this.#runs.delete(id);
  }

  /** Resolves when all are told of; from now on none is held. */
  async end(): Promise<void> {
    this.#isEnding = true;
    await Promise.allSettled(this.#tell(Infinity));
  }

  /** Sends all that have waited until then. */
  #tell(by: number): Promise<void>[] {
    const due = [...this.#runs].filter(([, { until }]) => until <= by);
    return due.map(([id, { tracer, run, tell }]) => {
      this.#runs.delete(id);
      return tell.call(tracer, run);
    });
  }

  /** Has the oldest told when it has waited for long enough. */
  #time(): void {
    const [oldest] = this.#runs.values();
    if (this.#isTimed || oldest === undefined) return;
    this.#isTimed = true;
    const due = () => {
      this.#isTimed = false;
      // They say on the console what fails.
      void Promise.allSettled(this.#tell(performance.now()));
      this.#time();
    };
    setTimeout(due, oldest.until - performance.now()).unref();
  }
}
