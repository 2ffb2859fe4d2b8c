import type { Revision } from './deployment-queries.ts';
import { hasEnded } from './phase-rules.ts';
import { plainText } from './ansi-rules.ts';

/** Why a revision waits or failed: the sentence, what to do next, and the end of its log. */
export function RevisionReason({
  revision: { status, status_reason },
}: {
  readonly revision: Pick<Revision, 'status' | 'status_reason'>;
}) {
  if (status_reason === null) return null;
  const { phase, message, hint, log_tail } = status_reason;
  const isFailure = status.endsWith('_FAILED');
  const verb = isFailure ? 'Failed in' : hasEnded(status) ? 'Ended in' : 'Waits in';
  return (
    <div className={`border-l-4 px-3 py-1.5 ${isFailure ? 'border-bad bg-bad-soft' : 'border-line bg-sunk'}`}>
      <p className={`wrap-anywhere ${isFailure ? 'text-bad' : ''}`}>
        <span className="font-medium">
          {verb} {phase}:
        </span>{' '}
        {message}
      </p>
      {hint !== null && hint !== undefined && <p className="wrap-anywhere text-quiet">{hint}</p>}
      {log_tail !== null && log_tail !== undefined && log_tail.length > 0 && (
        <pre
          tabIndex={0}
          aria-label="End of the log"
          className="mt-1.5 max-h-48 overflow-auto font-mono text-xs whitespace-pre-wrap"
        >
          {log_tail.map(plainText).join('\n')}
        </pre>
      )}
    </div>
  );
}
