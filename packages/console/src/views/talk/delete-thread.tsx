import { threadChanged, threadTitle, type ThreadRow } from '../../api/agent-threads.ts';
import { agentAt } from '../../api/clients.ts';
import { FormDialog } from '../../ui/dialog.tsx';
import { say } from '../../ui/toasts.tsx';

interface DeleteThreadProps {
  readonly slug: string;
  readonly thread: ThreadRow;
  readonly onClose: () => void;
  readonly onDone?: () => void;
}

export const DeleteThread = ({ slug, thread, onClose, onDone }: DeleteThreadProps) => (
  <FormDialog
    title="Delete the thread"
    submit="Delete"
    danger
    isOpen
    onClose={onClose}
    onSubmit={async () => {
      await agentAt(slug).deleteThread({ params: { thread_id: thread.thread_id ?? '' } });
      onDone?.();
      say({ text: 'The thread is deleted.' });
      await threadChanged(slug);
    }}
  >
    <p className="wrap-anywhere">
      “{threadTitle(thread)}” goes with its state, its history and its runs. What runs is cancelled.
    </p>
  </FormDialog>
);
