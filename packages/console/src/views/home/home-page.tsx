import { useQueries, useQuery } from '@tanstack/react-query';
import { type Deployment, deploymentsQuery, waitingQuery } from '../../api/deployments.ts';
import { at } from '../../router/addresses.ts';
import { mayDo } from '../../session/session.ts';
import { Answer, Empty } from '../../ui/answers.tsx';
import { HowToDeploy } from '../../ui/how-to-deploy.tsx';
import { GoTo } from '../../ui/link.tsx';
import { Card, Page } from '../../ui/page.tsx';
import { Badge } from '../../ui/status.tsx';
import { Ago } from '../../ui/time.tsx';
import { servingState, slugOf } from '../../words/state-rules.ts';
import { ConnectLines } from './connect-lines.tsx';
import { LastDay } from './last-day.tsx';

/** What serves, what fails, what the last day came to, what waits for a person, and how to connect. */
export function HomePage() {
  const deployments = useQuery(deploymentsQuery);
  return (
    <Page title="Home">
      <Answer of={deployments}>
        {(all) =>
          all.length === 0 ? (
            <NoAgents />
          ) : (
            <div className="grid grid-cols-1 items-start gap-4 xl:grid-cols-2">
              <div className="flex min-w-0 flex-col gap-4">
                <Agents deployments={all} />
                {mayDo('traces:read') && <LastDay />}
              </div>
              <div className="flex min-w-0 flex-col gap-4">
                <Waiting deployments={all} />
                <Card title="Connect">
                  <ConnectLines slug={all.map(({ url }) => slugOf(url)).find((slug) => slug !== undefined)} />
                </Card>
              </div>
            </div>
          )
        }
      </Answer>
    </Page>
  );
}

const NoAgents = () => (
  <Empty title="No agent is deployed yet">
    <HowToDeploy />
  </Empty>
);

const order = ['bad', 'warn', 'busy', 'good', 'quiet'];

/** Those in trouble come first. */
function Agents({ deployments }: { readonly deployments: readonly Deployment[] }) {
  const rows = deployments
    .map((deployment) => ({ deployment, state: servingState(deployment) }))
    .toSorted((one, other) => order.indexOf(one.state.tone) - order.indexOf(other.state.tone));
  return (
    <Card title="Agents" actions={<GoTo target={at.deployments()}>All deployments</GoTo>}>
      <ul className="-my-2 divide-y divide-line">
        {rows.map(({ deployment, state }) => (
          <AgentRow key={deployment.id} deployment={deployment} state={state} />
        ))}
      </ul>
    </Card>
  );
}

interface AgentRowProps {
  readonly deployment: Deployment;
  readonly state: ReturnType<typeof servingState>;
}

function AgentRow({
  deployment: { id, name, url, status, status_reason, updated_at },
  state,
}: AgentRowProps) {
  const slug = slugOf(url);
  return (
    <li className="flex flex-wrap items-center gap-x-3 gap-y-1 py-2">
      <GoTo target={at.deployment(id)} className="min-w-0 truncate font-medium hover:underline">
        {name}
      </GoTo>
      <Badge tone={state.tone} title={status}>
        {state.word}
      </Badge>
      <span className="text-xs text-quiet">
        changed <Ago at={updated_at} />
      </span>
      {slug !== undefined && mayDo('agents:invoke') && (
        <GoTo target={at.talk(slug)} className="ml-auto text-accent hover:underline">
          Talk
        </GoTo>
      )}
      {status_reason !== null && (
        <p className="w-full wrap-anywhere text-bad">
          {typeof status_reason === 'string' ? status_reason : status_reason.message}
        </p>
      )}
    </li>
  );
}

/** Counts what waits, where one may ask; an agent that doesn't answer is named. */
function Waiting({ deployments }: { readonly deployments: readonly Deployment[] }) {
  const counts = useQueries({ queries: deployments.map((deployment) => waitingQuery(deployment)) });
  const waiting = deployments
    .map(({ name, id }, index) => ({ id, name, count: counts[index]?.data ?? 0 }))
    .filter(({ count }) => count > 0);
  const silent = deployments.filter((_one, index) => counts[index]?.isError === true).map(({ name }) => name);
  return (
    <Card
      title="Waiting for a person"
      actions={mayDo('agents:invoke') && <GoTo target={at.inbox()}>Inbox</GoTo>}
    >
      {silent.length > 0 && (
        <p role="status" className="pb-2 text-warn">
          {silent.join(', ')} could not be asked.
        </p>
      )}
      {waiting.length === 0 ? (
        <p className="text-quiet">
          {!mayDo('agents:invoke')
            ? 'You may not talk to agents.'
            : counts.some(({ isLoading }) => isLoading)
              ? 'Asking …'
              : 'Nothing waits.'}
        </p>
      ) : (
        <ul className="flex flex-col gap-1">
          {waiting.map(({ id, name, count }) => (
            <li key={id}>
              <GoTo target={at.inbox()}>
                {name}: {count} {count === 1 ? 'conversation' : 'conversations'}
              </GoTo>
            </li>
          ))}
        </ul>
      )}
    </Card>
  );
}
