import { useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { traces } from '../../api/clients.ts';
import { inWorkspace, type PromptCommit, type PromptTag } from '../../api/prompts.ts';
import { at } from '../../router/addresses.ts';
import { useGo } from '../../router/go.ts';
import { FormDialog } from '../../ui/dialog.tsx';
import { TextField } from '../../ui/fields.tsx';
import { say } from '../../ui/toasts.tsx';

interface TagCommitProps {
  readonly prompt: string;
  readonly commit: PromptCommit;
  readonly tags: readonly PromptTag[];
  readonly onClose: () => void;
}

/** Names a commit; a tag of another commit moves here. */
export function TagCommit({ prompt, commit, tags, onClose }: TagCommitProps) {
  const [name, setName] = useState('');
  const client = useQueryClient();
  const short = commit.commit_hash.slice(0, 8);
  const moved = tags.find(({ tag_name, commit_id }) => tag_name === name && commit_id !== commit.id);
  const from = moved?.commit_hash.slice(0, 8);
  return (
    <FormDialog
      title={`Set a tag on ${short}`}
      isOpen
      onClose={onClose}
      submit={moved === undefined ? 'Set the tag' : 'Move the tag'}
      onSubmit={async () => {
        await traces.createPromptTag({
          params: inWorkspace(prompt),
          body: { tag_name: name, commit_id: commit.id },
        });
        void client.invalidateQueries({ queryKey: ['prompt', prompt] });
        void client.invalidateQueries({ queryKey: ['prompts'] });
        say({ text: `${name} is ${short} now.` });
      }}
    >
      <TextField
        label="Tag"
        required
        list="tags-of-prompt"
        value={name}
        onChange={({ target }) => setName(target.value)}
        hint={
          from === undefined
            ? 'Programs pull a commit by its tag, such as production.'
            : `It moves here from ${from}: programs that pull it get this commit.`
        }
      />
      <datalist id="tags-of-prompt">
        {tags.map(({ id, tag_name }) => (
          <option key={id} value={tag_name}>
            {tag_name}
          </option>
        ))}
      </datalist>
    </FormDialog>
  );
}

interface RemoveTagProps {
  readonly prompt: string;
  readonly tag: PromptTag;
  readonly onClose: () => void;
}

export function RemoveTag({ prompt, tag: { tag_name, commit_hash }, onClose }: RemoveTagProps) {
  const client = useQueryClient();
  const go = useGo();
  return (
    <FormDialog
      title={`Remove the tag ${tag_name}`}
      isOpen
      onClose={onClose}
      submit="Remove the tag"
      danger
      onSubmit={async () => {
        await traces.deletePromptTag({ params: { ...inWorkspace(prompt), tag_name } });
        void client.invalidateQueries({ queryKey: ['prompt', prompt] });
        void client.invalidateQueries({ queryKey: ['prompts'] });
        say({ text: `The tag ${tag_name} is removed.` });
        go(at.prompt(prompt, { commit: commit_hash.slice(0, 8) }), { replace: true });
      }}
    >
      <p>
        Programs that pull {prompt}:{tag_name} will fail. The commit {commit_hash.slice(0, 8)} stays.
      </p>
    </FormDialog>
  );
}
