import { type ChangeObject, diffLines, diffWordsWithSpace } from 'diff';
import { useMemo } from 'react';
import { classes } from '../../ui/classes.ts';

interface DiffTextProps {
  readonly label: string;
  readonly from: string;
  readonly to: string;
}

/** Above so many characters lines are compared, which takes less time than words. */
const WORDS_UP_TO = 8000;
const TIMEOUT_MS = 40;

/** What differs between two texts, marked by sign as well as by colour. */
export function DiffText({ label, from, to }: DiffTextProps) {
  const parts = useMemo(() => differences(from, to), [from, to]);
  if (parts === undefined)
    return <p className="text-quiet">The texts are too long and too different to be compared here.</p>;
  return (
    <pre
      tabIndex={0}
      aria-label={label}
      className="max-h-72 overflow-auto font-mono text-xs leading-relaxed wrap-anywhere whitespace-pre-wrap"
    >
      {parts.map(({ value, added, removed }, index) => {
        const Mark = added ? 'ins' : removed ? 'del' : 'span';
        return (
          <Mark
            // oxlint-disable-next-line react/no-array-index-key -- parts have nothing else that names them
            key={index}
            className={classes(added && 'bg-good-soft text-good', removed && 'bg-bad-soft text-bad')}
          >
            {value}
          </Mark>
        );
      })}
    </pre>
  );
}

function differences(from: string, to: string): ChangeObject<string>[] | undefined {
  if (from.length + to.length > WORDS_UP_TO) return diffLines(from, to, { timeout: TIMEOUT_MS });
  return diffWordsWithSpace(from, to, { timeout: TIMEOUT_MS });
}
