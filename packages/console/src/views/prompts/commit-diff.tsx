import { useQuery } from '@tanstack/react-query';
import { diffLines } from 'diff';
import { commitQuery } from '../../api/prompts.ts';
import { at } from '../../router/addresses.ts';
import { Answer } from '../../ui/answers.tsx';
import { classes } from '../../ui/classes.ts';
import { GoTo } from '../../ui/link.tsx';
import { Card } from '../../ui/page.tsx';
import { linesOf } from '../../words/prompt-rules.ts';

interface CommitDiffProps {
  readonly prompt: string;
  readonly commit: string;
  readonly against: string;
}

/** What a commit says that another does not. */
export function CommitDiff({ prompt, commit, against }: CommitDiffProps) {
  const [next, before] = [useQuery(commitQuery(prompt, commit)), useQuery(commitQuery(prompt, against))];
  return (
    <Answer of={before}>
      {(old) => (
        <Answer of={next}>
          {(current) => (
            <Card
              title={`${old.commit_hash.slice(0, 8)} → ${current.commit_hash.slice(0, 8)}`}
              actions={
                <>
                  <GoTo
                    target={{ ...at.prompt(prompt), search: { commit: against, against: commit } }}
                    className="text-accent hover:underline"
                  >
                    Swap
                  </GoTo>
                  <GoTo target={at.prompt(prompt, { commit })} className="text-accent hover:underline">
                    Close
                  </GoTo>
                </>
              }
            >
              <Lines before={linesOf(old.manifest)} after={linesOf(current.manifest)} />
            </Card>
          )}
        </Answer>
      )}
    </Answer>
  );
}

/** Texts that differ everywhere are not worth a second of waiting. */
const PATIENCE_MS = 200;

function Lines({ before, after }: { readonly before: string; readonly after: string }) {
  const parts = diffLines(before, after, { timeout: PATIENCE_MS }) ?? [
    { value: before, removed: true, added: false },
    { value: after, removed: false, added: true },
  ];
  const lines = parts.flatMap(({ value, added, removed }) =>
    value
      .replace(/\n$/, '')
      .split('\n')
      .map((text) => ({ text, sign: added ? '+' : removed ? '−' : ' ' })),
  );
  return (
    <pre
      tabIndex={0}
      aria-label="What differs"
      className="max-h-[32rem] overflow-auto font-mono text-xs leading-relaxed"
    >
      {lines.map(({ text, sign }, index) => (
        <div
          // oxlint-disable-next-line react/no-array-index-key -- a line is what stands at its place
          key={index}
          className={classes(
            'px-2 wrap-anywhere whitespace-pre-wrap',
            sign === '+' && 'bg-good-soft text-good',
            sign === '−' && 'bg-bad-soft text-bad',
          )}
        >
          {sign} {text}
        </div>
      ))}
    </pre>
  );
}
