import { memo } from 'react';
import { classes } from '../../ui/classes.ts';
import { Icon } from '../../ui/icons.tsx';
import { runState } from '../../words/run-state-rules.ts';
import { duration } from '../../words/time-rules.ts';
import type { Tone } from '../../words/tone.ts';
import { barOf, type Tree, type TreeNode } from './tree-rules.ts';

interface TreeRowProps {
  readonly node: TreeNode;
  readonly tree: Tree;
  readonly top: number;
  readonly isSelected: boolean;
  readonly isOpen: boolean;
  readonly onSelect: (run: string) => void;
  readonly onToggle: (run: string) => void;
}

const STEP_PX = 14;
/** Deeper runs are not indented further. */
const MOST_STEPS = 16;

const dots: Readonly<Record<Tone, string>> = {
  good: 'bg-good',
  bad: 'bg-bad',
  warn: 'bg-warn',
  busy: 'bg-busy',
  quiet: 'bg-quiet',
};

const bars: Readonly<Record<string, string>> = {
  LLM: 'bg-accent',
  TOOL: 'bg-warn',
  RETRIEVER: 'bg-busy',
  EMBEDDING: 'bg-busy',
};

/** One run: its name, how it went, how long it took, and when. */
export const TreeRow = memo(function TreeRow(props: TreeRowProps) {
  const { node, tree, top, isSelected, isOpen, onSelect, onToggle } = props;
  const { run, depth, children } = node;
  const { word, tone } = runState(run);
  const { left, width } = barOf(node, tree);
  return (
    // oxlint-disable-next-line jsx-a11y/click-events-have-key-events -- the tree takes the keys of all rows
    <div
      id={`run-${run.id}`}
      role="treeitem"
      tabIndex={-1}
      aria-level={depth + 1}
      aria-selected={isSelected}
      aria-expanded={children.length > 0 ? isOpen : undefined}
      onClick={() => onSelect(run.id)}
      className={classes(
        'absolute inset-x-0 flex h-7 cursor-pointer items-center gap-2 px-2 hover:bg-sunk',
        isSelected && 'bg-accent-soft',
      )}
      style={{ transform: `translateY(${top}px)` }}
    >
      <div className="flex min-w-0 flex-[3] items-center gap-1.5">
        <span className="shrink-0" style={{ width: Math.min(depth, MOST_STEPS) * STEP_PX }} />
        {children.length > 0 ? (
          <Icon
            name="chevron"
            className={classes('size-3 cursor-pointer text-quiet', isOpen && 'rotate-90')}
            onClick={(event) => {
              event.stopPropagation();
              onToggle(run.id);
            }}
          />
        ) : (
          <span className="w-3 shrink-0" />
        )}
        <span className={classes('size-2 shrink-0 rounded-full', dots[tone])} title={word} />
        <span className="truncate">{run.name === '' ? '(no name)' : run.name}</span>
        {tone !== 'good' && <span className="sr-only">{word}</span>}
        <span className="shrink-0 text-2xs text-quiet">{run.run_type.toLowerCase()}</span>
        <span className="ml-auto shrink-0 text-xs text-quiet tabular-nums">
          {run.latency_seconds === null ? '…' : duration(run.latency_seconds * 1000)}
        </span>
      </div>
      <div aria-hidden="true" className="relative hidden h-3 flex-[2] sm:block">
        <div
          className={classes(
            'absolute inset-y-0 min-w-0.5 rounded-xs',
            run.status === 'ERROR' ? 'bg-bad' : (bars[run.run_type] ?? 'bg-quiet'),
          )}
          style={{ left: `${left * 100}%`, width: `${width * 100}%` }}
        />
      </div>
    </div>
  );
});
