import { useQueryClient } from '@tanstack/react-query';
import { say } from '../../ui/toasts.tsx';

interface Change {
  /** What was done. */
  readonly said: string;
  /** The beginnings of the keys of what it changed. */
  readonly changes: readonly (readonly unknown[])[];
}

/** Says what was done, and asks anew for what it changed. */
export function useChange(): (change: Change) => Promise<void> {
  const client = useQueryClient();
  return async ({ said, changes }) => {
    say({ text: said });
    await Promise.all(changes.map((queryKey) => client.invalidateQueries({ queryKey })));
  };
}

/** Does what needs no form; what goes wrong is said. */
export function attempt(act: () => Promise<unknown>): void {
  act().catch((error: unknown) =>
    say({ kind: 'error', text: error instanceof Error ? error.message : String(error) }),
  );
}
