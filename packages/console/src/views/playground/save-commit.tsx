import { useQueryClient } from '@tanstack/react-query';
import { useSearch } from '@tanstack/react-router';
import { useState } from 'react';
import { traces } from '../../api/clients.ts';
import { writePromptCommit } from '../../api/prompts.ts';
import { FormDialog } from '../../ui/dialog.tsx';
import { TextField } from '../../ui/fields.tsx';
import { say } from '../../ui/toasts.tsx';
import { writeManifest } from '../../words/prompt-rules.ts';
import type { Draft, PromptSource } from './draft-rules.ts';
import type { PlaygroundSearch } from './playground-search.ts';

interface SaveCommitProps {
  readonly draft: Draft;
  readonly of: PromptSource | undefined;
  readonly onSaved: (saved: { readonly prompt: string; readonly commit: string }) => void;
  readonly onClose: () => void;
}

/** Keeps the messages: as the next commit of the prompt that they are of, or as a new prompt. */
export function SaveCommit({ draft, of, onSaved, onClose }: SaveCommitProps) {
  const search: PlaygroundSearch = useSearch({ strict: false });
  const [name, setName] = useState(of?.prompt ?? search.prompt ?? '');
  const [description, setDescription] = useState('');
  const client = useQueryClient();
  const isNext = name === (of?.prompt ?? search.prompt);
  const save = async () => {
    if (!isNext) await traces.createPrompt({ body: { repo_handle: name, is_public: false } });
    const manifest = writeManifest(draft.entries, { format: draft.format, over: of?.manifest });
    const parent = isNext ? (of?.latest ?? null) : null;
    const hash = await writePromptCommit(name, { manifest, parent, description });
    await client.invalidateQueries({ queryKey: ['prompts'] });
    await client.invalidateQueries({ queryKey: ['prompt', name] });
    const commit = hash.slice(0, 8);
    say({ text: `${name}:${commit} is saved.` });
    onSaved({ prompt: name, commit });
  };
  return (
    <FormDialog title="Save as a commit" isOpen onClose={onClose} submit="Save" onSubmit={save}>
      <TextField
        label="Prompt"
        required
        pattern="[a-z][a-z0-9_\-]*"
        hint={isNext ? 'The messages become its latest commit.' : 'A new prompt of this name is made.'}
        value={name}
        onChange={({ target }) => setName(target.value)}
      />
      <TextField
        label="What changed"
        value={description}
        onChange={({ target }) => setDescription(target.value)}
      />
    </FormDialog>
  );
}
