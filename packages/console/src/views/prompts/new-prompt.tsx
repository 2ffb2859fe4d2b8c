import { useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { traces } from '../../api/clients.ts';
import { writePromptCommit } from '../../api/prompts.ts';
import { at } from '../../router/addresses.ts';
import { useGo } from '../../router/go.ts';
import { FormDialog } from '../../ui/dialog.tsx';
import { CheckField, TextArea, TextField } from '../../ui/fields.tsx';
import { say } from '../../ui/toasts.tsx';
import { type PromptEntry, writeManifest } from '../../words/prompt-rules.ts';

interface NewPromptProps {
  readonly isOpen: boolean;
  readonly onClose: () => void;
}

const blank = { name: '', description: '', system: '', user: '{{question}}', is_public: false };

/** Makes a prompt with its first commit. */
export function NewPrompt({ isOpen, onClose }: NewPromptProps) {
  const [form, setForm] = useState(blank);
  const client = useQueryClient();
  const go = useGo();
  const create = async () => {
    const { name, description, system, user, is_public } = form;
    await traces.createPrompt({ body: { repo_handle: name, description, is_public } });
    await client.invalidateQueries({ queryKey: ['prompts'] });
    const entries: PromptEntry[] = [
      ...(system === '' ? [] : [{ kind: 'message', role: 'system', text: system } as const]),
      { kind: 'message', role: 'user', text: user },
    ];
    const manifest = writeManifest(entries, { format: 'mustache' });
    await writePromptCommit(name, { manifest, parent: null, description: '' });
    setForm(blank);
    say({ text: `${name} is made.` });
    go(at.prompt(name));
  };
  return (
    <FormDialog
      title="New prompt"
      isOpen={isOpen}
      onClose={onClose}
      submit="Make the prompt"
      onSubmit={create}
    >
      <TextField
        label="Name"
        required
        pattern="[a-z][a-z0-9_\-]*"
        hint="Lowercase letters, digits, hyphens and underscores."
        value={form.name}
        onChange={({ target }) => setForm({ ...form, name: target.value })}
      />
      <TextField
        label="Description"
        value={form.description}
        onChange={({ target }) => setForm({ ...form, description: target.value })}
      />
      <TextArea
        label="System message"
        value={form.system}
        onChange={({ target }) => setForm({ ...form, system: target.value })}
      />
      <TextArea
        label="User message"
        hint="A name in double braces, as {{question}}, is a variable."
        value={form.user}
        onChange={({ target }) => setForm({ ...form, user: target.value })}
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
