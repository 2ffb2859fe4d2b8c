import { queryOptions, useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { callerQuery } from '../../../api/caller.ts';
import { people, traces } from '../../../api/clients.ts';
import { Answer } from '../../../ui/answers.tsx';
import { Button } from '../../../ui/button.tsx';
import { CopyButton } from '../../../ui/copy.tsx';
import { FormDialog } from '../../../ui/dialog.tsx';
import { TextField } from '../../../ui/fields.tsx';
import { Card, Facts, Page } from '../../../ui/page.tsx';
import { wholeInstant } from '../../../words/time-rules.ts';
import { useChange } from '../use-change.ts';
import { WorkspaceSecrets } from './workspace-secrets.tsx';

type Settings = Awaited<ReturnType<typeof traces.readWorkspaceSettings>>;

const settingsQuery = queryOptions({
  queryKey: ['workspace', 'settings'],
  queryFn: ({ signal }) => traces.readWorkspaceSettings({ signal }),
});

const statsQuery = queryOptions({
  queryKey: ['workspace', 'stats'],
  queryFn: ({ signal }) => traces.readWorkspaceStats({ signal }),
});

/** The workspace: its name, its handle, what it holds, its secrets. */
export function WorkspacePage() {
  const settings = useQuery(settingsQuery);
  const stats = useQuery(statsQuery);
  return (
    <Page title="Workspace">
      <div className="grid items-start gap-4 xl:grid-cols-2">
        <Answer of={settings}>{(found) => <Names settings={found} />}</Answer>
        <Card title="What it holds">
          <Answer of={stats}>
            {(found) => (
              <Facts
                facts={[
                  ['Deployments', found.deployment_count],
                  ['Projects', found.tracer_session_count],
                  ['Datasets', found.dataset_count],
                  ['Prompts', found.repo_count],
                  ['Annotation queues', found.annotation_queue_count],
                ]}
              />
            )}
          </Answer>
        </Card>
        <WorkspaceSecrets />
      </div>
    </Page>
  );
}

function Names({ settings }: { readonly settings: Settings }) {
  const { data: caller } = useQuery(callerQuery);
  const [changed, setChanged] = useState<'name' | 'handle'>();
  const close = () => setChanged(undefined);
  const name = caller?.workspace?.name ?? settings.display_name;
  return (
    <Card title="Name">
      <div className="flex flex-col gap-4">
        <Facts
          facts={[
            ['Name', name],
            ['Handle', settings.tenant_handle ?? 'none'],
            [
              'Id',
              <span key="id" className="flex items-center gap-1">
                <code className="text-xs">{settings.id}</code>
                <CopyButton text={settings.id} label="Copy the id" />
              </span>,
            ],
            ['Made', wholeInstant(settings.created_at)],
          ]}
        />
        <div className="flex flex-wrap gap-2">
          <Button needs="workspaces:admin" onClick={() => setChanged('name')}>
            Rename
          </Button>
          <Button needs="workspaces:admin" onClick={() => setChanged('handle')}>
            Change the handle
          </Button>
        </div>
      </div>
      {changed === 'name' && <Rename id={settings.id} name={name} onClose={close} />}
      {changed === 'handle' && <ChangeHandle handle={settings.tenant_handle ?? ''} onClose={close} />}
    </Card>
  );
}

interface RenameProps {
  readonly id: string;
  readonly name: string;
  readonly onClose: () => void;
}

function Rename({ id, name: earlier, onClose }: RenameProps) {
  const [name, setName] = useState(earlier);
  const change = useChange();
  return (
    <FormDialog
      title="Rename the workspace"
      isOpen
      submit="Rename"
      onClose={onClose}
      onSubmit={async () => {
        await people.patchWorkspace({ params: { workspace_id: id }, body: { name } });
        await change({
          said: `The workspace is called ${name}.`,
          changes: [['workspace'], ['caller'], ['workspaces of the session']],
        });
      }}
    >
      <TextField
        label="Name"
        required
        maxLength={200}
        value={name}
        onChange={({ target }) => setName(target.value)}
      />
    </FormDialog>
  );
}

function ChangeHandle({
  handle: earlier,
  onClose,
}: {
  readonly handle: string;
  readonly onClose: () => void;
}) {
  const [handle, setHandle] = useState(earlier);
  const change = useChange();
  return (
    <FormDialog
      title="Change the handle"
      isOpen
      submit="Change"
      onClose={onClose}
      onSubmit={async () => {
        await traces.setWorkspaceHandle({ body: { tenant_handle: handle } });
        await change({ said: `The handle is ${handle}.`, changes: [['workspace']] });
      }}
    >
      <TextField
        label="Handle"
        required
        maxLength={100}
        value={handle}
        hint="Public prompts are found under it. It begins with a small letter, and has letters, digits, - and _."
        onChange={({ target }) => setHandle(target.value)}
      />
    </FormDialog>
  );
}
