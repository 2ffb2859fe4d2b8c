import { useParams, useSearch } from '@tanstack/react-router';
import { useMemo } from 'react';
import { Page } from '../../ui/page.tsx';
import { openIn } from './trace-search.ts';
import { sharedSource } from './trace-source.ts';
import { TraceView } from './trace-view.tsx';

/** A trace that is shared by link: anybody who has it reads it. */
export function SharedTracePage() {
  const { token = '' } = useParams({ strict: false });
  const search = useSearch({ strict: false });
  const source = useMemo(() => sharedSource(token), [token]);
  return (
    <Page title="Shared trace" filled>
      <TraceView
        source={source}
        search={openIn(search)}
        targetOf={(next) => ({ to: '/public/$token/r', params: { token }, search: { ...next } })}
      />
    </Page>
  );
}
