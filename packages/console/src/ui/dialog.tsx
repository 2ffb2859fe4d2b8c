import { Dialog as Base } from '@base-ui/react/dialog';
import { type FormEvent, type ReactNode, useState } from 'react';
import { Button } from './button.tsx';
import { Icon } from './icons.tsx';
import { WithinDialog } from './keys.ts';

interface DialogProps {
  readonly title: string;
  readonly isOpen: boolean;
  readonly onClose: () => void;
  readonly wide?: boolean;
  readonly children: ReactNode;
}

export const Dialog = ({ title, isOpen, onClose, wide = false, children }: DialogProps) => (
  <Base.Root open={isOpen} onOpenChange={(open) => !open && onClose()}>
    <Base.Portal>
      <Base.Backdrop className="fixed inset-0 z-40 bg-black/40" />
      <Base.Popup
        className={`fixed top-1/2 left-1/2 z-40 flex max-h-[90vh] w-[94vw] -translate-1/2 flex-col rounded-lg border border-line bg-raised shadow-xl ${wide ? 'max-w-4xl' : 'max-w-lg'}`}
      >
        <header className="flex items-center gap-2 border-b border-line px-4 py-2.5">
          <Base.Title className="min-w-0 flex-1 truncate text-base font-semibold">{title}</Base.Title>
          <Base.Close aria-label="Close" className="rounded p-1 hover:bg-sunk">
            <Icon name="close" />
          </Base.Close>
        </header>
        <div className="min-h-0 overflow-y-auto p-4">
          <WithinDialog value={true}>{children}</WithinDialog>
        </div>
      </Base.Popup>
    </Base.Portal>
  </Base.Root>
);

interface FormDialogProps extends Omit<DialogProps, 'children'> {
  readonly submit: string;
  /** Does what the form is for. What it throws is shown in the form, which stays open. */
  readonly onSubmit: () => Promise<unknown>;
  readonly danger?: boolean;
  readonly children: ReactNode;
}

/** A dialog that does one thing, and says in place why it could not. */
export function FormDialog({ submit, onSubmit, danger = false, children, ...rest }: FormDialogProps) {
  const [state, setState] = useState<{ readonly busy: boolean; readonly fault?: string }>({ busy: false });
  const run = async (event: FormEvent) => {
    event.preventDefault();
    setState({ busy: true });
    try {
      await onSubmit();
      setState({ busy: false });
      rest.onClose();
    } catch (error) {
      setState({ busy: false, fault: error instanceof Error ? error.message : String(error) });
    }
  };
  return (
    <Dialog {...rest}>
      <form onSubmit={(event) => void run(event)} className="flex flex-col gap-4">
        {children}
        {state.fault !== undefined && (
          <p role="alert" className="border-l-4 border-bad bg-bad-soft px-3 py-2 wrap-anywhere text-bad">
            {state.fault}
          </p>
        )}
        <div className="flex justify-end gap-2">
          <Button onClick={rest.onClose}>Cancel</Button>
          <Button type="submit" look={danger ? 'danger' : 'main'} disabled={state.busy}>
            {state.busy ? 'One moment …' : submit}
          </Button>
        </div>
      </form>
    </Dialog>
  );
}
