import { useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { traces } from '../../api/clients.ts';
import { at } from '../../router/addresses.ts';
import { useGo } from '../../router/go.ts';
import { FormDialog } from '../../ui/dialog.tsx';
import { TextArea, TextField } from '../../ui/fields.tsx';
import { say } from '../../ui/toasts.tsx';
import type { Project } from './projects-query.ts';

interface DialogProps {
  readonly onClose: () => void;
}

/** Everything that shows a project is asked anew. */
function useProjectsChanged(): () => Promise<void> {
  const client = useQueryClient();
  return async () => {
    await Promise.all(
      [['projects'], ['project'], ['places']].map((queryKey) => client.invalidateQueries({ queryKey })),
    );
  };
}

export function NewProject({ onClose }: DialogProps) {
  const [name, setName] = useState('');
  const [description, setDescription] = useState('');
  const go = useGo();
  const changed = useProjectsChanged();
  const create = async () => {
    const { id } = await traces.createSession({
      query: {},
      body: { name, description: description || null },
    });
    await changed();
    say({ text: `Project ${name} is there.` });
    go(at.project(id));
  };
  return (
    <FormDialog title="New project" isOpen onClose={onClose} submit="Create" onSubmit={create}>
      <TextField
        label="Name"
        required
        maxLength={500}
        value={name}
        onChange={({ target: { value } }) => setName(value)}
        hint="SDKs write into it by LANGSMITH_PROJECT."
      />
      <TextArea
        label="Description"
        value={description}
        onChange={({ target: { value } }) => setDescription(value)}
      />
    </FormDialog>
  );
}

interface ProjectDialogProps extends DialogProps {
  readonly project: Project;
}

export function RenameProject({ project, onClose }: ProjectDialogProps) {
  const [name, setName] = useState(project.name);
  const changed = useProjectsChanged();
  const rename = async () => {
    await traces.patchSession({ params: { session_id: project.id }, body: { name } });
    await changed();
    say({ text: `${project.name} is now called ${name}.` });
  };
  return (
    <FormDialog title={`Rename ${project.name}`} isOpen onClose={onClose} submit="Rename" onSubmit={rename}>
      <TextField
        label="Name"
        required
        maxLength={500}
        value={name}
        onChange={({ target: { value } }) => setName(value)}
        hint="Programs that write by the old name begin a new project of that name."
      />
    </FormDialog>
  );
}

export function DeleteProject({ project, onClose }: ProjectDialogProps) {
  const changed = useProjectsChanged();
  const remove = async () => {
    await traces.deleteSession({ params: { session_id: project.id } });
    await changed();
    say({ text: `${project.name} and its traces are deleted.` });
  };
  return (
    <FormDialog
      title={`Delete ${project.name}?`}
      isOpen
      onClose={onClose}
      submit="Delete the project"
      onSubmit={remove}
      danger
    >
      <p>All its traces and their feedback go with it. This can't be undone.</p>
    </FormDialog>
  );
}
