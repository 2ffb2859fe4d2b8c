import {
  type ColumnDef,
  createColumnHelper,
  createSortedRowModel,
  rowSortingFeature,
  sortFns,
  type SortingState,
  tableFeatures,
  useTable,
} from '@tanstack/react-table';
import { useVirtualizer } from '@tanstack/react-virtual';
import { memo, type ReactNode, useEffect, useId, useMemo, useRef, useState } from 'react';
import type { Target } from '../router/addresses.ts';
import { classes } from './classes.ts';
import { Icon } from './icons.tsx';
import { usePageKeys, useRowKeys } from './table-keys.ts';

const features = tableFeatures({ rowSortingFeature, sortedRowModel: createSortedRowModel(), sortFns });

export interface Column<Row> {
  readonly id: string;
  readonly header: string;
  readonly cell: (row: Row) => ReactNode;
  /** What rows are sorted by; without it the column can't be sorted. */
  readonly sort?: (row: Row) => string | number | undefined;
  /** A width of CSS grids: `12rem`, `minmax(10rem, 2fr)`. */
  readonly width?: string;
  readonly align?: 'right';
}

interface DataTableProps<Row> {
  readonly label: string;
  readonly rows: readonly Row[];
  readonly columns: readonly Column<Row>[];
  readonly keyOf: (row: Row) => string;
  /** Where Enter or a click on a row leads. */
  readonly targetOf?: (row: Row) => Target;
  readonly onOpen?: (row: Row) => void;
  readonly selected?: string | undefined;
  /** Asks for more rows, when the end comes near. */
  readonly onEnd?: (() => void) | undefined;
  readonly footer?: ReactNode;
  readonly row_height?: number;
}

/**
 * A table of any length: only the rows in sight are there. Arrows, or `j` and `k`, move among rows; Enter opens one.
 */
export function DataTable<Row extends object>(props: DataTableProps<Row>) {
  const { label, columns, keyOf, selected, footer, row_height = 36 } = props;
  const scroller = useRef<HTMLDivElement>(null);
  const grid = useId();
  const { table, sorting, ordered } = useSortedRows(props);
  const virtual = useVirtualizer({
    count: ordered.length,
    getScrollElement: () => scroller.current,
    estimateSize: () => row_height,
    overscan: 12,
  });
  const shown = virtual.getVirtualItems();
  useEndInSight(shown.at(-1)?.index ?? 0, { length: ordered.length, onEnd: props.onEnd });
  const { focused, markRow, onFocus, onKeyDown, open, ...keys } = useRowKeys(props, {
    ordered,
    show: (index) => virtual.scrollToIndex(index),
  });
  usePageKeys(scroller, keys);
  const template = columns.map(({ width = 'minmax(6rem, 1fr)' }) => width).join(' ');
  return (
    <div
      ref={scroller}
      role="grid"
      aria-label={label}
      aria-rowcount={ordered.length + 1}
      aria-activedescendant={shown.some(({ index }) => index === focused) ? `${grid}-${focused}` : undefined}
      tabIndex={0}
      onFocus={onFocus}
      onKeyDown={onKeyDown}
      className="group/grid min-h-0 flex-1 overflow-auto"
    >
      <HeaderRow
        columns={columns}
        template={template}
        sorting={sorting}
        onSort={(id) => table.getColumn(id)?.toggleSorting()}
      />
      <div role="rowgroup" className="relative min-w-fit" style={{ height: virtual.getTotalSize() }}>
        {shown.map(({ index, start }) => {
          const row = ordered[index];
          return (
            row && (
              <TableRow
                key={keyOf(row)}
                grid={grid}
                index={index}
                row={row}
                columns={columns}
                isSelected={keyOf(row) === selected}
                isFocused={index === focused}
                onOpen={open}
                onMark={markRow}
                template={template}
                height={row_height}
                start={start}
              />
            )
          );
        })}
      </div>
      {footer}
    </div>
  );
}

function useSortedRows<Row extends object>({ rows, columns }: DataTableProps<Row>) {
  const [sorting, setSorting] = useState<SortingState>([]);
  const definitions = useMemo(() => definitionsOf(columns), [columns]);
  const data = rows as Row[];
  const table = useTable({
    features,
    columns: definitions,
    data,
    state: { sorting },
    onSortingChange: setSorting,
  });
  const { rows: inOrder } = table.getRowModel();
  const ordered = useMemo(() => inOrder.map(({ original }) => original), [inOrder]);
  return { table, sorting, ordered };
}

