import { useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { traces } from '../../api/clients.ts';
import { inWorkspace, type Prompt } from '../../api/prompts.ts';
import { FormDialog } from '../../ui/dialog.tsx';
import { CheckField, TextArea, TextField } from '../../ui/fields.tsx';
import { say } from '../../ui/toasts.tsx';

interface EditDetailsProps {
  readonly prompt: Prompt;
  readonly onClose: () => void;
}

export function EditDetails({ prompt, onClose }: EditDetailsProps) {
  const { repo_handle } = prompt;
  const [form, setForm] = useState({
    description: prompt.description ?? '',
    readme: prompt.readme ?? '',
    is_public: prompt.is_public,
  });
  const client = useQueryClient();
  return (
    <FormDialog
      title={`Details of ${repo_handle}`}
      isOpen
      wide
      onClose={onClose}
      submit="Save"
      onSubmit={async () => {
        await traces.patchPrompt({ params: inWorkspace(repo_handle), body: form });
        await client.invalidateQueries({ queryKey: ['prompt', repo_handle] });
        await client.invalidateQueries({ queryKey: ['prompts'] });
        say({ text: 'The details are saved.' });
      }}
    >
      <TextField
        label="Description"
        value={form.description}
        onChange={({ target }) => setForm({ ...form, description: target.value })}
      />
      <TextArea
        label="README"
        hint="Markdown."
        rows={10}
        value={form.readme}
        onChange={({ target }) => setForm({ ...form, readme: target.value })}
      />
      <CheckField
        label="Public"
        hint="Every workspace of this platform can read it."
        checked={form.is_public}
        onChange={({ target }) => setForm({ ...form, is_public: target.checked })}
      />
    </FormDialog>
  );
}
