import { useQuery } from '@tanstack/react-query';
import { useParams, useSearch } from '@tanstack/react-router';
import type { Deployment } from '../../api/deployments.ts';
import { at } from '../../router/addresses.ts';
import { useGo } from '../../router/go.ts';
import { Answer } from '../../ui/answers.tsx';
import { Icon } from '../../ui/icons.tsx';
import { control as controlLook } from '../../ui/fields.tsx';
import { Card, Facts } from '../../ui/page.tsx';
import { Badge } from '../../ui/status.tsx';
import { Ago } from '../../ui/time.tsx';
import { revisionStates } from '../../words/state-rules.ts';
import { DeploymentFrame } from './deployment-frame.tsx';
import { type Revision, revisionChoicesQuery, revisionQuery } from './deployment-queries.ts';
import { commitComparison, compareNames, compareRevisions, revisionFacts } from './diff-rules.ts';
import { PhaseBar } from './phase-bar.tsx';
import { RevisionButtons, triggerWords } from './revision-item.tsx';
import { RevisionReason } from './revision-reason.tsx';
import { textField } from './source-rules.ts';

/** A revision, and what is another in a second one. */
export function RevisionPage() {
  const params: Readonly<Record<string, string>> = useParams({ strict: false });
  const { deployment: id = '', revision: revision_id = '' } = params;
  const { against }: { readonly against?: string } = useSearch({ strict: false });
  const revision = useQuery(revisionQuery(id, revision_id));
  const title = revision.data && `Revision ${revision.data.number}`;
  return (
    <DeploymentFrame id={id} title={title ?? 'Revision'}>
      {(deployment) => (
        <Answer of={revision}>
          {(data) => (
            <div className="flex flex-col gap-4">
              <Way revision={data} deployment={deployment} />
              <Comparison revision={data} deployment={deployment} against={against} />
            </div>
          )}
        </Answer>
      )}
    </DeploymentFrame>
  );
}

interface RevisionProps {
  readonly revision: Revision;
  readonly deployment: Deployment;
}

const Way = ({ revision, deployment }: RevisionProps) => {
  const { word, tone } = revisionStates[revision.status];
  return (
    <Card title="The way here" actions={<RevisionButtons revision={revision} deployment={deployment} />}>
      <div className="flex flex-col gap-3">
        <p className="flex flex-wrap items-center gap-2">
          <Badge tone={tone} title={revision.status}>
            {word}
          </Badge>
          {deployment.active_revision_id === revision.id && <Badge tone="good">serves</Badge>}
          <span className="text-quiet">
            made <Ago at={revision.created_at} /> {triggerWords(revision)}
          </span>
        </p>
        <PhaseBar revision={revision} />
        <RevisionReason revision={revision} />
      </div>
    </Card>
  );
};

interface ComparisonProps extends RevisionProps {
  readonly against: string | undefined;
}

function Comparison({ revision, deployment, against }: ComparisonProps) {
  const go = useGo();
  const { data = [] } = useQuery(revisionChoicesQuery(deployment.id));
  const other = useQuery({ ...revisionQuery(deployment.id, against ?? ''), enabled: against !== undefined });
  const others = data.filter(({ id }) => id !== revision.id);
  const choose = (id: string) =>
    go(at.revision(deployment.id, revision.id, id === '' ? {} : { against: id }), { replace: true });
  return (
    <Card
      title="What it is made of"
      actions={
        <label className="flex items-center gap-2 text-quiet">
          <span className="hidden whitespace-nowrap sm:inline">Compare with</span>
          <select
            aria-label="Compare with"
            value={against ?? ''}
            onChange={(event) => choose(event.target.value)}
            className={controlLook}
          >
            <option value="">no other</option>
            {against !== undefined && others.every(({ id }) => id !== against) && (
              <option value={against}>{against.slice(0, 8)}</option>
            )}
            {others.map(({ id, number }) => (
              <option key={id} value={id}>
                Revision {number}
                {id === deployment.active_revision_id && ' (serves)'}
              </option>
            ))}
          </select>
        </label>
      }
    >
      {against === undefined ? (
        <Contents revision={revision} />
      ) : (
        <Answer of={other}>
          {(before) => <Changes before={before} after={revision} deployment={deployment} />}
        </Answer>
      )}
    </Card>
  );
}

