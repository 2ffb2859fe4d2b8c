import { useQueryClient } from '@tanstack/react-query';
import { type ReactNode, useState } from 'react';
import { control } from '../../api/clients.ts';
import type { Deployment } from '../../api/deployments.ts';
import { at } from '../../router/addresses.ts';
import { useGo } from '../../router/go.ts';
import { FormDialog } from '../../ui/dialog.tsx';
import { CheckField, TextField } from '../../ui/fields.tsx';
import { say } from '../../ui/toasts.tsx';
import { refreshDeployments, type Revision } from './deployment-queries.ts';
import { formOf, textField } from './source-rules.ts';
import { SourceDrop } from './source-drop.tsx';
import type { PackedSource } from './pack-source.ts';
import { uploadSource } from './upload.ts';

/** What is done to deployments and revisions, each asked for in a dialog of its own. */

interface ActionProps {
  readonly isOpen: boolean;
  readonly onClose: () => void;
}

interface DeploymentActionProps extends ActionProps {
  readonly deployment: Deployment;
}

interface RevisionActionProps extends ActionProps {
  readonly revision: Revision;
}

export const Said = ({ children }: { readonly children: ReactNode }) => (
  <p className="text-quiet">{children}</p>
);

/** A new revision, of a new source where one is given. */
export function RedeployDialog({ deployment, ...dialog }: DeploymentActionProps) {
  const client = useQueryClient();
  const { id, name, source, source_revision_config } = deployment;
  const form = formOf(source);
  const field = form === 'git' ? 'repo_ref' : 'image_uri';
  const present = textField(source_revision_config, field) ?? '';
  const [text, setText] = useState(present);
  const [packed, setPacked] = useState<PackedSource>();
  const submit = async () => {
    const object_path = packed && (await uploadSource(id, packed));
    const changed =
      object_path === undefined
        ? form !== 'upload' && form !== 'template' && text !== present && { [field]: text }
        : { source_tarball_path: object_path };
    const made = await control.createRevision({
      params: { deployment_id: id },
      body: changed === false ? {} : { source_revision_config: changed },
    });
    await refreshDeployments(client);
    say({ text: `Revision ${made.number} of ${name} is on its way.` });
  };
  return (
    <FormDialog {...dialog} title={`Deploy ${name} again`} submit="Deploy" onSubmit={submit}>
      <Said>
        This makes a new revision with the present configuration and environment. What serves goes on until it
        answers.
      </Said>
      {form === 'git' && (
        <TextField
          label="Branch, tag or commit"
          hint="The commit that it stands at by now is fetched."
          value={text}
          onChange={(event) => setText(event.target.value)}
        />
      )}
      {form === 'image' && (
        <TextField label="Image" value={text} onChange={(event) => setText(event.target.value)} />
      )}
      {form === 'upload' && (
        <SourceDrop
          label="A new source; without one the present is deployed again"
          packed={packed}
          onPacked={setPacked}
        />
      )}
    </FormDialog>
  );
}

export function RollbackDialog({ revision, ...dialog }: RevisionActionProps) {
  const client = useQueryClient();
  const [isForced, setForced] = useState(false);
  const { deployment_id, id: revision_id, number } = revision;
  const submit = async () => {
    const query = isForced ? { force: 'true' as const } : {};
    await control.redeployRevision({ params: { deployment_id, revision_id }, query });
    await refreshDeployments(client);
    say({ text: `A revision like revision ${number} is on its way.` });
  };
  return (
    <FormDialog {...dialog} title={`Roll back to revision ${number}`} submit="Roll back" onSubmit={submit}>
      <Said>
        This makes a new revision with the artifact, the configuration and the environment of revision{' '}
        {number}. Nothing is built. What serves goes on until it answers.
      </Said>
      <CheckField
        label="Also where its LangGraph does not read the threads of newer revisions"
        checked={isForced}
        onChange={(event) => setForced(event.target.checked)}
      />
    </FormDialog>
  );
}

export function InterruptDialog({ revision, ...dialog }: RevisionActionProps) {
  const client = useQueryClient();
  const { deployment_id, id: revision_id, number } = revision;
  const submit = async () => {
    await control.interruptRevision({ params: { deployment_id, revision_id } });
    await refreshDeployments(client);
    say({ text: `Revision ${number} is interrupted.` });
  };
  return (
    <FormDialog
      {...dialog}
      danger
      title={`Interrupt revision ${number}`}
      submit="Interrupt"
      onSubmit={submit}
    >
      <Said>It ends before it serves. What serves now goes on serving.</Said>
    </FormDialog>
  );
}

export function DeleteDialog({ deployment: { id, name }, ...dialog }: DeploymentActionProps) {
  const client = useQueryClient();
  const go = useGo();
  const [withTraces, setWithTraces] = useState(false);
  const submit = async () => {
    await control.deleteDeployment({
      params: { deployment_id: id },
      query: withTraces ? { delete_tracing_project: 'true' } : {},
    });
    go(at.deployments());
    await refreshDeployments(client);
    say({ text: `${name} is deleted; it can be restored from the bin.` });
  };
  return (
    <FormDialog {...dialog} danger title={`Delete ${name}`} submit="Delete" onSubmit={submit}>
      <Said>
        It stops, and its address answers no longer. Its record and its database rest in the bin, from which
        it can be restored until their time is over.
      </Said>
      <CheckField
        label="Delete its traces, too"
        hint="Traces are not in the bin: they are gone."
        checked={withTraces}
        onChange={(event) => setWithTraces(event.target.checked)}
      />
    </FormDialog>
  );
}
