import { useInfiniteQuery } from '@tanstack/react-query';
import { type ReactNode, useEffect } from 'react';
import { Waiting } from '../../ui/answers.tsx';
import { Dialog } from '../../ui/dialog.tsx';
import { NextPageFailure, nextPageOf } from '../../ui/next-page.tsx';
import type { EndlessList } from './endless-list.ts';

interface OpenRowProps<Row> {
  readonly of: EndlessList<Row>;
  /** The id of the row that the address names. */
  readonly id: string;
  readonly title: string;
  readonly onClose: () => void;
  readonly children: (row: Row) => ReactNode;
}

/** So many pages are read for a row. */
const MOST_PAGES = 20;

/** Shows a row of a list in a dialog; the list is read on until the row is there. */
export function OpenRow<Row extends { readonly id: string }>(props: OpenRowProps<Row>) {
  const { of, id, title, onClose, children } = props;
  const list = useInfiniteQuery(of);
  const pages = list.data?.pages ?? [];
  const row = pages.flatMap(({ items }) => items).find((one) => one.id === id);
  const isSought = row === undefined && list.hasNextPage && pages.length < MOST_PAGES;
  const next = isSought ? nextPageOf(list) : undefined;
  useEffect(() => next?.());
  // A list that could not be read says so itself.
  if (row === undefined && list.data === undefined) return null;
  return (
    <Dialog title={title} isOpen wide onClose={onClose}>
      {row !== undefined && children(row)}
      {row === undefined && isSought && !list.isFetchNextPageError && <Waiting />}
      {row === undefined && isSought && <NextPageFailure of={list} />}
      {row === undefined && !isSought && <p className="text-quiet">It is not in this list any more.</p>}
    </Dialog>
  );
}
