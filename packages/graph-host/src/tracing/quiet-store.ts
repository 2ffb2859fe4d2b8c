/**
 * LangGraph gives each run a store that collects what is asked of it, and looks every millisecond whether anything was: of five
 * hundred runs that wait for their models the looking alone keeps a processor busy. It looks from here on once something is asked.
 */

/** LangGraph's store that collects, by shape: public in its first versions, and the same in all since. */
interface CollectingStore {
  readonly queue: ReadonlyMap<unknown, unknown>;
  readonly running: boolean;
  enqueueOperation(operation: unknown): Promise<unknown>;
  processBatchQueue(): Promise<void>;
  stop(): Promise<void>;
}

const LOOKING =
  /^async processBatchQueue\(\) \{\s*while \(this\.running\) \{\s*await new Promise\(\(resolve\) => \{\s*setTimeout\(resolve, 0\);\s*\}\);\s*if \(this\.queue\.size === 0\)\s*continue;/;

/** Changes all stores of one class; one that looks in another way is left alone. */
export function askedQuietly(Store: { readonly prototype: object } | undefined): void {
  const store = Store?.prototype as CollectingStore | undefined;
  if (store === undefined || !LOOKING.test(String(store.processBatchQueue))) return;
  const { enqueueOperation, processBatchQueue: look, stop } = store;
  const asleep = new WeakMap<CollectingStore, (() => void)[]>();
  const wake = (one: CollectingStore) => {
    for (const resolve of asleep.get(one)?.splice(0) ?? []) resolve();
  };
  store.enqueueOperation = function (operation) {
    const answered = enqueueOperation.call(this, operation);
    wake(this);
    return answered;
  };
  store.processBatchQueue = async function () {
    while (this.running) {
      if (this.queue.size === 0)
        await new Promise<void>((resolve) => {
          asleep.set(this, [...(asleep.get(this) ?? []), resolve]);
        });
      if (this.queue.size > 0) await look.call(lookingOnce(this));
    }
  };
  store.stop = function () {
    const stopped = stop.call(this);
    wake(this);
    return stopped;
  };
}

/** The same store, for a look that is not followed by another. */
function lookingOnce(store: CollectingStore): CollectingStore {
  let looks = 0;
  return Object.create(store, { running: { get: () => (looks += 1) === 1 } }) as CollectingStore;
}
