import {
  type KeyboardEvent,
  type RefObject,
  useCallback,
  useLayoutEffect,
  useMemo,
  useRef,
  useState,
} from 'react';
import type { Target } from '../router/addresses.ts';
import { useGo } from '../router/go.ts';
import { useShortcuts } from './keys.ts';
import { markedIndex, type MarkedRow } from './table-rules.ts';

interface RowsInOrder<Row> {
  readonly ordered: readonly Row[];
  readonly show: (index: number) => void;
}

const steps: Readonly<Record<string, number>> = { ArrowDown: 1, j: 1, ArrowUp: -1, k: -1 };

interface OpenedRows<Row> {
  readonly keyOf: (row: Row) => string;
  readonly targetOf?: (row: Row) => Target;
  readonly onOpen?: (row: Row) => void;
}

/** The row that is marked, and the keys by which a table moves among its rows. */
export function useRowKeys<Row>(
  { keyOf, onOpen, targetOf }: OpenedRows<Row>,
  { ordered, show }: RowsInOrder<Row>,
) {
  const [marked, setMarked] = useState<MarkedRow>({ key: undefined, index: 0 });
  const keys = useMemo(() => ordered.map(keyOf), [ordered, keyOf]);
  const focused = useMemo(() => markedIndex(keys, marked), [keys, marked]);
  const mark = (index: number) => {
    const row = ordered[index];
    if (row !== undefined) setMarked({ key: keyOf(row), index });
  };
  const go = useGo();
  const opens = onOpen ?? (targetOf && ((row: Row) => go(targetOf(row))));
  const move = (step: number) => {
    const next = Math.max(0, Math.min(ordered.length - 1, focused + step));
    mark(next);
    show(next);
  };
  const openFocused =
    opens &&
    (() => {
      const row = ordered[focused];
      if (row !== undefined) opens(row);
    });
  const onKeyDown = (event: KeyboardEvent) => {
    if (!isRowOrGrid(event.target) || event.ctrlKey || event.metaKey || event.altKey) return;
    // A row that was clicked has the focus, but only the table shows what is marked.
    if (event.target !== event.currentTarget && event.currentTarget instanceof HTMLElement)
      event.currentTarget.focus({ preventScroll: true });
    const step = steps[event.key];
    if (step !== undefined) {
      event.preventDefault();
      move(step);
    } else if (event.key === 'Enter') openFocused?.();
  };
  const latest = useRef({ mark, opens });
  useLayoutEffect(() => {
    latest.current = { mark, opens };
  });
  // One function for all renders: a row that scrolls by is not made again for it.
  const markRow = useCallback((index: number) => latest.current.mark(index), []);
  const open = useCallback((row: Row) => latest.current.opens?.(row), []);
  // The row that is marked first stays marked once one sees that it is.
  const onFocus = () => marked.key ?? mark(focused);
  return { focused, markRow, onFocus, onKeyDown, move, openFocused, open: opens && open };
}

const isRowOrGrid = (target: EventTarget) =>
  target instanceof Element && ['grid', 'row'].includes(target.role ?? '');

interface RowKeys {
  readonly move: (step: number) => void;
  /** Unset where a table opens nothing. */
  readonly openFocused: (() => void) | undefined;
}

/**
 * Keys of the page that the table hears while nothing else has them, where it is the only one: the first press goes to the
 * table, which marks a row.
 */
export function usePageKeys(
  scroller: RefObject<HTMLDivElement | null>,
  { move, openFocused }: RowKeys,
): void {
  const within = (act: () => void) => () => {
    const grid = scroller.current;
    if (grid === null || document.querySelectorAll('main [role=grid]').length > 1) return;
    if (grid.contains(document.activeElement)) act();
    grid.focus({ preventScroll: true });
  };
  useShortcuts([
    { key: 'j', does: 'Go to the next row', run: within(() => move(1)) },
    { key: 'k', does: 'Go to the row before', run: within(() => move(-1)) },
    ...(openFocused === undefined
      ? []
      : [{ key: 'Enter', does: 'Open the row that is marked', run: within(openFocused) }]),
  ]);
}
