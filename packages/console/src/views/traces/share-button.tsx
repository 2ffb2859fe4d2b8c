import { useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { traces } from '../../api/clients.ts';
import { Button } from '../../ui/button.tsx';
import { Snippet } from '../../ui/copy.tsx';
import { FormDialog } from '../../ui/dialog.tsx';
import { Icon } from '../../ui/icons.tsx';
import { say } from '../../ui/toasts.tsx';
import type { RunFacts, TraceSource } from './trace-source.ts';

interface ShareButtonProps {
  readonly source: TraceSource;
  /** Those of the root run. */
  readonly facts: RunFacts;
}

/** Shares a trace by a link, or stops it. */
export function ShareButton({ source, facts }: ShareButtonProps) {
  const client = useQueryClient();
  const [isOpen, setOpen] = useState(false);
  const { id: run_id = '', project_id, share_url } = facts;
  const isShared = share_url != null;
  const change = async () => {
    const params = { run_id };
    if (isShared) await traces.unshareRunV2({ params });
    else await traces.shareRunV2({ params, body: { session_id: project_id ?? null } });
    await client.invalidateQueries({ queryKey: [...source.key, 'facts'] });
    say({
      text: isShared ? 'The link leads nowhere now.' : 'The trace is shared. Its link is behind Shared.',
    });
  };
  return (
    <>
      <Button needs="traces:admin" onClick={() => setOpen(true)}>
        <Icon name="link" /> {isShared ? 'Shared' : 'Share'}
      </Button>
      <FormDialog
        title="Share this trace"
        isOpen={isOpen}
        onClose={() => setOpen(false)}
        submit={isShared ? 'Stop sharing' : 'Share by link'}
        danger={isShared}
        onSubmit={change}
      >
        {isShared ? (
          <>
            <p>Whoever has this link reads the whole trace, without signing in.</p>
            <Snippet label="Link of the trace" text={share_url} />
          </>
        ) : (
          <p>
            Whoever gets the link will read all runs of the trace, their inputs and outputs, without signing
            in.
          </p>
        )}
      </FormDialog>
    </>
  );
}
