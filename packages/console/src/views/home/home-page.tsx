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
import { count } from '../../words/number-rules.ts';
import { slugOf, type StateWords } from '../../words/state-rules.ts';
import { ConnectLines } from './connect-lines.tsx';
import { agentsToAsk, agentsToShow, MOST_ASKED } from './home-rules.ts';
import { LastDay } from './last-day.tsx';

/** What serves, what fails, what the last day came to, what waits for a person, and how to connect. */
export function HomePage() {
  const maySeeAgents = mayDo('deployments:read');
  const deployments = useQuery({ ...deploymentsQuery, enabled: maySeeAgents });
  const all = deployments.data ?? [];
  return (
    <Page title="Home">
      <div className="grid grid-cols-1 items-start gap-4 xl:grid-cols-2">
        <div className="flex min-w-0 flex-col gap-4">
          {maySeeAgents && (
            <Card title="Agents" actions={<GoTo target={at.deployments()}>All deployments</GoTo>}>
              <Answer of={deployments}>
                {() => (all.length === 0 ? <NoAgents /> : <Agents deployments={all} />)}
              </Answer>
            </Card>
          )}
          {mayDo('traces:read') && <LastDay />}
        </div>
        <div className="flex min-w-0 flex-col gap-4">
          {all.length > 0 && <Waiting deployments={all} />}
          <Card title="Connect">
            <ConnectLines slug={all.map(({ url }) => slugOf(url)).find((slug) => slug !== undefined)} />
          </Card>
        </div>
      </div>
    </Page>
  );
}

const NoAgents = () => (
  <Empty title="No agent is deployed yet">
    <HowToDeploy />
  </Empty>
);

/** Those in trouble come first; of many only those that count now are here. */
function Agents({ deployments }: { readonly deployments: readonly Deployment[] }) {
  const { shown, troubled } = agentsToShow(deployments);
  const isPart = shown.length < deployments.length;
  return (
    <>
      <ul aria-label="Agents" className="-my-2 divide-y divide-line">
        {shown.map(({ deployment, state }) => (
          <AgentRow key={deployment.id} deployment={deployment} state={state} />
        ))}
      </ul>
      {isPart && (
        <p className="flex flex-wrap gap-x-4 pt-4 text-quiet">
          <span>
            {shown.length} of {count(deployments.length)} are here.
          </span>
          {troubled > 0 && (
            <GoTo target={at.deployments({ state: 'trouble' })} className="text-accent hover:underline">
              {count(troubled)} in trouble
            </GoTo>
          )}
        </p>
      )}
    </>
  );
}

interface AgentRowProps {
  readonly deployment: Deployment;
  readonly state: StateWords;
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
function Waiting({ deployments: all }: { readonly deployments: readonly Deployment[] }) {
  const { asked: deployments, is_part } = agentsToAsk(all);
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
      {is_part && mayDo('agents:invoke') && (
        <p className="pb-2 text-quiet">
          The {MOST_ASKED} agents that changed last are asked here, all of them by the inbox.
        </p>
      )}
      {waiting.length === 0 ? (
        <p className="text-quiet">
          {!mayDo('agents:invoke')
            ? 'You may not talk to agents.'
            : counts.some(({ isLoading }) => isLoading)
              ? 'Asking …'
              : is_part
                ? 'Nothing waits with these.'
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
