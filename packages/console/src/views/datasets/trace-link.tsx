import { at } from '../../router/addresses.ts';
import { GoTo } from '../../ui/link.tsx';

interface TraceLinkProps {
  readonly run:
    | {
        readonly id: string;
        readonly session_id?: string | undefined;
        readonly trace_id?: string | undefined;
      }
    | undefined;
  /** Which of several traces it is, for those who don't see where it stands. */
  readonly label?: string;
}

/** Leads to what a run did. */
export function TraceLink({ run, label }: TraceLinkProps) {
  if (run?.session_id === undefined || run.trace_id === undefined) return null;
  return (
    <GoTo target={at.trace(run.session_id, run.trace_id, { run: run.id })} aria-label={label}>
      Trace
    </GoTo>
  );
}
