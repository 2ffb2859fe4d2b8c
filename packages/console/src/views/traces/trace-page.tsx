import { useQuery } from '@tanstack/react-query';
import { useParams, useSearch } from '@tanstack/react-router';
import { useMemo } from 'react';
import { at, type Target } from '../../router/addresses.ts';
import { Page } from '../../ui/page.tsx';
import { Badge } from '../../ui/status.tsx';
import { count, dollars } from '../../words/number-rules.ts';
import { runState } from '../../words/run-state-rules.ts';
import { duration } from '../../words/time-rules.ts';
import { projectQuery } from './projects-query.ts';
import { ShareButton } from './share-button.tsx';
import { openIn, type TraceSearch } from './trace-search.ts';
import { factsQuery, ownSource } from './trace-source.ts';
import { TraceView } from './trace-view.tsx';

/** A trace of a project. */
export function TracePage() {
  const { project = '', trace = '' } = useParams({ strict: false });
  const search = useSearch({ strict: false });
  const source = useMemo(() => ownSource(project, trace), [project, trace]);
  const known = useQuery(projectQuery(project));
  const root = useQuery(factsQuery(source, trace)).data;
  const state = root && runState(root);
  const targetOf = (next: TraceSearch): Target => ({
    to: '/projects/$project/traces/$trace',
    params: { project, trace },
    search: { ...next },
  });
  return (
    <Page
      title={root?.name ?? 'Trace'}
      above={[
        { label: 'Traces', target: at.projects() },
        { label: known.data?.name ?? 'Project', target: at.project(project) },
      ]}
      filled
      beside={
        root !== undefined &&
        state !== undefined && (
          <>
            <Badge tone={state.tone}>{state.word}</Badge>
            <span className="text-xs text-quiet">
              {[
                root.latency_seconds == null ? '' : duration(root.latency_seconds * 1000),
                (root.total_tokens ?? 0) > 0 ? `${count(root.total_tokens ?? 0)} tokens` : '',
                root.total_cost == null ? '' : dollars(root.total_cost),
              ]
                .filter((one) => one !== '')
                .join(' · ')}
            </span>
          </>
        )
      }
      actions={root !== undefined && <ShareButton source={source} facts={root} />}
    >
      <TraceView source={source} search={openIn(search)} targetOf={targetOf} />
    </Page>
  );
}
