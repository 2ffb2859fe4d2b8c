import type { AttemptRef, StoreOperation } from '@roadstead/contracts/host';
import type { CheckpointModule } from '../values/langgraph-types.ts';
import type { HostPeer } from './saver.ts';

interface Operation {
  readonly namespace?: readonly string[];
  readonly key?: string;
  readonly value?: Record<string, unknown> | null;
  readonly index?: false | readonly string[] | null;
  readonly namespacePrefix?: readonly string[];
  readonly filter?: Record<string, unknown>;
  readonly query?: string;
  readonly limit?: number;
  readonly offset?: number;
  readonly maxDepth?: number;
  readonly matchConditions?: readonly {
    readonly matchType: 'prefix' | 'suffix';
    readonly path: readonly string[];
  }[];
}

interface StoredItem {
  readonly namespace: readonly string[];
  readonly key: string;
  readonly value: Record<string, unknown>;
  readonly created_at: string;
  readonly updated_at: string;
  readonly score?: number;
}

/** LangGraph's store over the engine, as a subclass of the user's own `BaseStore`; undefined in versions without one. */
export function createStore(
  module: CheckpointModule,
  peer: HostPeer,
  ref: Partial<AttemptRef>,
): object | undefined {
  if (module.BaseStore === undefined) return undefined;
  const Store = classes.get(module) ?? storeClass(module.BaseStore);
  classes.set(module, Store);
  return new Store(peer, ref);
}

/** A class for each copy, made once. */
const classes = new WeakMap<CheckpointModule, ReturnType<typeof storeClass>>();

function storeClass(BaseStore: NonNullable<CheckpointModule['BaseStore']>) {
  return class EngineStore extends BaseStore {
    readonly #peer: HostPeer;
    readonly #ref: Partial<AttemptRef>;

    constructor(peer: HostPeer, ref: Partial<AttemptRef>) {
      super();
      this.#peer = peer;
      this.#ref = ref;
    }

    async batch(operations: readonly Operation[]): Promise<unknown[]> {
      const params = { operations: operations.map(toOperation), ...this.#ref };
      const { result } = await this.#peer.ask('store.batch', params);
      return result.results.map(fromResult);
    }
  };
}

/** The stock store distinguishes operations by their fields. */
function toOperation(operation: Operation): StoreOperation {
  const page = { limit: operation.limit ?? 10, offset: operation.offset ?? 0 };
  if (operation.namespacePrefix !== undefined) {
    const { namespacePrefix, filter, query } = operation;
    return {
      op: 'search',
      namespace_prefix: namespacePrefix,
      ...page,
      ...(filter ? { filter } : {}),
      ...(query === undefined ? {} : { query }),
    };
  }
  if ('value' in operation)
    return {
      op: 'put',
      namespace: operation.namespace ?? [],
      key: operation.key ?? '',
      // A value that is undefined is refused like any that is no object: null alone deletes.
      value: operation.value,
      ...(operation.index === undefined || operation.index === null ? {} : { index: operation.index }),
    };
  if (operation.key !== undefined)
    return { op: 'get', namespace: operation.namespace ?? [], key: operation.key };
  const conditions = operation.matchConditions?.map(({ matchType, path }) => ({
    match_type: matchType,
    path,
  }));
  return {
    op: 'list_namespaces',
    ...page,
    ...(conditions ? { match_conditions: conditions } : {}),
    ...(operation.maxDepth === undefined ? {} : { max_depth: operation.maxDepth }),
  };
}

function fromResult(result: unknown): unknown {
  if (!Array.isArray(result)) return isItem(result) ? itemOf(result) : result;
  return result.map((one: unknown) => (isItem(one) ? itemOf(one) : one));
}

const isItem = (value: unknown): value is StoredItem =>
  typeof value === 'object' && value !== null && 'namespace' in value;

function itemOf({ created_at, updated_at, ...item }: StoredItem): object {
  return { ...item, createdAt: new Date(created_at), updatedAt: new Date(updated_at) };
}
