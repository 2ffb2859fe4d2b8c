import { useInfiniteQuery } from '@tanstack/react-query';
import { useParams } from '@tanstack/react-router';
import { type ComponentProps, useEffect, useRef } from 'react';
import type { Deployment } from '../../api/deployments.ts';
import { at } from '../../router/addresses.ts';
import { Answer, Empty } from '../../ui/answers.tsx';
import { CopyButton } from '../../ui/copy.tsx';
import { GoTo } from '../../ui/link.tsx';
import { NextPageButton } from '../../ui/next-page.tsx';
import { Card, Facts } from '../../ui/page.tsx';
import { Ago } from '../../ui/time.tsx';
import { DeploymentFrame } from './deployment-frame.tsx';
import { revisionsQuery } from './deployment-queries.ts';
import { RevisionItem } from './revision-item.tsx';
import { sourceDetail, sourceWord } from './source-rules.ts';

/** A deployment: what it is, and its revisions along time. */
export function DeploymentPage() {
  const { deployment: id = '' }: { readonly deployment?: string } = useParams({ strict: false });
  return (
    <DeploymentFrame id={id}>
      {(deployment) => (
        <div className="grid items-start gap-4 xl:grid-cols-[minmax(0,1fr)_22rem]">
          <div className="flex min-w-0 flex-col gap-4">
            <Trouble deployment={deployment} />
            <Timeline deployment={deployment} />
          </div>
          <Card title="About">
            <About deployment={deployment} />
          </Card>
        </div>
      )}
    </DeploymentFrame>
  );
}

/** What is wrong with what serves, and what of it has no effect. */
function Trouble({ deployment: { status_reason, notes } }: { readonly deployment: Deployment }) {
  if (status_reason === null && notes.length === 0) return null;
  return (
    <section aria-label="Trouble" className="rounded-lg border border-line bg-card p-4">
      {status_reason !== null && (
        <p role="alert" className="wrap-anywhere text-bad">
          <span className="font-medium">In trouble:</span> {status_reason.message}{' '}
          <span className="text-ink">{status_reason.hint}</span>
        </p>
      )}
      {notes.map((note) => (
        <p key={note} className="wrap-anywhere text-quiet">
          {note}
        </p>
      ))}
    </section>
  );
}

const About = ({ deployment }: { readonly deployment: Deployment }) => {
  const { id, name, url, created_at, updated_at, image_version, secrets } = deployment;
  return (
    <Facts
      facts={[
        ['Name', name],
        ['Address', <CopiedText key="address" text={url} label="Copy the address" />],
        ['Source', [sourceWord(deployment.source), sourceDetail(deployment)].filter(Boolean).join(' · ')],
        [
          'Variables',
          <GoTo key="variables" target={at.deploymentPart(id, 'environment')}>
            {secrets.length}
          </GoTo>,
        ],
        ['Agent server', image_version ?? 'none yet'],
        ['Made', <Ago key="made" at={created_at} />],
        ['Changed', <Ago key="changed" at={updated_at} />],
        ['Id', <CopiedText key="id" text={id} label="Copy the id" />],
      ]}
    />
  );
};

interface CopiedTextProps {
  readonly text: string | null;
  readonly label: string;
}

const CopiedText = ({ text, label }: CopiedTextProps) =>
  text === null ? (
    <span className="text-quiet">none yet</span>
  ) : (
    <>
      <span className="font-mono text-xs">{text}</span> <CopyButton text={text} label={label} />
    </>
  );

function Timeline({ deployment }: { readonly deployment: Deployment }) {
  const revisions = useInfiniteQuery(revisionsQuery(deployment.id));
  return (
    <Card title="Revisions">
      <Answer of={revisions}>
        {({ pages }) => {
          const all = pages.flat();
          if (all.length === 0) return <Empty title="No revision yet" />;
          const numbers = new Map(all.map(({ id, number }) => [id, number]));
          return (
            <>
              <ol aria-label="Revisions">
                {all.map((revision) => (
                  <RevisionItem
                    key={revision.id}
                    revision={revision}
                    deployment={deployment}
                    origin={numbers.get(revision.rollback_of ?? '')}
                  />
                ))}
              </ol>
              {revisions.hasNextPage && <OlderRevisions of={revisions} />}
            </>
          );
        }}
      </Answer>
    </Card>
  );
}

/** Asks for older ones as soon as it comes in sight; once that failed, only where somebody presses it. */
function OlderRevisions({ of: revisions }: Pick<ComponentProps<typeof NextPageButton>, 'of'>) {
  const place = useRef<HTMLDivElement>(null);
  const latest = useRef(revisions);
  latest.current = revisions;
  useEffect(() => {
    const observer = new IntersectionObserver(([entry]) => {
      const { isFetchNextPageError, fetchNextPage } = latest.current;
      if (entry?.isIntersecting === true && !isFetchNextPageError) void fetchNextPage();
    });
    if (place.current !== null) observer.observe(place.current);
    return () => observer.disconnect();
  }, []);
  return (
    <div ref={place} className="flex justify-center">
      <NextPageButton of={revisions}>Older revisions</NextPageButton>
    </div>
  );
}
