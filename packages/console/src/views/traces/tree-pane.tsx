import { useVirtualizer } from '@tanstack/react-virtual';
import {
  type KeyboardEvent,
  type RefObject,
  useDeferredValue,
  useEffect,
  useMemo,
  useRef,
  useState,
} from 'react';
import { Button } from '../../ui/button.tsx';
import { SearchBox } from '../../ui/fields.tsx';
import { useShortcuts } from '../../ui/keys.ts';
import { useAddressText } from '../../ui/use-address-text.ts';
import { count } from '../../words/number-rules.ts';
import { TreeRow } from './tree-row.tsx';
import { rowsOf, type Tree, type TreeNode } from './tree-rules.ts';

interface TreePaneProps {
  readonly tree: Tree;
  readonly isWhole: boolean;
  /** Whether the rest is on its way. */
  readonly isComing: boolean;
  readonly selected: string | undefined;
  readonly onSelect: (run: string) => void;
  /** The words that runs are found by, and what hears of others. */
  readonly find: string | undefined;
  readonly onFind: (words: string | undefined) => void;
}

const ROW_PX = 28;
const NOTHING: ReadonlySet<string> = new Set();

/** The runs of a trace as a tree, and beside each when it ran. Only the rows in sight are there. */
export function TreePane({ tree, isWhole, isComing, selected, onSelect, find = '', onFind }: TreePaneProps) {
  const [closed, setClosed] = useState(NOTHING);
  const [words, setWords] = useAddressText(find, onFind);
  const wanted = useDeferredValue(words.trim().toLowerCase());
  const rows = useMemo(
    () =>
      rowsOf(tree, {
        closed,
        passes:
          wanted === '' ? undefined : ({ name, id }) => name.toLowerCase().includes(wanted) || id === wanted,
      }),
    [tree, closed, wanted],
  );
  const failed = useMemo(
    () => [...tree.by_id.values()].filter(({ run }) => run.status === 'ERROR').map(({ run }) => run.id),
    [tree],
  );
  const toggle = (id: string) => setClosed(toggledIn(closed, id));
  const nextError = () => {
    // The deepest is the one that began the failure, and parents come before their children.
    const next = failed[(failed.indexOf(selected ?? '') + 1) % failed.length];
    if (next !== undefined) {
      setWords('');
      setClosed(NOTHING);
      onSelect(next);
    }
  };
  useShortcuts([{ key: 'e', does: 'Next run that failed', run: nextError }]);
  return (
    <section aria-label="Runs of the trace" className="flex min-h-0 min-w-0 flex-1 flex-col">
      <div className="flex items-center gap-2 border-b border-line bg-card px-3 py-1.5">
        <SearchBox label="Find a run" value={words} onChange={({ target: { value } }) => setWords(value)} />
        <span className="text-xs whitespace-nowrap text-quiet" role="status">
          {tree.by_id.size.toLocaleString('en')} {tree.by_id.size === 1 ? 'run' : 'runs'}
          {!isWhole && (isComing ? ' so far …' : ', not all of them')}
        </span>
        {failed.length > 0 && (
          <Button small look="danger" className="ml-auto" onClick={nextError}>
            Next of {count(failed.length)} failed
          </Button>
        )}
      </div>
      <Rows {...{ tree, rows, closed, selected, onSelect, onToggle: toggle }} />
    </section>
  );
}

function toggledIn(closed: ReadonlySet<string>, id: string): ReadonlySet<string> {
  const next = new Set(closed);
  if (!next.delete(id)) next.add(id);
  return next;
}

interface RowsProps {
  readonly tree: Tree;
  readonly rows: readonly TreeNode[];
  readonly closed: ReadonlySet<string>;
  readonly selected: string | undefined;
  readonly onSelect: (run: string) => void;
  readonly onToggle: (run: string) => void;
}