const Contents = ({ revision }: { readonly revision: Revision }) => {
  const facts = revisionFacts(revision).flatMap(({ name, value }) =>
    value === undefined ? [] : [[name, value] as const],
  );
  const { secret_names: names } = revision;
  return (
    <Facts facts={[...facts, ['Environment', names.length === 0 ? 'no variables' : names.join(', ')]]} />
  );
};

interface ChangesProps {
  readonly before: Revision;
  readonly after: Revision;
  readonly deployment: Deployment;
}

function Changes({ before, after, deployment }: ChangesProps) {
  const facts = compareRevisions(before, after);
  const commits = [before.repo_commit_sha, after.repo_commit_sha] as const;
  const [one, other] = commits;
  const comparison =
    one !== null && other !== null && one !== other
      ? commitComparison(textField(deployment.source_config, 'repo_url'), [one, other])
      : undefined;
  const changed = facts.filter(({ isChanged }) => isChanged).length;
  return (
    <div className="flex flex-col gap-4">
      <p className="text-quiet">
        {changed === 0 ? 'The configuration is the same.' : `${changed} of ${facts.length} differ.`}{' '}
        {comparison !== undefined && (
          <a href={comparison} target="_blank" rel="noreferrer noopener" className="text-accent underline">
            Compare the commits
          </a>
        )}
      </p>
      <div className="overflow-x-auto" tabIndex={0} role="region" aria-label="Configuration of both">
        <table className="w-full table-fixed border-collapse text-left">
          <thead className="text-xs text-quiet">
            <tr>
              <th className="w-1/4 py-1 pr-3 font-normal">What</th>
              <th className="py-1 pr-3 font-normal">Revision {before.number}</th>
              <th className="py-1 font-normal">Revision {after.number}</th>
            </tr>
          </thead>
          <tbody>
            {facts.map(({ name, before: old, after: recent, isChanged }) => (
              <tr
                key={name}
                className={isChanged ? 'border-t border-line bg-warn-soft' : 'border-t border-line'}
              >
                <th scope="row" className="py-1.5 pr-3 pl-1 align-top font-normal">
                  {isChanged && <Icon name="pen" className="mr-1 inline size-3 text-warn" />}
                  {name}
                  {isChanged && <span className="sr-only"> (differs)</span>}
                </th>
                <td className="py-1.5 pr-3 align-top font-mono text-xs wrap-anywhere">{old ?? 'none'}</td>
                <td className="py-1.5 align-top font-mono text-xs wrap-anywhere">{recent ?? 'none'}</td>
              </tr>
            ))}
          </tbody>
        </table>
      </div>
      <EnvironmentChanges before={before} after={after} />
    </div>
  );
}

function EnvironmentChanges({ before, after }: Omit<ChangesProps, 'deployment'>) {
  const names = compareNames(before.secret_names, after.secret_names);
  return (
    <section aria-label="Environment">
      <h3 className="font-semibold">Environment</h3>
      <ul className="flex flex-wrap gap-x-4 gap-y-1 pt-1 font-mono text-xs">
        {names.added.map((name) => (
          <li key={name} className="text-good">
            + {name}
          </li>
        ))}
        {names.removed.map((name) => (
          <li key={name} className="text-bad">
            − {name}
          </li>
        ))}
        {names.kept.map((name) => (
          <li key={name} className="text-quiet">
            {name}
          </li>
        ))}
      </ul>
      {before.secret_names.length + after.secret_names.length === 0 && (
        <p className="text-quiet">Neither has variables.</p>
      )}
    </section>
  );
}
