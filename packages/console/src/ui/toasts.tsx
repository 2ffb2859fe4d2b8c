import { useSyncExternalStore } from 'react';
import { Icon } from './icons.tsx';
import { classes } from './classes.ts';

/** Sentences about what was done, which go away by themselves; errors stay until they are closed. */
interface Toast {
  readonly id: number;
  readonly kind: 'done' | 'error';
  readonly text: string;
}

const SHOWN_MS = 5000;
let toasts: readonly Toast[] = [];
let last_id = 0;
const listeners = new Set<() => void>();

function change(next: readonly Toast[]): void {
  toasts = next;
  for (const listener of listeners) listener();
}

const close = (id: number) => change(toasts.filter((toast) => toast.id !== id));

export function say({ kind = 'done', text }: { readonly kind?: Toast['kind']; readonly text: string }): void {
  last_id += 1;
  const id = last_id;
  change([...toasts.slice(-3), { id, kind, text }]);
  if (kind === 'done') setTimeout(() => close(id), SHOWN_MS);
}

const subscribe = (listener: () => void) => {
  listeners.add(listener);
  return () => listeners.delete(listener);
};

export function Toasts() {
  const shown = useSyncExternalStore(subscribe, () => toasts);
  return (
    <div
      role="status"
      aria-live="polite"
      className="fixed right-4 bottom-4 z-50 flex w-80 max-w-[90vw] flex-col gap-2"
    >
      {shown.map(({ id, kind, text }) => (
        <div
          key={id}
          className={classes(
            'flex items-start gap-2 rounded-md border bg-raised p-3 shadow-lg',
            kind === 'error' ? 'border-bad text-bad' : 'border-line',
          )}
        >
          <p className="min-w-0 flex-1 wrap-anywhere">{text}</p>
          <button type="button" aria-label="Close the message" onClick={() => close(id)}>
            <Icon name="close" />
          </button>
        </div>
      ))}
    </div>
  );
}
