import { useState } from 'react';
import type { Deployment } from '../../api/deployments.ts';
import { at } from '../../router/addresses.ts';
import { Button } from '../../ui/button.tsx';
import { classes } from '../../ui/classes.ts';
import { GoTo } from '../../ui/link.tsx';
import { Badge, Tag } from '../../ui/status.tsx';
import { Ago } from '../../ui/time.tsx';
import { revisionStates } from '../../words/state-rules.ts';
import { InterruptDialog, RollbackDialog } from './deployment-actions.tsx';
import type { Revision } from './deployment-queries.ts';
import { PhaseBar } from './phase-bar.tsx';
import { hasEnded } from './phase-rules.ts';
import { RevisionReason } from './revision-reason.tsx';

const triggers: Readonly<Record<Revision['trigger']['kind'], string>> = {
  create: 'with the deployment',
  patch: 'by a change',
  redeploy: 'by a rollback',
  secret: 'by a change of the environment',
  push: 'by a push',
  api: 'by deploying again',
};

export const triggerWords = ({ trigger: { kind, actor } }: Revision): string =>
  `${triggers[kind]}, ${actor.split(':')[0] ?? actor}`;

interface RevisionItemProps {
  readonly revision: Revision;
  readonly deployment: Deployment;
  /** The number of the revision that it is a rollback to. */
  readonly origin: number | undefined;
}

/** A revision on the line of time. */
export function RevisionItem({ revision, deployment, origin }: RevisionItemProps) {
  const { id, number, status, created_at, repo_commit_sha, repo_ref, image_uri } = revision;
  const isServing = deployment.active_revision_id === id;
  const { word, tone } = revisionStates[status];
  return (
    <li
      aria-label={`Revision ${number}`}
      className={classes(
        'relative ml-2 flex flex-col gap-2 border-l-2 pb-5 pl-5',
        isServing ? 'border-good' : 'border-line',
      )}
    >
      <span
        aria-hidden="true"
        className={classes(
          'absolute top-1 -left-[9px] size-4 rounded-full border-2 bg-card',
          isServing ? 'border-good' : 'border-line',
        )}
      />
      <div className="flex flex-wrap items-center gap-x-3 gap-y-1">
        <GoTo target={at.revision(deployment.id, id)} className="font-semibold hover:underline">
          Revision {number}
        </GoTo>
        <Badge tone={tone} title={status}>
          {word}
        </Badge>
        {isServing && <Badge tone="good">serves</Badge>}
        {origin !== undefined && <Tag>like revision {origin}</Tag>}
        {repo_commit_sha !== null && <Tag title={repo_commit_sha}>{repo_commit_sha.slice(0, 10)}</Tag>}
        {repo_ref !== null && <Tag>{repo_ref}</Tag>}
        {image_uri !== null && <Tag title={image_uri}>{image_uri}</Tag>}
        <span className="text-xs text-quiet">
          <Ago at={created_at} /> {triggerWords(revision)}
        </span>
        <RevisionButtons revision={revision} deployment={deployment} />
      </div>
      <PhaseBar revision={revision} />
      <RevisionReason revision={revision} />
    </li>
  );
}

type RevisionButtonsProps = Omit<RevisionItemProps, 'origin'>;

/** What can be done with a revision, and where its log is. */
export function RevisionButtons({ revision, deployment }: RevisionButtonsProps) {
  const [open, setOpen] = useState<'rollback' | 'interrupt'>();
  const { id, number, status } = revision;
  const close = () => setOpen(undefined);
  const isServing = deployment.active_revision_id === id;
  const type = status === 'DEPLOYED' ? undefined : 'build';
  return (
    <span className="ml-auto flex flex-wrap items-center gap-2">
      <GoTo
        target={at.deploymentPart(deployment.id, 'logs', { revision: id, type })}
        className="text-accent hover:underline"
        aria-label={`Logs of revision ${number}`}
      >
        Logs
      </GoTo>
      {!isServing && deployment.active_revision_id !== null && (
        <GoTo
          target={at.revision(deployment.id, id, { against: deployment.active_revision_id })}
          className="text-accent hover:underline"
          aria-label={`Compare revision ${number} with what serves`}
        >
          Compare
        </GoTo>
      )}
      {status === 'DEPLOYED' && !isServing && (
        <Button
          small
          needs="deployments:write"
          aria-label={`Roll back to revision ${number}`}
          onClick={() => setOpen('rollback')}
        >
          Roll back
        </Button>
      )}
      {!hasEnded(status) && (
        <Button
          small
          look="danger"
          needs="deployments:write"
          aria-label={`Interrupt revision ${number}`}
          onClick={() => setOpen('interrupt')}
        >
          Interrupt
        </Button>
      )}
      {open === 'rollback' && <RollbackDialog revision={revision} isOpen onClose={close} />}
      {open === 'interrupt' && <InterruptDialog revision={revision} isOpen onClose={close} />}
    </span>
  );
}
