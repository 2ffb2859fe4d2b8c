import type { RunEnd } from '../../runs/run.ts';
import { nodeOf } from './event-filter-rules.ts';
import type { Fields, UnnumberedEvent } from './protocol-event.ts';

/** Follows the parts of a graph that are at work, by their namespaces: when each begins and how it ends. */
export interface Namespaces {
  /** The graph itself begins, or begins again. */
  begin(): Lifecycle[];
  /** Something happened in this namespace: it and its parents begin unless they have. */
  seen(namespace: readonly string[]): Lifecycle[];
  /** A task has ended, as LangGraph reports. */
  ended(namespace: readonly string[], task: Fields): Lifecycle[];
  /** The run has ended, and with it all its remaining namespaces. */
  end(end: RunEnd): Lifecycle[];
  tree(): TreeNode;
}

export interface TreeNode {
  readonly namespace: readonly string[];
  readonly status: Status;
  readonly graph_name: string;
  readonly children?: readonly TreeNode[];
}

type Status = 'started' | 'running' | 'completed' | 'failed' | 'interrupted';
type Lifecycle = Pick<UnnumberedEvent, 'method' | 'namespace' | 'data'>;

interface NamespaceState {
  readonly namespace: readonly string[];
  status: Status;
}

export function createNamespaces(graph_name: string): Namespaces {
  const known = new Map<string, NamespaceState>();
  const nameOf = (namespace: readonly string[]) => nodeOf(namespace.at(-1) ?? '') || graph_name;

  const become = (namespace: readonly string[], status: Status, error?: string): Lifecycle => {
    known.set(keyOf(namespace), { namespace, status });
    const data = {
      event: status,
      graph_name: nameOf(namespace),
      ...(error === undefined ? {} : { error }),
    };
    return { method: 'lifecycle', namespace, data };
  };
  const underWay = () =>
    [...known.values()]
      .filter(({ namespace, status }) => namespace.length > 0 && status === 'started')
      .sort((one, other) => other.namespace.length - one.namespace.length);
  const treeOf = (namespace: readonly string[]): TreeNode => {
    const children = [...known.values()].filter(
      (one) =>
        one.namespace.length === namespace.length + 1 &&
        namespace.every((part, at) => one.namespace[at] === part),
    );
    return {
      namespace,
      status: known.get(keyOf(namespace))?.status ?? 'running',
      graph_name: nameOf(namespace),
      ...(children.length === 0 ? {} : { children: children.map((child) => treeOf(child.namespace)) }),
    };
  };

  return {
    begin: () => {
      const left = underWay().map(({ namespace }) => become(namespace, 'interrupted'));
      return [...left, become([], 'running')];
    },
    seen: (namespace) =>
      namespace.flatMap((_, at) => {
        const part = namespace.slice(0, at + 1);
        return known.has(keyOf(part)) ? [] : [become(part, 'started')];
      }),
    ended(namespace, task) {
      if (known.get(keyOf(namespace))?.status !== 'started') return [];
      const { error, interrupts } = task;
      if (typeof error === 'string') return [become(namespace, 'failed', error)];
      const asks = Array.isArray(interrupts) && interrupts.length > 0;
      return [become(namespace, asks ? 'interrupted' : 'completed')];
    },
    end({ status, error, interrupts, next }) {
      const last = lastOf({ status, stopped: interrupts.length > 0 || (next?.length ?? 0) > 0 });
      return [
        ...underWay().map(({ namespace }) => become(namespace, last)),
        become([], last, last === 'failed' ? error?.message : undefined),
      ];
    },
    tree: () => treeOf([]),
  };
}

const keyOf = (namespace: readonly string[]) => namespace.join('|');

function lastOf({
  status,
  stopped,
}: {
  readonly status: RunEnd['status'];
  readonly stopped: boolean;
}): Status {
  if (status === 'error' || status === 'timeout') return 'failed';
  return status === 'interrupted' || stopped ? 'interrupted' : 'completed';
}
