import { useQuery } from '@tanstack/react-query';
import { useParams } from '@tanstack/react-router';
import { useEffect } from 'react';
import { traces } from '../../api/clients.ts';
import { at, type Target } from '../../router/addresses.ts';
import { useGo } from '../../router/go.ts';
import { Answer, Waiting } from '../../ui/answers.tsx';

/** Leads from the id of a run to its place in its trace: SDKs print such addresses. */
export function RunPlacePage() {
  const { run = '' } = useParams({ strict: false });
  const place = useQuery({
    queryKey: ['run-place', run],
    queryFn: ({ signal }) =>
      traces.readRunV2({ params: { run_id: run }, query: { selects: ['PROJECT_ID', 'TRACE_ID'] }, signal }),
    staleTime: Infinity,
  });
  return (
    <Answer of={place}>
      {({ project_id = '', trace_id = run }) => (
        <Lead to={at.trace(project_id, trace_id, trace_id === run ? {} : { run })} />
      )}
    </Answer>
  );
}

function Lead({ to }: { readonly to: Target }) {
  const go = useGo();
  useEffect(() => {
    go(to, { replace: true });
    // oxlint-disable-next-line react-hooks/exhaustive-deps -- one is led once
  }, []);
  return <Waiting />;
}
