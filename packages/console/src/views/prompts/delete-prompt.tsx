import { useQueryClient } from '@tanstack/react-query';
import { traces } from '../../api/clients.ts';
import { inWorkspace, type Prompt } from '../../api/prompts.ts';
import { FormDialog } from '../../ui/dialog.tsx';
import { say } from '../../ui/toasts.tsx';

interface DeletePromptProps {
  readonly prompt: Prompt | undefined;
  readonly onClose: () => void;
  readonly onDone?: () => void;
}

export function DeletePrompt({ prompt, onClose, onDone }: DeletePromptProps) {
  const client = useQueryClient();
  const name = prompt?.repo_handle ?? '';
  return (
    <FormDialog
      title={`Delete ${name}`}
      isOpen={prompt !== undefined}
      onClose={onClose}
      submit="Delete the prompt"
      danger
      onSubmit={async () => {
        await traces.deletePrompt({ params: inWorkspace(name) });
        onDone?.();
        client.removeQueries({ queryKey: ['prompt', name] });
        await client.invalidateQueries({ queryKey: ['prompts'] });
        say({ text: `${name} is deleted.` });
      }}
    >
      <p>
        The prompt goes with its {prompt?.num_commits ?? 0} commits. Programs that pull it will fail. This
        can’t be undone.
      </p>
    </FormDialog>
  );
}