function Rows({ tree, rows, closed, selected, onSelect, onToggle }: RowsProps) {
  const scroller = useRef<HTMLDivElement>(null);
  useTreeKeys(scroller);
  const virtual = useVirtualizer({
    count: rows.length,
    getScrollElement: () => scroller.current,
    estimateSize: () => ROW_PX,
    overscan: 20,
  });
  const places = useMemo(() => new Map(rows.map(({ run }, index) => [run.id, index])), [rows]);
  const place = selected === undefined ? undefined : places.get(selected);
  const shown = useRef<string>(undefined);
  useEffect(() => {
    if (place === undefined || shown.current === selected) return;
    shown.current = selected;
    virtual.scrollToIndex(place);
  }, [place, selected, virtual]);
  const onKeyDown = (event: KeyboardEvent) => {
    const node = rows[place ?? 0];
    const isOfOthers = event.ctrlKey || event.metaKey || event.altKey;
    const action =
      node === undefined || isOfOthers
        ? undefined
        : actions[event.key]?.(node, { rows, place: place ?? 0, closed });
    if (action === undefined) return;
    event.preventDefault();
    if (action.toggle !== undefined) onToggle(action.toggle);
    if (action.select !== undefined) onSelect(action.select);
  };
  return (
    <div
      ref={scroller}
      role="tree"
      aria-label="Runs"
      tabIndex={0}
      aria-activedescendant={place === undefined ? undefined : `run-${selected ?? ''}`}
      onKeyDown={onKeyDown}
      className="min-h-0 flex-1 overflow-auto bg-card"
    >
      <div role="presentation" className="relative" style={{ height: virtual.getTotalSize() }}>
        {virtual.getVirtualItems().map(({ index, start }) => {
          const node = rows[index];
          return (
            node && (
              <TreeRow
                key={node.run.id}
                node={node}
                tree={tree}
                top={start}
                isSelected={node.run.id === selected}
                isOpen={!closed.has(node.run.id)}
                onSelect={onSelect}
                onToggle={onToggle}
              />
            )
          );
        })}
      </div>
    </div>
  );
}

/** Keys that the tree hears while it has the focus; the first `j` or `k` of the page goes there. */
function useTreeKeys(scroller: RefObject<HTMLDivElement | null>): void {
  const enter = () => scroller.current?.focus({ preventScroll: true });
  useShortcuts([
    { key: 'j', does: 'Go to the next run', run: enter },
    { key: 'k', does: 'Go to the run before', run: enter },
    { key: '→', does: 'Show what is below a run, then go there' },
    { key: '←', does: 'Hide what is below a run, then go above' },
    { key: 'Home', does: 'Go to the first run' },
    { key: 'End', does: 'Go to the last run' },
    { key: 'PageDown', does: `Go ${PAGE} runs on` },
    { key: 'PageUp', does: `Go ${PAGE} runs back` },
  ]);
}

const PAGE = 20;

interface Around {
  readonly rows: readonly TreeNode[];
  readonly place: number;
  readonly closed: ReadonlySet<string>;
}

interface Action {
  readonly select?: string | undefined;
  readonly toggle?: string;
}

const step =
  (by: number) =>
  (_node: TreeNode, { rows, place }: Around): Action => ({
    select: rows[Math.max(0, Math.min(rows.length - 1, place + by))]?.run.id,
  });

/** The keys of a tree, as people know them. */
const actions: Readonly<Record<string, (node: TreeNode, around: Around) => Action>> = {
  ArrowDown: step(1),
  j: step(1),
  ArrowUp: step(-1),
  k: step(-1),
  PageDown: step(PAGE),
  PageUp: step(-PAGE),
  Home: (_node, { rows }) => ({ select: rows[0]?.run.id }),
  End: (_node, { rows }) => ({ select: rows.at(-1)?.run.id }),
  ArrowRight: ({ run, children }, { closed }) =>
    closed.has(run.id) ? { toggle: run.id } : { select: children[0]?.run.id },
  ArrowLeft: ({ run, children }, { closed }) =>
    children.length > 0 && !closed.has(run.id)
      ? { toggle: run.id }
      : { select: run.parent_run_id ?? undefined },
};
