import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { traces } from '../../api/clients.ts';
import { projectChoices } from '../../api/choices.ts';
import { ChoiceField } from '../../choices/choice-field.tsx';
import { Answer } from '../../ui/answers.tsx';
import { Dialog, FormDialog } from '../../ui/dialog.tsx';
import { say } from '../../ui/toasts.tsx';
import { QueueForm } from './queue-form.tsx';
import { queueQuery } from './queue-queries.ts';
import { Reviewers } from './reviewers.tsx';

export type QueueDialog =
  | { readonly kind: 'create' }
  | { readonly kind: 'change' | 'reviewers'; readonly id: string }
  | { readonly kind: 'fill' | 'delete'; readonly id: string; readonly name: string };

interface QueueDialogsProps {
  readonly dialog: QueueDialog;
  readonly onClose: () => void;
  /** What follows once the queue is deleted. */
  readonly onDeleted?: () => void;
}

/** The dialog that is open. */
export function QueueDialogs({ dialog, onClose, onDeleted }: QueueDialogsProps) {
  switch (dialog.kind) {
    case 'create':
      return <QueueForm queue={undefined} onClose={onClose} />;
    case 'change':
      return <ChangeDialog id={dialog.id} onClose={onClose} />;
    case 'reviewers':
      return <ReviewersDialog id={dialog.id} onClose={onClose} />;
    case 'fill':
      return <FillDialog id={dialog.id} name={dialog.name} onClose={onClose} />;
    case 'delete':
      return <DeleteDialog id={dialog.id} name={dialog.name} onClose={onClose} onDeleted={onDeleted} />;
  }
}

interface OfQueue {
  readonly id: string;
  readonly onClose: () => void;
}

/** The rubric comes only with the queue itself, so it is read before it is changed. */
function ChangeDialog({ id, onClose }: OfQueue) {
  const queue = useQuery({ ...queueQuery(id), gcTime: 0 });
  if (queue.data === undefined || queue.isFetching) return null;
  return <QueueForm queue={queue.data} onClose={onClose} />;
}

function ReviewersDialog({ id, onClose }: OfQueue) {
  const queue = useQuery(queueQuery(id));
  return (
    <Dialog title="Reviewers" isOpen onClose={onClose}>
      <Answer of={queue}>{(found) => <Reviewers queue={found} />}</Answer>
    </Dialog>
  );
}

interface OfNamedQueue extends OfQueue {
  readonly name: string;
}

/** Puts the newest runs of a project into a queue. */
function FillDialog({ id, name, onClose }: OfNamedQueue) {
  const [project, setProject] = useState('');
  const client = useQueryClient();
  const fill = async () => {
    await traces.populateAnnotationQueue({ body: { queue_id: id, session_ids: [project] } });
    await client.invalidateQueries({ queryKey: ['queues'] });
    say({ text: `Put the runs into ${name}.` });
  };
  return (
    <FormDialog title={`Fill ${name}`} submit="Put them in" isOpen onClose={onClose} onSubmit={fill}>
      <ChoiceField
        of={projectChoices}
        label="Project"
        hint="The newest 1,000 of its root runs; those that are in the queue stay where they are."
        required
        before={[['', 'Choose a project']]}
        value={project}
        onChange={setProject}
      />
    </FormDialog>
  );
}

interface DeleteDialogProps extends OfNamedQueue {
  readonly onDeleted: (() => void) | undefined;
}

function DeleteDialog({ id, name, onClose, onDeleted }: DeleteDialogProps) {
  const client = useQueryClient();
  const remove = async () => {
    await traces.deleteAnnotationQueue({ params: { queue_id: id } });
    say({ text: `Deleted the queue ${name}.` });
    onDeleted?.();
    await client.invalidateQueries({ queryKey: ['queues', 'list'] });
  };
  return (
    <FormDialog title={`Delete ${name}?`} submit="Delete" danger isOpen onClose={onClose} onSubmit={remove}>
      <p>The queue goes with what waits in it. Runs and their feedback stay.</p>
    </FormDialog>
  );
}
