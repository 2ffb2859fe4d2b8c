import { useBlocker } from '@tanstack/react-router';
import { useRef, useState } from 'react';
import { FormDialog } from '../../ui/dialog.tsx';
import { differs, leavesExample } from './example-rules.ts';

type Draft = ReturnType<typeof useDraft>;

/** Texts that are being edited. What comes anew from the server shows only where nothing is written that is not saved. */
export function useDraft<T extends Readonly<Record<string, string>>>(stored: T) {
  const [now, setNow] = useState({ stored, saved: stored, texts: stored });
  const isDirty = differs(now.texts, now.saved);
  // Holds also for who leaves at once after saving, before anything is shown anew.
  const mayGo = useRef(false);
  if (differs(stored, now.stored))
    setNow(isDirty ? { ...now, stored } : { stored, saved: stored, texts: stored });
  return {
    texts: now.texts,
    write: (some: Partial<T>) => {
      mayGo.current = false;
      setNow((before) => ({ ...before, texts: { ...before.texts, ...some } }));
    },
    /** Takes what is written as saved. */
    keep: () => {
      mayGo.current = true;
      setNow((before) => ({ ...before, saved: now.texts }));
    },
    asksFirst: () => isDirty && !mayGo.current,
  };
}

/** Asks before what was written is lost, however one leaves: by a key, a link, or another example. */
export function LeaveDialog({ draft }: { readonly draft: Pick<Draft, 'asksFirst'> }) {
  const blocker = useBlocker({
    shouldBlockFn: ({ current, next }) => draft.asksFirst() && leavesExample(current, next),
    enableBeforeUnload: draft.asksFirst,
    withResolver: true,
  });
  if (blocker.status !== 'blocked') return null;
  return (
    <FormDialog
      title="Discard what you wrote?"
      submit="Discard"
      danger
      isOpen
      onClose={blocker.reset}
      onSubmit={async () => blocker.proceed()}
    >
      <p>The example has changes that are not saved.</p>
    </FormDialog>
  );
}
