import { useQuery } from '@tanstack/react-query';
import { control } from '../../api/clients.ts';
import { queryClient } from '../../api/query-client.ts';
import { mayDo } from '../../session/session.ts';
import { copyText } from '../../ui/copy.tsx';
import { Menu } from '../../ui/menu.tsx';
import { say } from '../../ui/toasts.tsx';
import { slugOf } from '../../words/state-rules.ts';
import { type CopiedRun, type CopyPlace, curlOf, pytestOf, testOf } from './copy-rules.ts';
import { deploymentOf, projectQuery } from './projects-query.ts';
import { type Payload, payloadQuery, type RunFacts, type TraceSource } from './trace-source.ts';

interface CopyMenuProps {
  readonly source: TraceSource;
  readonly facts: RunFacts;
}

const forms: readonly (readonly [label: string, write: (run: CopiedRun, place: CopyPlace) => string])[] = [
  ['Copy as curl', curlOf],
  ['Copy as test (Vitest)', testOf],
  ['Copy as test (pytest)', pytestOf],
];

/** Copies a run as something to paste. */
export function CopyMenu({ source, facts }: CopyMenuProps) {
  const project = useQuery({ ...projectQuery(source.own?.project ?? ''), enabled: source.own !== undefined });
  const deployment = deploymentOf(project.data);
  const found = useQuery({
    queryKey: ['deployment', deployment, 'slug'],
    queryFn: async ({ signal }) =>
      slugOf((await control.readDeployment({ params: { deployment_id: deployment ?? '' }, signal })).url) ??
      null,
    enabled: deployment !== undefined && mayDo('deployments:read'),
    staleTime: Infinity,
    retry: false,
  });
  // Only a root run was called from outside.
  const slug = facts.parent_run_id == null ? (found.data ?? undefined) : undefined;
  const copy = async (write: (typeof forms)[number][1]) => {
    const run = await copiedRun(source, facts);
    await copyText(write(run, { origin: location.origin, slug }));
    say({ text: 'Copied.' });
  };
  return (
    <Menu
      label="Copy the run"
      items={forms.map(([label, write]) => ({
        label,
        onSelect: () =>
          void copy(write).catch((error: unknown) =>
            say({ kind: 'error', text: error instanceof Error ? error.message : String(error) }),
          ),
      }))}
    >
      Copy
    </Menu>
  );
}

async function copiedRun(source: TraceSource, facts: RunFacts): Promise<CopiedRun> {
  const { id = '', name = '', metadata, status } = facts;
  const [inputs, outputs] = await Promise.all(
    (['inputs', 'outputs'] as const).map((kind) =>
      queryClient.fetchQuery(payloadQuery(source, { run: id, kind, status })),
    ),
  );
  return {
    id,
    name,
    inputs: valueOf(inputs),
    outputs: valueOf(outputs),
    metadata: (metadata ?? {}) as Record<string, unknown>,
  };
}

function valueOf(payload: Payload | undefined): unknown {
  if (payload === undefined || payload.kind === 'none') return null;
  if (payload.kind === 'large')
    throw new Error('The run holds too much to be copied; download it in place of this.');
  return payload.value;
}
