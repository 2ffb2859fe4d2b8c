import { useInfiniteQuery } from '@tanstack/react-query';
import { type ReactNode, useMemo } from 'react';
import { Failure, Waiting } from '../../ui/answers.tsx';
import { type Column, DataTable } from '../../ui/data-table.tsx';
import { endOf } from '../../ui/next-page.tsx';
import type { EndlessList } from './endless-list.ts';

interface EndlessTableProps<Row> {
  readonly of: EndlessList<Row>;
  readonly label: string;
  readonly columns: readonly Column<Row>[];
  readonly keyOf: (row: Row) => string;
  readonly onOpen?: (row: Row) => void;
  /** What is shown where there are no rows. */
  readonly empty: ReactNode;
}

/** A table of a list, which asks for the next page when its end comes into sight. */
export function EndlessTable<Row extends object>({ of, empty, ...table }: EndlessTableProps<Row>) {
  const list = useInfiniteQuery(of);
  const { data, error } = list;
  const rows = useMemo(() => data?.pages.flatMap(({ items }) => items) ?? [], [data]);
  if (data === undefined) return error === null ? <Waiting /> : <Failure error={error} />;
  if (rows.length === 0) return empty;
  return <DataTable rows={rows} {...endOf(list)} {...table} />;
}