interface End {
  readonly length: number;
  readonly onEnd: (() => void) | undefined;
}

function useEndInSight(last: number, { length, onEnd }: End): void {
  useEffect(() => {
    if (last >= length - 20) onEnd?.();
  }, [last, length, onEnd]);
}

interface TableRowProps<Row> {
  /** The id of the table, of which its own is made. */
  readonly grid: string;
  readonly index: number;
  readonly row: Row;
  readonly columns: readonly Column<Row>[];
  readonly isSelected: boolean;
  readonly isFocused: boolean;
  readonly onOpen: ((row: Row) => void) | undefined;
  readonly onMark: (index: number) => void;
  /** The widths of its columns, its height, and where it begins. */
  readonly template: string;
  readonly height: number;
  readonly start: number;
}

function AnyTableRow<Row>(props: TableRowProps<Row>) {
  const { grid, index, row, columns, isSelected, isFocused, onOpen, onMark } = props;
  const { template, height, start } = props;
  return (
    // oxlint-disable-next-line jsx-a11y/click-events-have-key-events -- the grid takes the keys of all rows
    <div
      id={`${grid}-${index}`}
      role="row"
      // The header is the first row.
      aria-rowindex={index + 2}
      tabIndex={-1}
      aria-selected={isSelected}
      onClick={(event) => {
        // Clicks within a menu of the row come here too, though the menu stands elsewhere in the page.
        if (!(event.target instanceof Node && event.currentTarget.contains(event.target))) return;
        onMark(index);
        if (!isControl(event.target)) onOpen?.(row);
      }}
      className={classes(
        'absolute inset-x-0 grid items-center gap-x-3 border-b border-line px-4',
        onOpen && 'cursor-pointer hover:bg-sunk',
        isSelected && 'bg-accent-soft',
        isFocused &&
          'outline-accent group-focus-visible/grid:outline-2 group-focus-visible/grid:-outline-offset-2',
      )}
      style={{ gridTemplateColumns: template, height, transform: `translateY(${start}px)` }}
    >
      {columns.map(({ id: column, cell, align }) => (
        <div
          key={column}
          role="gridcell"
          className={classes('min-w-0 truncate', align === 'right' && 'text-right tabular-nums')}
        >
          {cell(row)}
        </div>
      ))}
    </div>
  );
}

const TableRow = memo(AnyTableRow) as typeof AnyTableRow;

/** A link or a button within a row does its own. */
const isControl = (target: EventTarget) =>
  target instanceof Element && target.closest('a, button, input, select, label') !== null;

function definitionsOf<Row extends object>(
  columns: readonly Column<Row>[],
): ColumnDef<typeof features, Row>[] {
  const helper = createColumnHelper<typeof features, Row>();
  return columns.map(({ id, sort }) =>
    helper.accessor((row: Row): unknown => sort?.(row), {
      id,
      enableSorting: sort !== undefined,
      sortUndefined: 'last',
    }),
  );
}

interface HeaderRowProps<Row> {
  readonly columns: readonly Column<Row>[];
  readonly template: string;
  readonly sorting: SortingState;
  readonly onSort: (id: string) => void;
}

const HeaderRow = <Row,>({ columns, template, sorting, onSort }: HeaderRowProps<Row>) => (
  <div
    role="row"
    aria-rowindex={1}
    className="sticky top-0 z-10 grid min-w-fit gap-x-3 border-b border-line bg-card px-4 text-xs text-quiet"
    style={{ gridTemplateColumns: template }}
  >
    {columns.map((column) => (
      <HeaderCell
        key={column.id}
        column={column}
        order={sorting.find(({ id }) => id === column.id)}
        onSort={() => onSort(column.id)}
      />
    ))}
  </div>
);

interface HeaderCellProps<Row> {
  readonly column: Column<Row>;
  readonly order: { readonly desc: boolean } | undefined;
  readonly onSort: () => void;
}

function HeaderCell<Row>({ column: { header, sort, align }, order, onSort }: HeaderCellProps<Row>) {
  const sorted = order === undefined ? 'none' : order.desc ? 'descending' : 'ascending';
  return (
    <div
      role="columnheader"
      aria-sort={sorted}
      className={classes('py-1.5', align === 'right' && 'text-right')}
    >
      {sort === undefined ? (
        header
      ) : (
        <button type="button" onClick={onSort} className="inline-flex items-center gap-1 hover:text-ink">
          {header}
          {order !== undefined && (
            <Icon name="down" className={classes('size-3', !order.desc && 'rotate-180')} />
          )}
        </button>
      )}
    </div>
  );
}
