import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { commitQuery, type Prompt, writePromptCommit } from '../../api/prompts.ts';
import { at } from '../../router/addresses.ts';
import { useGo } from '../../router/go.ts';
import { Answer } from '../../ui/answers.tsx';
import { FormDialog } from '../../ui/dialog.tsx';
import { Editor } from '../../ui/editor.tsx';
import { TextField } from '../../ui/fields.tsx';
import { PromptEntries } from '../../ui/prompt-entries.tsx';
import { say } from '../../ui/toasts.tsx';
import { readManifest, writeManifest } from '../../words/prompt-rules.ts';

interface EditCommitProps {
  readonly prompt: Prompt;
  readonly commit: string;
  readonly onClose: () => void;
}

const first = writeManifest([{ kind: 'message', role: 'user', text: '{{question}}' }], {
  format: 'mustache',
});

/** Edits what a commit says, as a new commit. */
export function EditCommit({ prompt, commit, onClose }: EditCommitProps) {
  const hasCommits = prompt.num_commits > 0;
  const found = useQuery({ ...commitQuery(prompt.repo_handle, commit), enabled: hasCommits });
  if (!hasCommits) return <Form prompt={prompt} manifest={first} onClose={onClose} />;
  return (
    <Answer of={found}>
      {({ manifest }) => <Form prompt={prompt} manifest={manifest} onClose={onClose} />}
    </Answer>
  );
}

interface FormProps extends Omit<EditCommitProps, 'commit'> {
  readonly manifest: unknown;
}

function Form({ prompt: { repo_handle, last_commit_hash }, manifest, onClose }: FormProps) {
  // What the page learns later does not change what one is writing.
  const [{ read, over, parent }] = useState(() => ({
    read: readManifest(manifest),
    over: manifest,
    parent: last_commit_hash,
  }));
  const [entries, setEntries] = useState(read?.entries ?? []);
  const [json, setJson] = useState(() => JSON.stringify(manifest, null, 2));
  const [description, setDescription] = useState('');
  const client = useQueryClient();
  const go = useGo();
  const write = async () => {
    const next =
      read === undefined
        ? (JSON.parse(json) as unknown)
        : writeManifest(entries, { format: read.format, over });
    const hash = await writePromptCommit(repo_handle, { manifest: next, parent, description });
    await client.invalidateQueries({ queryKey: ['prompt', repo_handle] });
    await client.invalidateQueries({ queryKey: ['prompts'] });
    say({ text: `${hash.slice(0, 8)} is the latest commit now.` });
    go(at.prompt(repo_handle));
  };
  return (
    <FormDialog title={`Edit ${repo_handle}`} isOpen wide onClose={onClose} submit="Commit" onSubmit={write}>
      {read === undefined ? (
        <Editor label="Manifest" value={json} onChange={setJson} height="20rem" />
      ) : (
        <PromptEntries entries={entries} onChange={setEntries} />
      )}
      <TextField
        label="What changed"
        hint="One line, as one will look for it later."
        value={description}
        onChange={({ target }) => setDescription(target.value)}
      />
    </FormDialog>
  );
}
