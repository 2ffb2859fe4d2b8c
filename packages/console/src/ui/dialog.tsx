import { Dialog as Base } from '@base-ui/react/dialog';
import { Popover } from '@base-ui/react/popover';
import { type FormEvent, type KeyboardEvent, type ReactNode, useEffect, useRef, useState } from 'react';
import { Button } from './button.tsx';
import { Icon } from './icons.tsx';
import { isPressed } from './keys-rules.ts';
import { WithinDialog } from './keys.ts';

interface DialogProps {
  readonly title: string;
  readonly isOpen: boolean;
  readonly onClose: () => void;
  readonly wide?: boolean;
  readonly children: ReactNode;
}

export const Dialog = ({ isOpen, onClose, ...frame }: DialogProps) => (
  <Base.Root open={isOpen} onOpenChange={(open) => !open && onClose()}>
    <DialogFrame {...frame} />
  </Base.Root>
);

const DialogFrame = ({ title, wide = false, children }: Omit<DialogProps, 'isOpen' | 'onClose'>) => (
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
);

interface FormProps {
  readonly submit: string;
  /** Does what the form is for. What it throws is shown in the form, which stays open. */
  readonly onSubmit: () => Promise<unknown>;
  readonly onClose: () => void;
  readonly danger?: boolean;
  readonly children: ReactNode;
}

/** A form that does one thing, closes once it is done, and says in place why it could not. */
function Form({ submit, onSubmit, onClose, onInput, danger = false, children }: FormProps & FormListener) {
  const [state, setState] = useState<{ readonly busy: boolean; readonly fault?: string }>({ busy: false });
  const isRunning = useRef(false);
  const run = async (event: FormEvent) => {
    event.preventDefault();
    // A key sends a form also while its button is disabled.
    if (isRunning.current) return;
    isRunning.current = true;
    setState({ busy: true });
    try {
      await onSubmit();
      setState({ busy: false });
      onClose();
    } catch (error) {
      setState({ busy: false, fault: error instanceof Error ? error.message : String(error) });
    } finally {
      isRunning.current = false;
    }
  };
  // Before an editor within takes the key for a line of its own.
  const submitByKey = (event: KeyboardEvent<HTMLFormElement>) => {
    if (!isPressed('mod+enter', event.nativeEvent)) return;
    event.preventDefault();
    event.stopPropagation();
    event.currentTarget.requestSubmit();
  };
  return (
    <form
      onSubmit={(event) => void run(event)}
      onInput={onInput}
      onKeyDownCapture={submitByKey}
      className="flex flex-col gap-4"
    >
      {children}
      {state.fault !== undefined && (
        <p role="alert" className="border-l-4 border-bad bg-bad-soft px-3 py-2 wrap-anywhere text-bad">
          {state.fault}
        </p>
      )}
      <div className="flex justify-end gap-2">
        <Button onClick={onClose}>Cancel</Button>
        <Button type="submit" look={danger ? 'danger' : 'main'} disabled={state.busy}>
          {state.busy ? 'One moment …' : submit}
        </Button>
      </div>
    </form>
  );
}

interface FormListener {
  readonly onInput: () => void;
}

/** What closes a form by accident as easily as on purpose. */
const ACCIDENTS: readonly string[] = ['outside-press', 'focus-out', 'escape-key'];

/** Keeps a form open in which something is written, until one presses a button of it. */
function useKeptForm({ isOpen, onClose }: Pick<DialogProps, 'isOpen' | 'onClose'>) {
  const isWritten = useRef(false);
  useEffect(() => {
    isWritten.current = false;
  }, [isOpen]);
  return {
    onInput: () => {
      isWritten.current = true;
    },
    onOpenChange: (open: boolean, { reason }: { readonly reason: string }) => {
      if (!open && !(isWritten.current && ACCIDENTS.includes(reason))) onClose();
    },
  };
}

type FormDialogProps = FormProps & Omit<DialogProps, 'children'>;

export function FormDialog({ title, isOpen, wide = false, ...form }: FormDialogProps) {
  const { onInput, onOpenChange } = useKeptForm({ isOpen, onClose: form.onClose });
  return (
    <Base.Root open={isOpen} onOpenChange={onOpenChange}>
      <DialogFrame title={title} wide={wide}>
        <Form {...form} onInput={onInput} />
      </DialogFrame>
    </Base.Root>
  );
}

interface FormPopoverProps extends FormProps {
  readonly title: string;
  /** What it opens beside. */
  readonly anchor: Element;
}

/** A form beside what it changes. */
export function FormPopover({ title, anchor, ...form }: FormPopoverProps) {
  const { onInput, onOpenChange } = useKeptForm({ isOpen: true, onClose: form.onClose });
  return (
    <Popover.Root open onOpenChange={onOpenChange}>
      <Popover.Portal>
        <Popover.Positioner anchor={anchor} side="bottom" align="start" collisionPadding={8} className="z-40">
          <Popover.Popup className="w-lg max-w-[94vw] rounded-lg border border-line bg-raised p-4 shadow-xl outline-none">
            <Popover.Title className="mb-3 font-semibold">{title}</Popover.Title>
            <WithinDialog value={true}>
              <Form {...form} onInput={onInput} />
            </WithinDialog>
          </Popover.Popup>
        </Popover.Positioner>
      </Popover.Portal>
    </Popover.Root>
  );
}
